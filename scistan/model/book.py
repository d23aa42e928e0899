"""The book a model keeps of its variables: what each name means, and when it may change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from scistan.distributions.resolve import resolve
from scistan.distributions.unnamed import Unnamed
from scistan.errors import Place
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import Apply, Data, Node, Variable
from scistan.graph.places import remember, user_place, warn_at_users_line
from scistan.graph.walk import topological
from scistan.messages import data as data_messages
from scistan.messages import model as messages
from scistan.model.equal import same_definition
from scistan.model.facts import Dims, Facts
from scistan.model.numbers import check_arguments, check_values, numbers_at_hand
from scistan.ops.coerce import read_dims
from scistan.ops.expression import Expression
from scistan.shapes import DIM, ONE, Equality, Shape, Size, Symbol, values_of

__all__ = ["Book", "Entry", "Identity", "read_labels"]


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """Which model a latent belongs to; a model on other data is the same one."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One name of a model: a latent or observed value with its draw, data, or a derived quantity."""

    name: str
    node: Node
    draw: Draw | None
    dims: Dims
    place: Place | None
    equalities: tuple[Equality, ...] = ()

    @property
    def role(self) -> str:
        if self.draw is not None:
            return "observed" if isinstance(self.node, Data) else "latent"
        return "data" if isinstance(self.node, Data) else "derived"

    @property
    def roots(self) -> list[Node]:
        return [self.node, *(self.draw.inputs if self.draw else ())]


@dataclass(slots=True)
class Book:
    """Every entry in the order it was written, the dims, and their coords."""

    owner: str
    identity: Identity
    entries: dict[str, Entry] = field(default_factory=dict)
    dims: dict[str, Size] = field(default_factory=dict)
    coords: dict[str, list[object]] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()  # the dims whose coords the user gave the model itself
    named: dict[Node, str] = field(default_factory=dict)
    facts: Facts = field(init=False)

    def __post_init__(self) -> None:
        self.facts = Facts(self._admit, self.dims, self.coords)

    def declare_coords(self, coords: Mapping[str, Sequence[object]]) -> None:
        """Note the coords of dims; their lengths become sizes of the model."""
        if not isinstance(coords, Mapping):
            raise data_messages.coords_no_dict(coords)
        read_dims("coords", [*coords] or ["row"])
        for dim, labels in coords.items():
            self.coords[dim] = read_labels(dim, labels)
            self.dims[dim] = _dim_size(dim, len(self.coords[dim]))
        self.declared |= set(coords)

    # -- assignment -----------------------------------------------------------------------------
    def assign(self, name: str, value: Expression) -> None:
        """Give `name` a meaning; the same meaning again changes nothing."""
        old = self.entries.get(name)
        with self._undone_on_error():
            if old is None:
                self._enter(self._entry(name, value))
                return
            kept = dict(self.dims), dict(self.coords)
            self._release_dims(old)
            entry = self._entry(name, value)
            if same_definition(old.node, old.draw, entry.node, entry.draw) and old.dims == entry.dims:
                self._restore(*kept)
                return
            self._check_free(old)
            self._check_not_its_own(old, entry)
            if old.role == entry.role == "observed" and old.place == entry.place is not None:  # a loop, most likely
                warn_at_users_line(messages.observed_again(name), messages.ModelWarning)
            self._remove(old)  # a new meaning may depend on what was written since, so it goes last
            self._enter(entry)

    def delete(self, name: str) -> None:
        """Take a name out of the model, if nothing depends on it."""
        entry = self.entries[name]
        self._check_free(entry)
        self._release_dims(entry)
        self._remove(entry)

    def _enter(self, entry: Entry) -> None:
        self.facts.learn(entry.roots if entry.draw is None else entry.draw.inputs)
        self.entries[entry.name] = entry
        self.named.setdefault(entry.node, entry.name)
        if isinstance(entry.node, Data):
            entry.node.called = entry.node.called or entry.name
        if isinstance(entry.node, Variable | Data):
            self.facts.note(entry.node, entry.dims)

    def _remove(self, entry: Entry) -> None:
        del self.entries[entry.name]
        self.named = {}
        for e in self.entries.values():
            self.named.setdefault(e.node, e.name)
        self.facts.forget()

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
        if old.node in topological(entry.draw.inputs if entry.draw else entry.roots):
            raise messages.defined_by_itself(old.name)

    def _release_dims(self, entry: Entry) -> None:
        """Let go of the dims that only this entry gave a length."""
        others = {dim for e in self.entries.values() if e is not entry for dim in e.dims}
        for dim in set(entry.dims) - others - self.declared:
            if dim is not None:
                self.dims.pop(dim, None)
                self.coords.pop(dim, None)

    @contextmanager
    def _undone_on_error(self) -> Iterator[None]:
        kept = dict(self.dims), dict(self.coords)
        try:
            yield
        except Exception:
            self._restore(*kept)
            raise

    def _restore(self, dims: dict[str, Size], coords: dict[str, list[object]]) -> None:
        self.dims.clear()
        self.dims.update(dims)
        self.coords.clear()
        self.coords.update(coords)

    def _admit(self, leaf: Variable | Data) -> None:
        """Refuse a leaf that is not, or no longer, part of this model."""
        if leaf in self.named or (isinstance(leaf, Data) and leaf.default is not None):
            return
        if isinstance(leaf, Data):
            raise messages.foreign_promise()
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
            equal = self._bind_dims(name, dims, node.shape)
            self._note_labels(name, dims, node)
            return Entry(name, node, None, dims, user_place(), equal)
        return Entry(name, node, None, self.facts.of(node).dims, user_place())

    def _distributed(self, name: str, made: Unnamed) -> Entry:
        observation = made.observation
        if made.distribution.discrete and observation is None:
            raise messages.discrete_latent(name, made.distribution.title)
        leaf = observation.values if observation else None
        self.facts.learn((*made.args, *(b for b in (made.lower, made.upper) if b is not None)))
        values = leaf.shape if leaf is not None else None
        dims = made.dims or (leaf.dims if leaf is not None and any(leaf.dims or ()) else None)
        given = self._shape_of_dims(name, made.dims, values) if made.dims else None
        draw = resolve(name, made, given, values)
        dims = self._inherited_dims(draw) if dims is None else dims
        if len(dims) != len(draw.shape):
            raise data_messages.dims_rank(name, dims, values_of(draw.shape))
        equal = self._bind_dims(name, dims, draw.shape)
        # Literals and arrays were checked where they were written; what is computed from them is not yet.
        computed = [isinstance(arg, Apply) and self.facts.of(arg).fixed for arg in draw.args]
        check_arguments(name, draw, computed, numbers_at_hand, None)
        if leaf is not None:
            self._note_labels(name, dims, leaf)
            if leaf.default is not None:
                check_values(name, draw, leaf.default, self._is_fixed, numbers_at_hand, None)
        self._check_meeting(name, draw, dims)
        node = self._value(name, draw, observation is not None, leaf, dims)
        remember(node, made.place)
        return Entry(name, node, draw, dims, made.place, equal)

    def _is_fixed(self, node: Node) -> bool:
        return self.facts.of(node).fixed

    def _value(self, name: str, draw: Draw, observed: bool, leaf: Data | None, dims: Dims) -> Variable | Data:
        if not observed:
            return Variable(name, draw.shape, self.identity, dims)
        return leaf if leaf is not None else Data(None, draw.shape, integer=draw.distribution.discrete, dims=dims)

    # -- dims -----------------------------------------------------------------------------------
    def _bind_dims(self, name: str, dims: Dims, shape: Shape) -> tuple[Equality, ...]:
        equal: list[Equality] = []
        for dim, size in zip(dims, shape, strict=True):
            if dim is None:
                continue
            known = self.dims.setdefault(dim, size if size == ONE else _dim_size(dim, size.today))
            if known.today != size.today:
                raise data_messages.dim_length(name, dim, known.today, size.today, dim in self.coords)
            if known != size:
                equal.append((known, size))
        return tuple(equal)

    def _note_labels(self, name: str, dims: Dims, leaf: Data) -> None:
        """Take over the labels that came with the data; labels that differ from the model's are an error."""
        for dim, own in zip(dims, leaf.dims or (), strict=False):
            labels = leaf.coords.get(own) if own is not None else None
            if dim is None or labels is None:
                continue
            if self.coords.setdefault(dim, labels) != labels:
                raise data_messages.labels_differ(name, dim, self.coords[dim], labels)

    def _shape_of_dims(self, name: str, dims: Dims, values: Shape | None) -> Shape:
        if values is not None and len(values) != len(dims):
            raise data_messages.dims_rank(name, dims, values_of(values))
        sizes: list[Size] = []
        for axis, dim in enumerate(dims):
            if dim in self.dims:
                sizes.append(self.dims[dim])
            elif values is not None:
                sizes.append(values[axis])
            else:
                raise data_messages.unknown_dim(name, str(dim), self.dims)
            if values is not None and dim is not None and sizes[-1].today != values[axis].today:
                raise data_messages.dim_length(name, dim, sizes[-1].today, values[axis].today, dim in self.coords)
        return tuple(sizes)

    def _dims_of_arguments(self, draw: Draw) -> Iterator[tuple[int, Node, str]]:
        """Give each dim that an argument has along an axis of the draw, events aside; axes count from the end."""
        rank = draw.distribution.event_rank
        bounds = [(b, 0) for b in (draw.lower, draw.upper) if b is not None]
        arguments = zip(draw.args, (p.domain.event_rank for p in draw.distribution.parameters), strict=True)
        for node, event in [*arguments, *bounds]:
            own = self.facts.of(node).dims
            for axis in range(event + 1, len(own) + 1):
                at, dim = axis + rank - event, own[-axis]
                if dim is not None and at <= len(draw.shape) and node.shape[-axis].today == draw.shape[-at].today:
                    yield at, node, dim

    def _check_meeting(self, name: str, draw: Draw, dims: Dims) -> None:
        """Refuse an argument that runs along another dim than the variable itself."""
        for at, node, dim in self._dims_of_arguments(draw):
            own = dims[-at]
            if own is not None and draw.shape[-at].today != 1:
                self.facts.check_meeting("", [(name, own), (self.facts.speaker(node, dim), dim)], None)

    def _inherited_dims(self, draw: Draw) -> Dims:
        """Name each axis by the first argument that has a dim along it."""
        dims: list[str | None] = [None] * len(draw.shape)
        for at, _, dim in self._dims_of_arguments(draw):
            dims[-at] = dims[-at] or dim
        return self._event_dims(draw, dims)

    def _event_dims(self, draw: Draw, dims: list[str | None]) -> Dims:
        """Name the axes of an event by an argument that has events of the same rank."""
        rank = draw.distribution.event_rank
        for p, node in zip(draw.distribution.parameters, draw.args, strict=True):
            own = self.facts.of(node).dims
            for axis in range(1, rank + 1):
                if p.domain.event_rank == rank and node.shape[-axis].today == draw.shape[-axis].today:
                    dims[-axis] = dims[-axis] or own[-axis]
        return tuple(dims)

    # -- the whole ------------------------------------------------------------------------------
    def graph(self) -> Graph:
        """Give the model as an immutable graph."""
        entries = self.entries.values()
        return Graph(
            terms=tuple(
                Term(e.name, e.node, e.draw) for e in entries if e.draw and isinstance(e.node, Variable | Data)
            ),
            derived={e.name: e.node for e in entries if e.role == "derived"},
            data_names={node: name for node, name in self.named.items() if isinstance(node, Data)},
            equalities=tuple(pair for e in entries for pair in e.equalities),
        )

    def copy(self) -> Book:
        """Give a book that can change without changing this one; variables stay the same objects."""
        return Book(
            self.owner, self.identity, dict(self.entries), dict(self.dims), dict(self.coords), self.declared,
            dict(self.named),
        )


def read_labels(dim: str, labels: object) -> list[object]:
    """List the labels along a dim; a text is one label, not one per letter."""
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise data_messages.bad_labels(dim, labels)
    known = list(labels)
    counts = Counter(label for label in known if isinstance(label, Hashable))
    repeated = [label for label, count in counts.items() if count > 1]
    if repeated:
        raise data_messages.repeated_labels(dim, repeated)
    return known


def _dim_size(dim: str, length: int) -> Size:
    return ONE if length == 1 else Size.of(Symbol(dim, length, DIM))
