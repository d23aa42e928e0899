"""How the Hessian over what is integrated is shaped: groups, groups and a corner, or dense.

Candidates are read off the latents' axes, the cheapest first, and random vectors tell whether one holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scistan.inference.point.elimination import Elimination, Layout, multiply_blocks, probes_of, read_blocks
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

    def blocks_of(self, bend: Bend, torch: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Measure the blocks of the negative Hessian."""
        return read_blocks(torch, self.layout, -bend.products(self.probes))

    def weights(self, precision: Elimination) -> Tensor:
        """Give the rows `w` for which the sum of `w' M v` over the probes `v` is the trace of the inverse times `M`."""
        few, many = self.layout.globals, self.layout.locals
        among, across, within = precision.inverse_blocks()
        rows = self.probes.new_zeros(self.probes.shape)
        rows[: len(few), few] = among
        for g in range(len(few) if len(many) else 0):
            rows[g, many] = 2 * across[:, :, g]
        for k in range(many.shape[1]):
            rows[len(few) + k, many] = within[:, :, k]
        return rows


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
    """Give the density at two random points over what is integrated, off all symmetries."""
    for theta in thetas:
        for size in (0.5, 0.05, 0.0):
            pair = Bend(split, theta, size * noise[0]), Bend(split, theta, size * noise[0] + 0.1 * noise[1])
            if all(bool(split.torch.isfinite(b.value) & split.torch.isfinite(b.slope).all()) for b in pair):
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
    found: list[tuple[int, Layout]] = []
    for length in lengths:
        few: list[Tensor] = []
        many: list[Tensor] = []
        for block in split.blocks:
            at = torch.arange(place[block.start], place[block.start] + block.stop - block.start).reshape(block.shape)
            if length in block.shape:
                many.append(at.movedim(block.shape.index(length), 0).reshape(length, -1))
            else:
                few.append(at.flatten())
        layout = Layout(torch.cat(few) if few else torch.zeros(0, dtype=torch.int64), torch.cat(many, -1))
        width = layout.locals.shape[1]
        if len(layout.globals) <= _MOST_GLOBALS and width <= _MOST_LOCALS and len(layout.globals) + width < count:
            found.append((len(layout.globals) + width, layout))
    if count <= _MOST_DENSE:
        dense = Layout(torch.arange(count), torch.zeros((0, 0), dtype=torch.int64))
        found.append((count, dense))
    device = split.inner.device
    for _, layout in sorted(found, key=lambda pair: pair[0]):
        yield Layout(layout.globals.to(device), layout.locals.to(device))
