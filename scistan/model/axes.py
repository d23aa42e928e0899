"""The labelled axes of a model: what runs along each, in one order, whatever order it was given in."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from scistan.errors import Place
from scistan.graph.labels import Labels, LabelsDiffer, order_of
from scistan.graph.node import Data, Variable
from scistan.messages import data as messages

__all__ = ["Axes", "Key", "dim_key", "matching_order"]

# An axis of a model: a dim by its name, or an axis of a leaf that has none.
Key = Hashable
Names = tuple[Callable[[], str], Callable[[], str]]  # who runs along each of two axes: asked only where that is told


def dim_key(dim: str) -> Key:
    """Give the key of a dim."""
    return ("dim", dim)


@dataclass(slots=True)
class Axes:
    """Which axes are one, their labels, and the data along them, put in their order.

    `labels`, `leaves` and `ordered` are kept at the first axis of those that are one. `values` holds the data that do
    not stand as they were written: put in order here, or swapped. `declared` names the dims whose labels are the user's
    own: along those, rows that were never given an index are positions.
    """

    coords: dict[str, list[object]] = field(default_factory=dict)
    values: dict[Data, np.ndarray | None] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    parents: dict[Key, Key] = field(default_factory=dict)
    labels: dict[Key, Labels] = field(default_factory=dict)
    leaves: dict[Key, tuple[tuple[Data, int], ...]] = field(default_factory=dict)
    ordered: frozenset[Key] = frozenset()  # axes whose order is read: lags, positions
    moved: frozenset[tuple[Data, int]] = frozenset()  # axes of data that were put in another order here
    repeated: dict[Data, np.ndarray] = field(default_factory=dict)  # data that are one number everywhere

    def copy(self) -> Axes:
        """Give axes that can change without changing these."""
        return Axes(
            dict(self.coords), dict(self.values), set(self.declared), dict(self.parents), dict(self.labels),
            dict(self.leaves), self.ordered, self.moved, dict(self.repeated),
        )

    def restore(self, kept: Axes) -> None:
        """Be again as a copy was, in place."""
        self.coords.clear()
        self.coords.update(kept.coords)
        self.values.clear()
        self.values.update(kept.values)
        self.declared, self.parents, self.labels = set(kept.declared), dict(kept.parents), dict(kept.labels)
        self.leaves, self.ordered, self.moved = dict(kept.leaves), kept.ordered, kept.moved
        self.repeated = dict(kept.repeated)

    def root(self, key: Key) -> Key:
        """Give the first of the axes that are one with this."""
        while key in self.parents:
            key = self.parents[key]
        return key

    def dim_of(self, key: Key) -> str | None:
        """Give the name of an axis, if it is a dim."""
        root = self.root(key)
        return root[1] if isinstance(root, tuple) and root[0] == "dim" else None

    def labels_of(self, key: Key) -> Labels | None:
        """Give the labels along an axis, if it has any."""
        return self.labels.get(self.root(key))

    def numbers(self, leaf: Data) -> np.ndarray | None:
        """Give the values of data as they stand in this model."""
        return self.values.get(leaf, leaf.default)

    def forget_dim(self, dim: str) -> None:
        """Let go of a dim that nothing runs along any more."""
        root = self.root(dim_key(dim))
        for kept in (self.labels, self.leaves):
            kept.pop(root, None)
        self.parents = {k: p for k, p in self.parents.items() if self.root(k) != root}

    def declare(self, dim: str, labels: Iterable[object]) -> None:
        """Take the user's own labels of a dim."""
        self.declared.add(dim)
        self.set_labels(dim_key(dim), Labels(list(labels)))

    def set_labels(self, key: Key, labels: Labels) -> None:
        """Give an axis its labels."""
        root = self.root(key)
        self.labels[root] = labels
        dim = self.dim_of(root)
        if dim is None:
            return
        if labels.implied:
            self.coords.pop(dim, None)
        else:
            self.coords[dim] = list(labels)

    # -- data come in -------------------------------------------------------------------------------
    def enter(
        self, name: str, leaf: Data, dims: tuple[str | None, ...], keys: tuple[Key, ...] = ()
    ) -> tuple[Key, ...]:
        """Take data into the model, along `keys` or axes of their own: each takes the order that its dim has here."""
        keys = keys or tuple(dim_key(dim) if dim is not None else (leaf, axis) for axis, dim in enumerate(dims))
        for axis, (key, own) in enumerate(zip(keys, leaf.labels, strict=True)):
            root = self.root(key)
            if (leaf, axis) in self.leaves.get(root, ()):
                continue
            if own is not None:
                self.take_labels(name, root, own, leaf, axis)
            self.leaves[root] = (*self.leaves.get(root, ()), (leaf, axis))
        return keys

    def take_labels(self, name: str, key: Key, own: Labels, leaf: Data, axis: int) -> None:
        """Put data whose labels along an axis are `own` into its order; an axis without labels has them from now on."""
        root = self.root(key)
        known = self.labels.get(root)
        if known is None:
            self.set_labels(root, own)
            return
        if len(known) != len(own):
            return  # told as a length that does not fit
        order = self.order(name, root, known, own)
        if order is not None:
            self.put_in_order(leaf, axis, order)
        self._note_strong(root, known, own)

    def order(self, name: str, root: Key, known: Labels, own: Labels, place: Place | None = None) -> np.ndarray | None:
        """Give the positions that put labels into the order of an axis; others are refused by name."""
        return matching_order(name, self.dim_of(root), self._speaker(root), known, own, self._is_declared(root), place)

    def _is_declared(self, root: Key) -> bool:
        return self.dim_of(root) in self.declared

    def _speaker(self, root: Key) -> str:
        return next((leaf.called for leaf, _ in self.leaves.get(root, ()) if leaf.called), "")

    def put_in_order(self, leaf: Data, axis: int, order: np.ndarray) -> None:
        """Put data along one axis into another order."""
        now = self.numbers(leaf)
        if now is None:
            return
        moved = np.take(now, order, axis=axis)
        moved.setflags(write=False)
        self.values[leaf] = moved
        self.moved |= {(leaf, axis)}

    # -- axes meet ----------------------------------------------------------------------------------
    def meet_all(self, keys: Sequence[tuple[Key, Callable[[], str]]], place: Place | None) -> Key | None:
        """Make axes one, each told by who runs along it; give the one that says most: labelled, else a dim."""
        told: tuple[Key, Callable[[], str]] | None = None
        for key, name in keys:
            if told is None:
                told = key, name
                continue
            self.meet(told[0], key, (told[1], name), place)
            if self._says(key) > self._says(told[0]):
                told = key, name
        return told[0] if told else None

    def _says(self, key: Key) -> int:
        root = self.root(key)
        return 2 * (root in self.labels) + (self.dim_of(root) is not None)

    def meet(self, first: Key, second: Key, names: Names, place: Place | None) -> None:
        """Make two axes one; labels of both must be the same, and come into one order."""
        kept, other = self.root(first), self.root(second)
        named = self.dim_of(kept) is not None, self.dim_of(other) is not None
        if kept == other or all(named):
            return
        own, given = self.labels.get(kept), self.labels.get(other)
        if own is None and given is None and not any(named):
            return  # without labels and names, positions are all there is
        if (own is None) != (given is None):
            labelled, bare, name = (kept, other, names[0]) if given is None else (other, kept, names[1])
            if not _is_latent(bare):  # labels beside none pair by position, and may not move from then on
                self._keep_still(labelled, name, place)
            return
        if self.dim_of(other) is not None or (self.dim_of(kept) is None and other in self.ordered):
            kept, other, own, given, names = other, kept, given, own, names[::-1]
        if own is not None and given is not None:
            self._into_one_order(kept, other, own, given, names, place)
        if other in self.ordered and self.dim_of(kept) is None:
            self.ordered |= {kept}
        self.parents[other] = kept
        self.leaves[kept] = self.leaves.get(kept, ()) + self.leaves.pop(other, ())
        self.labels.pop(other, None)

    def _into_one_order(
        self, kept: Key, other: Key, own: Labels, given: Labels, names: Names, place: Place | None
    ) -> None:
        if own == given:
            self._note_strong(kept, own, given)
            return
        speaker, name = (told() for told in names)
        order = matching_order(name, self.dim_of(kept), speaker, own, given, self._is_declared(kept), place)
        if order is not None:
            if other in self.ordered:
                raise messages.order_is_read(name, speaker, place)
            for leaf, axis in self.leaves.get(other, ()):
                self.put_in_order(leaf, axis, order)
        self._note_strong(kept, own, given)

    def _note_strong(self, root: Key, known: Labels, own: Labels) -> None:
        """Let implied labels count from now on, where others stand beside them."""
        if known.implied and not own.implied:
            self.set_labels(root, Labels(list(known)))

    def read_by_position(self, key: Key, name: Callable[[], str], place: Place | None) -> None:
        """Note that the order along an axis counts; one that was changed for its labels' sake is refused."""
        root = self.root(key)
        if self.dim_of(root) is not None:
            return
        if key in self.moved and not self._moved_back(root, key):
            raise messages.order_is_read(name(), "", place)
        self.ordered |= {root}

    def _keep_still(self, root: Key, name: Callable[[], str], place: Place | None) -> None:
        if self.dim_of(root) is not None:  # a dim has its order from the model, for everybody to see
            return
        if self._any_moved(root):  # in whose order is the array without labels? nobody can tell
            raise messages.order_is_read(name(), "", place)
        self.ordered |= {root}

    def _any_moved(self, root: Key) -> bool:
        return any(at in self.moved for at in self.leaves.get(root, ()))

    def _moved_back(self, root: Key, key: Key) -> bool:
        """Put all along an axis into the order that one of its data was written in, if nothing speaks against it."""
        leaf, axis = key if isinstance(key, tuple) and isinstance(key[0], Data) else (None, 0)
        own, known = leaf.labels[axis] if leaf is not None else None, self.labels.get(root)
        if root in self.ordered or own is None or known is None or not known.same_set(own):
            return False
        order = order_of(own, known)
        for at in self.leaves.get(root, ()) if order is not None else ():
            self.put_in_order(*at, order)  # type: ignore[arg-type]
        self.set_labels(root, Labels(list(own)))
        self.moved -= {(leaf, axis)}  # type: ignore[arg-type]
        return True


def _is_latent(key: Key) -> bool:
    return isinstance(key, tuple) and isinstance(key[0], Variable)


def matching_order(
    name: str, dim: str | None, speaker: str, known: Labels, own: Labels, declared: bool, place: Place | None = None
) -> np.ndarray | None:
    """Give the positions that put `own` into the order of `known`, or None; refuse by name what does not match.

    Rows that were never given an index are positions beside others like them, and along a dim that the user labelled.
    """
    if (known.implied and own.implied) or (own.implied and declared and not known.same_set(own)):
        return None
    try:
        return order_of(known, own)
    except LabelsDiffer as differ:
        raise messages.labels_differ(name, dim, speaker, differ, own.implied or known.implied, place) from None
