"""How the latents' free coordinates lie in one flat vector."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from scistan.constrained import TYPES
from scistan.distributions.resolve import value_domain
from scistan.graph.graph import Term
from scistan.graph.instance import Instance

__all__ = ["LatentBlock", "lay_out"]


@dataclass(frozen=True, slots=True)
class LatentBlock:
    """Where a latent's coordinates lie in the flat vector, and their shape."""

    term: Term
    start: int
    shape: tuple[int, ...]

    @property
    def stop(self) -> int:
        return self.start + prod(self.shape)


def lay_out(instance: Instance) -> list[LatentBlock]:
    """Lay the latents' coordinates one after the other, in the user's order."""
    blocks: list[LatentBlock] = []
    start = 0
    for term in instance.graph.latents:
        domain = value_domain(term.law)
        shape = instance.shape(term.law.shape)
        if domain.structure:
            at = len(shape) - domain.event_rank
            shape = (*shape[:at], TYPES[domain.structure].free(shape[at:]))
        blocks.append(LatentBlock(term, start, shape))
        start = blocks[-1].stop
    return blocks
