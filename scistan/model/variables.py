"""The book a model keeps of its variables: what each name means, and when it may change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from scistan.distributions.drawn import node_of
from scistan.distributions.resolve import resolve, value_domain
from scistan.distributions.rule import pieces_of, rule_of, taken_apart
from scistan.distributions.unnamed import Unnamed
from scistan.errors import Place
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import Apply, Data, Node, Variable, is_applied
from scistan.graph.places import first_place, remember, user_place, warn_at_users_line
from scistan.graph.walk import topological
from scistan.messages import coding as coding_messages
from scistan.messages import data as data_messages
from scistan.messages import model as messages
from scistan.messages import observations as observations_messages
from scistan.model.acts import Acts
from scistan.model.argument_axes import axes_of_arguments, dims_of_arguments, equalities_of_pieces, inherited_dims
from scistan.model.axes import Axes, Key
from scistan.model.draws import check_no_draws
from scistan.model.entry import Entry, Identity
from scistan.model.equal import same_definition
from scistan.model.factors import check_levels_free, check_outcome, enter_levels, level_dim
from scistan.model.facts import Dims, Facts, Keys, own_keys
from scistan.model.given_labels import read_labels
from scistan.model.numbers import check_arguments, check_values, numbers_at_hand
from scistan.ops.coerce import read_dims
from scistan.ops.expression import Expression
from scistan.ops.levels import Levels
from scistan.shapes import ONE, Equality, Shape, Size, values_of

__all__ = ["Entry", "Identity", "Variables"]


@dataclass(slots=True)
class Variables:
    """Every entry in the order it was written, the dims, and their coords."""

    owner: str
    identity: Identity
    entries: dict[str, Entry] = field(default_factory=dict)
    dims: dict[str, Size] = field(default_factory=dict)
    axes: Axes = field(default_factory=Axes)
    named: dict[Node, str] = field(default_factory=dict)
    acts: Acts = field(default_factory=Acts)
    facts: Facts = field(init=False)

    def __post_init__(self) -> None:
        self.facts = Facts(self._admit, self.dims, self.axes, lambda leaf: level_dim(self.entries, self.named, leaf))
        self._note_all()

    def _note_all(self) -> None:
        for entry in self.entries.values():
            noted = isinstance(entry.node, Variable | Data) or is_applied(entry.node, "drawn")
            if noted and self.named.get(entry.node) == entry.name:
                self.facts.note(entry.node, entry.dims, entry.keys)

    @property
    def coords(self) -> dict[str, list[object]]:
        """The labels along each dim that has any."""
        return self.axes.coords

    def numbers(self, node: Node) -> np.ndarray | None:
        """Give the numbers of what follows from the data, as they stand in this model; None without data."""
        return numbers_at_hand(node, self.axes.values)

    def declare_coords(self, coords: Mapping[str, Sequence[object]]) -> None:
        """Note the coords of dims; their lengths become sizes of the model."""
        if not isinstance(coords, Mapping):
            raise data_messages.coords_no_dict(coords)
        read_dims("coords", [*coords] or ["row"])
        for dim, labels in coords.items():
            self.axes.declare(dim, read_labels(dim, labels))
            self.dims[dim] = Size.of_dim(dim, len(self.coords[dim]))

    # -- assignment -----------------------------------------------------------------------------
    def assign(self, name: str, value: Expression) -> None:
        """Give `name` a meaning; the same meaning again changes nothing."""
        old = self.entries.get(name)
        with self._undone_on_error():
            if old is None:
                self._enter(self._entry(name, value))
                return
            kept = dict(self.dims), self.axes.copy()
            self._release_dims(old)
            check_levels_free(old, value, self.entries, self.axes)
            entry = self._entry(name, value)
            if same_definition(old.node, old.law, entry.node, entry.law) and old.dims == entry.dims:
                self._restore(*kept)
                return
            self._check_free(old)
            self._check_not_its_own(old, entry)
            if old.role == entry.role == "observed" and old.place == entry.place is not None:  # a loop, most likely
                warn_at_users_line(observations_messages.observed_again(name), messages.ModelWarning)
            self._remove(old)  # a new meaning may depend on what was written since, so it goes last
            self._enter(entry)

    def delete(self, name: str) -> None:
        """Take a name out of the model, if nothing depends on it."""
        entry = self.entries[name]
        self._check_free(entry)
        self._release_dims(entry)
        self._remove(entry)

    def _enter(self, entry: Entry) -> None:
        if isinstance(entry.node, Variable | Data):
            self.facts.note(entry.node, entry.dims, entry.keys)
        self.facts.learn(entry.roots if entry.law is None else entry.law.inputs)
        if entry.law is not None and isinstance(entry.node, Variable | Data):
            for node in self._of_pieces(Term(entry.name, entry.node, entry.law)):
                self.facts.learn([node])
        self.entries[entry.name] = entry
        self.named.setdefault(entry.node, entry.name)
        if isinstance(entry.node, Data):
            entry.node.called = entry.node.called or entry.name

    def _of_pieces(self, term: Term) -> list[Node]:
        """List what the law of a series is made of; its own shifts of time are no shifts of the user's."""
        if rule_of(term.law) is None:
            return []
        nodes = [node for piece in pieces_of(term) for node in piece.law.inputs]
        shifted = {term.value, *taken_apart(term.law).over}
        for node in topological(nodes):
            if isinstance(node, Apply) and node.op.name == "index" and node.args[0] in shifted:
                fact = self.facts.of(node.args[0])
                gone = len(fact.dims) - len(node.shape)  # a single time has no axis of it
                first = () if gone else (None,)
                keys = () if gone else ((node, 0),)
                self.facts.note(node, (*first, *fact.dims[1:]), (*keys, *fact.keys[1:]))
        return nodes

    def _remove(self, entry: Entry) -> None:
        del self.entries[entry.name]
        self.named = {}
        for e in self.entries.values():
            self.named.setdefault(e.node, e.name)
        self.facts.forget()
        self._note_all()

    def _check_free(self, entry: Entry) -> None:
        if self.named.get(entry.node) != entry.name:  # a second name: what it means stays under the first
            return
        users = [e.name for e in self.entries.values() if e is not entry and entry.node in topological(e.roots)]
        if users:
            raise messages.name_in_use(entry.name, users, entry.role)

    def _check_not_its_own(self, old: Entry, entry: Entry) -> None:
        """Refuse `m.mu = m.mu + 1`: the variable would be gone; `m.total = m.total + x` has lost nothing."""
        if not isinstance(old.node, Variable | Data) or self.named.get(old.node) != old.name:
            return
        if old.node in topological(entry.law.inputs if entry.law else entry.roots):
            raise messages.defined_by_itself(old.name)

    def _release_dims(self, entry: Entry) -> None:
        """Let go of the dims that only this entry gave a length."""
        others = {dim for e in self.entries.values() if e is not entry for dim in e.held_dims}
        for dim in entry.held_dims - others - self.axes.declared:
            self.dims.pop(dim, None)
            self.coords.pop(dim, None)
            self.axes.forget_dim(dim)

    @contextmanager
    def _undone_on_error(self) -> Iterator[None]:
        kept = dict(self.dims), self.axes.copy()
        try:
            yield
        except Exception:
            self._restore(*kept)
            raise

    def _restore(self, dims: dict[str, Size], axes: Axes) -> None:
        self.dims.clear()
        self.dims.update(dims)
        self.axes.restore(axes)
        self.facts.forget()
        self._note_all()

    def _admit(self, leaf: Variable | Data) -> None:
        """Refuse a leaf that is not, or no longer, part of this model."""
        if isinstance(leaf, Data) and isinstance(leaf.coding, Levels) and leaf not in self.named:
            raise coding_messages.unnamed_factor(leaf.coding.levels, first_place(leaf))
        if leaf in self.named or (isinstance(leaf, Data) and leaf.default is not None):
            return
        if isinstance(leaf, Data):
            raise observations_messages.foreign_promise()
        if leaf.owner is self.identity:
            raise messages.stale_variable(leaf.name)
        raise messages.foreign_variable(leaf.name, getattr(leaf.owner, "name", "another"))

    # -- entries --------------------------------------------------------------------------------
    def _entry(self, name: str, value: Expression) -> Entry:
        if isinstance(value, Unnamed):
            return self._distributed(name, value)
        node = value._scistan_node_
        if isinstance(node, Data) and node not in self.named:
            dims = node.dims or (None,) * len(node.shape)
            self._check_repeated(name, dims, node)
            equal = self._bind_dims(name, dims, node.shape)
            enter_levels(name, node, dims, self.dims, self.axes)
            keys = self._keys_of_data(name, node, dims)
            return Entry(name, node, None, dims, user_place(), keys, equal)
        fact = self.facts.of(node)
        return Entry(name, node, None, fact.dims, user_place(), fact.keys)

    def _keys_of_data(self, name: str, leaf: Data, dims: Dims) -> Keys:
        """Take data in, unless they are in: the labels that came with them are put into the model's order."""
        if self.facts.knows(leaf):
            return self.facts.of(leaf).keys
        return self.axes.enter(name, leaf, dims)

    def _distributed(self, name: str, made: Unnamed) -> Entry:
        observation = made.observation
        leaf = observation.values if observation else None
        values = leaf.shape if leaf is not None else None
        dims = made.dims or (leaf.dims if leaf is not None and any(leaf.dims or ()) else None)
        # Where a shape is given it says the lengths, also those of new dims.
        given = self._shape_of_dims(name, made, values) if made.dims and made.size is None else None
        made = made.formed(name, given if values is None else values)
        self.facts.learn((*made.args, *(b for b in (made.lower, made.upper) if b is not None)))
        law = resolve(name, made, given, values)
        dims = inherited_dims(law, self._dims_of) if dims is None else dims
        if len(dims) != len(law.shape):
            raise data_messages.dims_rank(name, dims, values_of(law.shape))
        if leaf is not None:
            check_outcome(name, law, leaf)
            self._check_repeated(name, dims, leaf)
        equal = self._bind_dims(name, dims, law.shape)
        # Literals and arrays were checked where they were written; what is computed from them is not yet.
        computed = [isinstance(arg, Apply) and self.facts.of(arg).fixed for arg in law.args]
        check_arguments(name, law, computed, self.numbers, None)
        if made.is_draw:
            return self._derived_draw(name, law, dims, made.place, equal)
        check_no_draws(name, law, made.place)
        node = self._value(name, law, observation is not None, leaf, dims)
        law = replace(law, equalities=law.equalities + equalities_of_pieces(law, node))
        self._check_meeting(name, law, dims, node)
        keys = self._keys_of_draw(name, law, dims, node)
        numbers = self.axes.numbers(node) if isinstance(node, Data) else None
        if numbers is not None:
            check_values(name, law, numbers, self._is_fixed, self.numbers, None)
        remember(node, made.place)
        return Entry(name, node, law, dims, made.place, keys, equal)

    def _derived_draw(
        self, name: str, law: Law, dims: Dims, place: Place | None, equal: tuple[Equality, ...]
    ) -> Entry:
        """Enter a random draw that follows from the other variables: a derived quantity, for it has no density."""
        node = node_of(name, law)
        remember(node, place)
        keys = self._keys_of_draw(name, law, dims, node)
        self.facts.note(node, dims, keys)
        return Entry(name, node, None, dims, place, keys, equal)

    def _keys_of_draw(self, name: str, law: Law, dims: Dims, node: Node) -> Keys:
        """Let the axes of a distribution's arguments meet those of its value: labels are matched along each."""
        own = self._keys_of_data(name, node, dims) if isinstance(node, Data) else own_keys(node, dims)
        if rule_of(law) is not None:  # time has the order of the series
            self.axes.read_by_position(own[0], lambda: name, None)
        met: list[list[tuple[Key, Callable[[], str]]]] = [[] for _ in own]
        for axis, arg, at in axes_of_arguments(law):
            fact = self.facts.of(arg)
            met[axis].append((fact.keys[at], self.facts.speaking(arg, fact.dims[at])))
        # What comes last moves: the arguments were in the model before.
        return tuple(
            self.axes.meet_all([*keys, (key, lambda: name)], None) or key for keys, key in zip(met, own, strict=True)
        )

    def _dims_of(self, node: Node) -> Dims:
        return self.facts.of(node).dims

    def _is_fixed(self, node: Node) -> bool:
        return self.facts.of(node).fixed

    def _value(self, name: str, law: Law, observed: bool, leaf: Data | None, dims: Dims) -> Variable | Data:
        if not observed:
            return Variable(name, law.shape, self.identity, dims, value_domain(law), law.distribution.discrete)
        return leaf if leaf is not None else Data(None, law.shape, integer=law.distribution.discrete, dims=dims)

    # -- dims -----------------------------------------------------------------------------------
    def _bind_dims(self, name: str, dims: Dims, shape: Shape) -> tuple[Equality, ...]:
        equal: list[Equality] = []
        for dim, size in zip(dims, shape, strict=True):
            if dim is None:
                continue
            known = self.dims.setdefault(dim, size if size == ONE else Size.of_dim(dim, size.today))
            if known.today != size.today:
                raise data_messages.dim_length(name, dim, known.today, size.today, dim in self.coords)
            if known != size:
                equal.append((known, size))
        return tuple(equal)

    def _check_repeated(self, name: str, dims: Dims, leaf: Data) -> None:
        """Refuse rows whose labels repeat along a dim that has one position for each label."""
        for dim, own, size in zip(dims, leaf.labels, leaf.shape, strict=True):
            known = self.dims.get(dim) if dim is not None else None
            if dim is not None and known is not None and known.today != size.today and own is not None and own.repeated:
                raise data_messages.labels_repeat(name, dim, known.today, size.today)

    def _shape_of_dims(self, name: str, made: Unnamed, values: Shape | None) -> Shape:
        dims = made.dims or ()
        if values is not None and len(values) != len(dims):
            raise data_messages.dims_rank(name, dims, values_of(values))
        sizes: list[Size] = []
        for axis, dim in enumerate(dims):
            if dim in self.dims:
                sizes.append(self.dims[dim])
            elif values is not None:
                sizes.append(values[axis])
            elif axis == 0 and made.length is not None:
                sizes.append(made.length)
            else:
                raise data_messages.unknown_dim(name, str(dim), self.dims)
            if values is not None and dim is not None and sizes[-1].today != values[axis].today:
                raise data_messages.dim_length(name, dim, sizes[-1].today, values[axis].today, dim in self.coords)
        return tuple(sizes)

    def _check_meeting(self, name: str, law: Law, dims: Dims, value: Variable | Data) -> None:
        """Refuse an argument that runs along another dim than the variable itself."""
        for node in law.args:
            if isinstance(value, Data):
                self.facts.check_turned("", (value, dims), (node, self.facts.of(node).dims), None)
        for at, node, dim in dims_of_arguments(law, self._dims_of):
            own = dims[-at]
            if own is not None and law.shape[-at].today != 1:
                self.facts.check_meeting("", [(name, own), (self.facts.speaker(node, dim), dim)], None)

    # -- the whole ------------------------------------------------------------------------------
    def graph(self) -> Graph:
        """Give the model as an immutable graph."""
        entries = self.entries.values()
        return Graph(
            terms=tuple(
                Term(e.name, e.node, e.law) for e in entries if e.law and isinstance(e.node, Variable | Data)
            ),
            derived={e.name: e.node for e in entries if e.role == "derived"},
            data_names={
                node: name for node, name in self.named.items()
                if isinstance(node, Data) and self.entries[name].role != "potential"
            },
            equalities=tuple(pair for e in entries for pair in e.equalities),
            places={e.name: e.place for e in entries if e.place is not None},
        )

    def all_dims(self) -> dict[str, tuple[str, ...]]:
        """Name every axis of every variable: by its dim, else by the variable."""
        return {
            name: tuple(dim or f"{name}_dim_{k}" for k, dim in enumerate(entry.dims))
            for name, entry in self.entries.items()
        }

    def add(self, entry: Entry) -> None:
        """Take over a derived quantity, or data, of a model that shares its latents with this one."""
        self.entries[entry.name] = entry
        self.named.setdefault(entry.node, entry.name)
        if isinstance(entry.node, Data):
            self.axes.enter(entry.name, entry.node, entry.dims)
            self.facts.note(entry.node, entry.dims, entry.keys)

    def counted(self) -> frozenset[str]:
        """Name the axes of tables that were never given an index: their rows are 0, 1, 2, …."""
        dims = self.all_dims()
        return frozenset(
            axis
            for name, entry in self.entries.items()
            for axis, key in zip(dims[name], entry.keys, strict=True)
            if (labels := self.axes.labels_of(key)) is not None and labels.implied
        )

    def all_coords(self) -> dict[str, list[object]]:
        """Give the labels of every axis, also of those that have no dim."""
        found = dict(self.coords)
        for name, entry in self.entries.items():
            for k, (dim, key) in enumerate(zip(entry.dims, entry.keys, strict=True)):
                labels = self.axes.labels_of(key) if dim is None else None
                if labels is not None and not labels.implied:
                    found[f"{name}_dim_{k}"] = labels.listed
        return found

    def copy(self) -> Variables:
        """Give a book that can change without changing this one; variables stay the same objects."""
        copied = dict(self.entries), dict(self.dims), self.axes.copy(), dict(self.named)
        return Variables(self.owner, self.identity, *copied, self.acts)
