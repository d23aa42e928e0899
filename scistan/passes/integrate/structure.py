"""How the latents to be integrated hang together: in blocks that no row connects, along a chain, beside a few others.

Which rows meet which elements is a fact about data; the algebra that follows from it is chosen here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Literal, Node
from scistan.passes.integrate.layers import Form, Layer, kernel_of
from scistan.passes.integrate.sums import RunningSums

__all__ = ["Layout", "Structure", "find_structure", "held"]

MOST_SLOTS = 6  # latents of one block
MOST_OTHERS = 120  # latents beside the blocks, which are integrated by a dense factor
SOME = 1_000  # rows that are looked at first: most structures that do not fit are told by a few


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where the elements of a latent stand: their block, and their place in it."""

    group: np.ndarray
    slot: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """`blocks` have a layout in `groups` groups of `slots` elements; the elements of `others` come one after the other.

    `chained` says that rows connect each group with the one before it; `kernel` is the covariance of the elements of
    all groups, where one density ties them.
    """

    groups: int
    slots: int
    blocks: Mapping[Node, Layout]
    others: Mapping[Node, int]  # where its elements begin
    count: int  # of the others' elements
    chained: bool
    kernel: Node | None = None

    @property
    def work(self) -> float:
        """What factoring it costs, in multiplications."""
        b, q = self.slots, self.count + 1
        each = b**3 / 3 + b * b * q + b * q * q
        if self.kernel is not None:
            return self.groups**3 / 3 + q * self.groups**2 + q**3 / 3
        return self.groups * each * (4 if self.chained else 1) + q**3 / 3


def find_structure(
    instance: Instance, latents: Sequence[Term], layers: Sequence[Layer], sums: Mapping[Node, RunningSums]
) -> Structure | None:
    """Give the cheapest structure that fits the data; None if there is none of a size that pays."""
    found = [made for made in _candidates(instance, latents, layers, sums) if made.slots <= MOST_SLOTS]
    small = [made for made in found if made.count <= MOST_OTHERS]
    return min(small, key=lambda made: made.work, default=None)


def _candidates(
    instance: Instance, latents: Sequence[Term], layers: Sequence[Layer], sums: Mapping[Node, RunningSums]
) -> Iterator[Structure]:
    shapes: dict[Node, tuple[int, ...]] = {term.value: instance.shape(term.law.shape) for term in latents}
    kernels: dict[Node, Node] = {
        term.value: kernel for term in latents if (kernel := kernel_of(term.law, instance)) is not None
    }
    if kernels:
        yield from _along_kernel(shapes, kernels, layers)
        return
    yield _structure(shapes, {}, 0, chained=False)
    lengths = sorted({n for shape in shapes.values() for n in shape if n > 1}, reverse=True)
    for groups in lengths:
        fitting: dict[Node, Layout] = {
            term.value: layout for term in latents if (layout := _layout(term, shapes[term.value], groups))
        }
        for chosen in (fitting, *({one: layout} for one, layout in fitting.items() if len(fitting) > 1)):
            yield from _fitting(shapes, chosen, groups, layers)
    for term in latents:
        shape = shapes[term.value]
        for layout in _one_by_one(shape, sums.get(term.value)) if not term.law.distribution.event_rank else ():
            yield from _fitting(shapes, {term.value: layout}, math.prod(shape), layers)


def _fitting(
    shapes: Mapping[Node, tuple[int, ...]], chosen: Mapping[Node, Layout], groups: int, layers: Sequence[Layer]
) -> Iterator[Structure]:
    """Give a structure if no row meets more than two groups, one next to the other."""
    reach = _reach(layers, chosen, SOME)
    reach = reach if reach > 1 else _reach(layers, chosen)
    if reach <= 1:
        yield _structure(shapes, chosen, groups, chained=reach == 1)


def _one_by_one(shape: tuple[int, ...], sums: RunningSums | None) -> Iterator[Layout]:
    """Lay every element of a latent out as a group of its own: in the order of its sums, or along one axis of several.

    Series beside each other are one chain so, which begins anew with each of them.
    """
    count = math.prod(shape)
    places = np.arange(count).reshape(shape)
    axes = [k for k, n in enumerate(shape) if n > 1]
    along = [np.moveaxis(places, axis, -1).ravel() for axis in axes] if len(axes) > 1 else []
    for order in [sums.order] if sums is not None else along:
        group = np.empty(count, int)
        group[order] = np.arange(count)
        yield Layout(group, np.zeros(count, int))


def _along_kernel(
    shapes: Mapping[Node, tuple[int, ...]], kernels: Mapping[Node, Node], layers: Sequence[Layer]
) -> Iterator[Structure]:
    """Lay a Gaussian process out element by element: one at most, each row sees one element, and all are seen."""
    if len(kernels) > 1:
        return
    ((variable, kernel),) = kernels.items()
    (length,) = shapes[variable]
    chosen = {variable: Layout(np.arange(length), np.zeros(length, int))}
    seen = [groups_of(form, chosen)[1] for layer in layers for form in layer.forms]
    if _reach(layers, chosen) == 0 and len(np.setdiff1d(np.arange(length), np.concatenate(seen))) == 0:
        yield replace(_structure(shapes, chosen, length, chained=False), kernel=kernel)


def _layout(term: Term, shape: tuple[int, ...], groups: int) -> Layout | None:
    """Lay a latent out along its first axis of this length; elements that one density ties stay together."""
    own = len(shape) - term.law.distribution.event_rank
    axis = next((k for k in range(own) if shape[k] == groups), None)
    if axis is None:
        return None
    places = np.indices(shape).reshape(len(shape), -1)
    rest = tuple(n for k, n in enumerate(shape) if k != axis)
    others = [places[k] for k in range(len(shape)) if k != axis]
    slot = np.ravel_multi_index(others, rest) if rest else np.zeros(groups, int)
    return Layout(places[axis], np.asarray(slot))


def _structure(
    shapes: Mapping[Node, tuple[int, ...]], chosen: Mapping[Node, Layout], groups: int, *, chained: bool
) -> Structure:
    slots = 0
    blocks: dict[Node, Layout] = {}
    for variable, layout in chosen.items():
        blocks[variable] = Layout(layout.group, layout.slot + slots)
        slots = int(blocks[variable].slot.max()) + 1
    others: dict[Node, int] = {}
    count = 0
    for variable, shape in shapes.items():
        if variable not in blocks:
            others[variable] = count
            count += math.prod(shape)
    return Structure(groups, slots, blocks, others, count, chained)


def _reach(layers: Sequence[Layer], blocks: Mapping[Node, Layout], most: int | None = None) -> int:
    """Tell over how many groups the widest row spans, or of the first ones the widest."""
    widest = 0
    for layer in layers:
        if not layer.forms:
            continue
        ends = [groups_of(form if most is None else form.part(slice(most)), blocks) for form in layer.forms]
        low = np.min([low for low, _ in ends], axis=0)
        high = np.max([high for _, high in ends], axis=0)
        touched = high >= 0
        if touched.any():
            widest = max(widest, int((high - low)[touched].max()))
    return widest


def groups_of(form: Form, blocks: Mapping[Node, Layout]) -> tuple[np.ndarray, np.ndarray]:
    """Give the first and the last group that each row of a form meets; the last is -1 where there is none."""
    none = np.iinfo(np.int64).max
    low, high = np.full(form.rows, none), np.full(form.rows, -1)
    for part in form.parts:
        if part.source is not None and part.source in blocks:
            layout = blocks[part.source]
            group, met = layout.group[part.positions], part.columns != 0
            low = np.minimum(low, np.where(met, group, none).min(axis=1))
            high = np.maximum(high, np.where(met, group, -1).max(axis=1))
    return low, high


def held(layers: Sequence[Layer], structure: Structure) -> tuple[set[int], set[int]]:
    """Give the slots and the others whose own spread is sampled: they stay around 0.

    Measured from elsewhere, the digits of their density would go where that spread does. (Steps of a chain are no part
    of the sums, and keep them.)
    """
    slots: set[int] = set()
    others: set[int] = set()
    for layer in layers:
        if layer.observed or all(isinstance(node, Literal) for node in layer.precision.values()):
            continue
        for part in (part for form in layer.forms for part in form.parts):
            met = np.unique(part.positions[part.columns != 0])
            if part.source is None:
                continue
            if part.source in structure.blocks:
                slots.update(structure.blocks[part.source].slot[met].tolist())
            elif part.source in structure.others:
                others.update((structure.others[part.source] + met).tolist())
    return slots, others
