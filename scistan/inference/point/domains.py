"""Which coordinates belong to which latent, and where they run to a boundary."""

from __future__ import annotations

from scistan.constrained import TYPES
from scistan.distributions.resolve import value_domain
from scistan.inference.point.maximized import Maximized
from scistan.targets.torch import LatentBlock

__all__ = ["block_at", "boundary_words", "bounded_blocks", "latent_at"]


def bounded_blocks(objective: Maximized) -> list[tuple[int, int, bool, bool]]:
    """List latents whose coordinates run to a boundary: their range, and whether it lies at -∞ and at +∞."""
    found = []
    for block in objective.density.blocks:
        domain = value_domain(block.term.law)
        if block.term.law.noncentred:
            continue
        if domain.structure:
            edges = TYPES[domain.structure].edges
            found += [(block.start, block.stop, *edges)] if any(edges) else []
        elif domain.lower is not None or domain.upper is not None:
            found.append((block.start, block.stop, True, domain.lower is not None and domain.upper is not None))
    return found


def block_at(objective: Maximized, k: int) -> LatentBlock:
    """Find the latent that a coordinate belongs to."""
    return next(b for b in objective.density.blocks if b.start <= k < b.stop)


def latent_at(objective: Maximized, k: int) -> str:
    """Name the latent that a coordinate belongs to."""
    return block_at(objective, k).term.name


def boundary_words(objective: Maximized, k: int, side: int) -> str:
    """Say which boundary a coordinate runs to."""
    domain = value_domain(block_at(objective, k).term.law)
    if domain.structure:
        return f"({domain.words})"
    bound = domain.lower if side < 0 and domain.lower is not None else domain.upper
    return f"{bound:g}" if isinstance(bound, int | float) else "(a bound that the model computes)"
