"""How the Hessian over what is integrated is shaped: groups or steps of a chain, with or without a corner, or dense.

Candidates are read off the latents' axes and how far series look back, the cheapest first, and random vectors tell
whether one holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scistan.distributions.rule import rule_of
from scistan.inference.point.elimination import (
    Blocks,
    Elimination,
    Layout,
    multiply_blocks,
    probes_of,
    read_blocks,
    trace_rows,
)
from scistan.inference.point.marginal.bend import Bend, Split
from scistan.messages import marginal as messages

__all__ = ["Structure", "find_structure"]

Tensor = Any
_MOST_GLOBALS = 1000
_MOST_LOCALS = 50
_MOST_DENSE = 2000
_CHECKS = 2
_SAME = 1e-7  # of the largest product, within which two are the same
_SAME_SINGLE = 1e-3


@dataclass(frozen=True, slots=True)
class Structure:
    """The layout of the Hessian, the vectors that measure it, and whether it is the same whatever is integrated."""

    layout: Layout
    probes: Tensor
    constant: bool

    def blocks_of(self, bend: Bend, torch: Any) -> Blocks:
        """Measure the blocks of the negative Hessian."""
        return read_blocks(torch, self.layout, -bend.products(self.probes))

    def weights(self, precision: Elimination, torch: Any) -> Tensor:
        """Give the rows `w` for which the sum of `w' M v` over the probes `v` is the trace of the inverse times `M`."""
        return trace_rows(torch, self.layout, precision.inverse_blocks(), self.probes)


def find_structure(split: Split, thetas: Tensor) -> Structure:
    """Try layouts at the first of some points that has a density; refuse what is too large for all of them."""
    torch = split.torch
    count = len(split.inner)
    noise = torch.randn((2, count), generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(thetas)
    signs = torch.randint(0, 2, (_CHECKS, count), generator=torch.Generator().manual_seed(2)).to(thetas) * 2 - 1
    bend, other = _somewhere(split, thetas, noise)
    expected = bend.products(signs)
    constant = _same(torch, expected, other.products(signs))
    for layout in _candidates(split):
        probes = probes_of(torch, layout, bend.u.detach())
        blocks = read_blocks(torch, layout, bend.products(probes))
        if _same(torch, expected, multiply_blocks(torch, layout, blocks, signs)):
            return Structure(layout, probes, constant)
    raise messages.too_many_tied([block.term.name for block in split.blocks], count, _MOST_DENSE)


def _somewhere(split: Split, thetas: Tensor, noise: Tensor) -> tuple[Bend, Bend]:
    """Give the density at two random points over what is integrated, off all symmetries.

    Beside `theta` too: in the middle, where a search begins, a coefficient is 0 and what it ties is apart.
    """
    torch = split.torch
    beside = torch.randn(thetas.shape[-1], generator=torch.Generator().manual_seed(3), dtype=torch.float64).to(thetas)
    for middle in thetas:
        for size in (0.5, 0.05, 0.0):
            theta = middle + 0.5 * size * beside
            pair = Bend(split, theta, size * noise[0]), Bend(split, theta, size * noise[0] + 0.1 * noise[1])
            if all(bool(torch.isfinite(b.value) & torch.isfinite(b.slope).all()) for b in pair):
                return pair
    return pair


def _same(torch: Any, one: Tensor, other: Tensor) -> bool:
    slack = _SAME if one.dtype == torch.float64 else _SAME_SINGLE
    return bool((one - other).abs().max() <= slack * one.abs().max())


def _candidates(split: Split) -> Iterator[Layout]:
    """List layouts by how many vectors measure them: an axis of some length as the groups, the rest as the corner."""
    torch, count = split.torch, len(split.inner)
    place = {int(q): at for at, q in enumerate(split.inner.tolist())}
    lengths = {length for block in split.blocks for length in block.shape if length > 1}
    found: list[Layout] = []
    for length in lengths:
        few = [torch.zeros(0, dtype=torch.int64)]
        many: list[Tensor] = []
        for block in split.blocks:
            at = torch.arange(place[block.start], place[block.start] + block.stop - block.start).reshape(block.shape)
            if length in block.shape:
                many.append(at.movedim(block.shape.index(length), 0).reshape(length, -1))
            else:
                few.append(at.flatten())
        apart = Layout(torch.cat(few), torch.cat(many, -1))
        made = (apart, *(_chained(torch, apart, *steps) for steps in _reaches(split, apart.locals)))
        found += [layout for layout in made if len(layout.globals) <= _MOST_GLOBALS and layout.probes < count]
    found = [layout for layout in found if layout.locals.shape[1] <= _MOST_LOCALS]
    if count <= _MOST_DENSE:
        found.append(Layout(torch.arange(count), torch.zeros((0, 0), dtype=torch.int64)))
    device = split.inner.device
    for layout in sorted(found, key=lambda layout: layout.probes):
        yield Layout(layout.globals.to(device), layout.locals.to(device), layout.steps)


def _reaches(split: Split, locals_: Tensor) -> Iterator[tuple[int, int]]:
    """Give how far steps along an axis may be tied, and how many at its beginning are tied to all.

    They are as far as its series look back, or what is seen of them does; the first elements lead all others somewhere.
    """
    length, width = locals_.shape
    laws = [block.term.law for block in split.blocks if block.shape[:1] == (length,) and block.term.law.path]
    rules = [rule for rule in map(rule_of, laws) if rule is not None]
    reach = max((max(rule.lags) for rule in rules), default=_MOST_LOCALS + 1)
    while reach * width <= _MOST_LOCALS:
        yield reach, max(rule.lead for rule in rules)
        reach *= 2


def _chained(torch: Any, apart: Layout, steps: int, lead: int) -> Layout:
    """Take so many steps at a time as the groups of a chain; the first and those left over join the corner."""
    over = lead + (len(apart.locals) - lead) % steps
    few = torch.cat([apart.globals, apart.locals[:over].flatten()])
    return Layout(few, apart.locals[over:].reshape(-1, steps * apart.locals.shape[1]), steps)
