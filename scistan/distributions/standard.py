"""Location–scale draws taken apart: `x = location + scale · z`."""

from __future__ import annotations

from dataclasses import dataclass

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Law
from scistan.graph.node import Literal, Node
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression

__all__ = ["Frame", "frame_of", "is_zero", "sampled_frame"]

sqrt = FUNCTIONS["sqrt"]


@dataclass(frozen=True, slots=True)
class Frame:
    """What a non-centred latent is measured by; `is_matrix` says that the scale is a Cholesky factor."""

    location: Node
    scale: Node
    is_matrix: bool

    @property
    def nodes(self) -> tuple[Node, Node]:
        return self.location, self.scale


def frame_of(law: Law) -> Frame | None:
    """Give a law's location and scale; None for a family that has none."""
    d: Distribution = law.distribution
    if d.location_scale is None:
        return None
    named = d.named(law.args)
    location, scale = (named[name] for name in d.location_scale)
    domain = next(p.domain for p in d.parameters if p.name == d.location_scale[1])
    return Frame(location, scale, domain.event_rank == 2)


def sampled_frame(law: Law) -> Frame | None:
    """Give what a non-centred latent is measured by in a program; None for any other.

    Where its data are known to say as much as `information` and `pull` (a mean of `pull / information` with the
    variance `1 / information`), that is the mean and the sd that it has given them, were all of it normal. Of a latent
    that other numbers are added to they say that of the sum.
    """
    frame = frame_of(law) if law.noncentred else None
    if frame is None or law.centring is None:
        return frame
    location, scale, information, pull = map(Expression, (*frame.nodes, *law.centring))
    if law.beside:
        pull = pull - information * sum(map(Expression, law.beside[1:]), Expression(law.beside[0]))
    variance = scale * scale
    total = 1 + information * variance
    pulled = pull * variance if is_zero(frame.location) else location + pull * variance
    return Frame((pulled / total)._scistan_node_, (scale / sqrt(total))._scistan_node_, False)


def is_zero(node: Node) -> bool:
    """Tell whether a location is the number 0, which need not be added."""
    return isinstance(node, Literal) and node.value == 0
