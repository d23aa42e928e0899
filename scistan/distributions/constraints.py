"""What a constraint does to the density of a law: its normalizer, where that is known, and what it depends on.

Elements drawn freely and kept only where they keep the constraint have a density that is divided by the probability
of keeping it. The constrained types declare that, in SciStan's own ops, and every target takes it from here.
"""

from __future__ import annotations

from scistan.constrained import CONSTRAINTS
from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Law
from scistan.graph.node import Node
from scistan.graph.walk import has_latents
from scistan.ops.expression import Expression
from scistan.shapes import Size

__all__ = ["is_known", "log_normalizer", "unknown_depends_on"]


def log_normalizer(law: Law) -> Expression | None:
    """Give what a constraint adds to the log density of each vector; None without one, or where it is unknown."""
    if law.constraint is None or law.distribution.improper:
        return None
    return CONSTRAINTS[law.constraint].log_normalizer(law.distribution, law.args, law.shape[-1])


def is_known(constraint: str, d: Distribution, args: tuple[Node, ...]) -> bool:
    """Tell whether a constraint's normalizer has an exact form; an improper prior needs none."""
    return d.improper or CONSTRAINTS[constraint].log_normalizer(d, args, Size.new(2)) is not None


def unknown_depends_on(constraint: str, d: Distribution, args: tuple[Node, ...]) -> list[str]:
    """List the parameters by which an unknown normalizer depends on latents: without it the prior is another."""
    if is_known(constraint, d, args):
        return []
    matters = CONSTRAINTS[constraint].matters
    named = zip((p.name for p in d.parameters), args, strict=True)
    return [name for name, node in named if matters(d, name, node) and has_latents(node)]
