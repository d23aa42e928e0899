"""`ss.Series`: a distribution over a whole series, by the law of its next element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from scistan.distributions.called import told
from scistan.distributions.declaration import Distribution, StanForm
from scistan.distributions.options import set_options
from scistan.distributions.rule import SERIES, Rule, series_distribution
from scistan.distributions.unnamed import Observation, Unnamed
from scistan.domains import REAL, Domain
from scistan.errors import InternalError
from scistan.graph.body import Bound, close, free_bound
from scistan.graph.node import Node
from scistan.graph.walk import topological
from scistan.messages import series as messages
from scistan.ops.coerce import as_node
from scistan.ops.expression import Expression
from scistan.ops.scan import is_value
from scistan.ops.structure import Structure, leaves_in, structure_of
from scistan.shapes import GIVEN, Shape, Size, SizeConflict, broadcast, values_of

__all__ = ["Series", "UnformedSeries"]

GIVEN_START = "given"


def _not_yet(*_: object) -> NoReturn:
    raise InternalError("a series was asked for what it is before its law was read")


# What a series is until a model names it; in no registry, for it has neither density nor draws.
_BLANK = Distribution(
    name=SERIES, doc="", parameters=(), support=REAL, log_density=_not_yet, draw=_not_yet, stan=StanForm(), public=False
)


class Past:
    """The elements before the one that a law is asked for: `past[-1]` is the last."""

    def __init__(self, shape: Shape, integer: bool) -> None:
        self._shape, self._integer = shape, integer
        self.asked: dict[int, Bound] = {}

    def __getitem__(self, key: object) -> Expression:
        if not isinstance(key, int | np.integer) or isinstance(key, bool) or key >= 0:
            raise messages.bad_lag(key)
        lag = -int(key)
        if lag not in self.asked:
            self.asked[lag] = free_bound(self._shape, self._integer)
        return Expression(self.asked[lag])

    def __iter__(self) -> Any:
        raise messages.bad_lag("...")

    def __repr__(self) -> str:
        return "past"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What `ss.Series` was given."""

    law: Callable[..., object]
    starts: tuple[Unnamed, ...]
    given: bool
    forms: tuple[Structure, ...]  # of each element that the law is given
    over: tuple[Node, ...]
    state_form: Structure | None
    states: tuple[Node, ...]
    length: Size | None


class UnformedSeries(Unnamed):
    """A series whose law is read when its shape is known: how many axes an element has is for the model to say."""

    __slots__ = ("asked",)

    def __init__(self, asked: _Asked) -> None:
        super().__init__(_BLANK, ())
        self.asked = asked

    @property
    def length(self) -> Size | None:
        """How long it is, where what it runs over says so."""
        return self.asked.length

    def observe(self, values: object = None, *, dims: str | tuple[str, ...] | None = None) -> UnformedSeries:
        """Make this series the likelihood of `values`; without values, of data given later."""
        plain = super().observe(values, dims=dims)
        observed = UnformedSeries(self.asked)
        observed.size, observed.centred = self.size, self.centred
        observed.dims, observed.observation = plain.dims, plain.observation
        return observed

    def log_density(self, value: object) -> Expression:  # noqa: ARG002
        """Refuse: how long it is, and so its law, is for the model to say that names it."""
        raise messages.series_density()

    def draw(self) -> Unnamed:
        """Refuse: what goes on from a series is its forecast."""
        raise messages.series_draw()

    def formed(self, name: str, whole: Shape | None) -> Unnamed:
        """Read the law, for elements of the shape that is left of `whole`; without one the law says it."""
        if self.asked.given and self.observation is None:
            raise messages.given_latent(name)
        element = None if whole is None else whole[1:]
        if whole == ():
            raise messages.no_time_axis(name)
        over = self.asked.length
        if whole is not None and over is not None and whole[0].today != over.today:
            raise messages.other_length(name, whole[0].today, over.today)
        rule, args = _read(name, self.asked, element, self._is_integer)
        if self.observation is None and not rule.element.discrete:
            _check_supports(name, rule)
        made = Unnamed(series_distribution(rule, tuple(node.shape for node in args)), args)
        made.dims, made.centred, made.observation, made.place = self.dims, self.centred, self.observation, self.place
        if whole is None and self.asked.length is None:
            raise messages.no_length(name)
        made.size = None
        if whole is None and self.asked.length is not None:
            own = rule.shape[: len(rule.shape) - rule.element.event_rank]
            made.size = (self.asked.length, *own)
        length = self.asked.length if whole is None else whole[0]
        if length is not None and length.today <= rule.lead:
            raise messages.too_short(name, length.today, rule.lead)
        return made

    @property
    def _is_integer(self) -> bool:
        observed: Observation | None = self.observation
        return observed is not None and observed.values is not None and observed.values.integer


@told
def Series(  # it is used as the distributions are
    law: object,
    start: object = None,
    over: object = None,
    state: object = None,
    length: object = None,
    dims: str | tuple[str, ...] | None = None,
    centred: bool | None = None,
    centered: bool | None = None,
) -> UnformedSeries:
    """A series by the law of its next element: `law(past, *elements)` gives the distribution that follows.

    `past[-1]` is the element before, `past[-2]` the one before that. `start` is the distribution of the first element,
    a list of those of the first ones, or "given": as many as the law looks back are conditioned on. The arrays of
    `over` are as long as the series; the law of element t is given their elements t. With `state=` the law is
    `law(state, past, *elements)` and gives a pair, the next state and the distribution; the state may use the past
    only, and `state` is its value at the last start element. Time is the first axis; `dims` names it and those behind.
    Latent series are sampled by their innovations unless `centred=True`.

    >>> import scistan as ss
    >>> m = ss.Model("walk")
    >>> m.tau = ss.HalfNormal(1)
    >>> m.level = ss.Series(lambda past: ss.Normal(past[-1], m.tau), start=ss.Normal(0, 5), length=20)
    >>> m.level.shape
    (20,)
    """
    if not callable(law):
        raise messages.no_law(law)
    starts, given = _starts(start)
    forms, nodes = _over(over)
    state_form = None if state is None else structure_of(state, is_value)
    states = () if state_form is None else tuple(_real(leaf) for leaf in leaves_in(state, state_form))
    size = _length(nodes, length)
    made = UnformedSeries(_Asked(law, starts, given, forms, nodes, state_form, states, size))
    set_options(made, {"dims": dims, "centred": centered if centred is None else centred})
    return made


# -- what is given --------------------------------------------------------------------------------
def _starts(start: object) -> tuple[tuple[Unnamed, ...], bool]:
    if isinstance(start, str):
        if start != GIVEN_START:
            raise messages.bad_start(start)
        return (), True
    each: list[Any] = list(start) if isinstance(start, tuple | list) else [] if start is None else [start]
    for one in each:
        _check_plain(one, messages.bad_start)
    return tuple(each), False


def _check_plain(made: object, refused: Callable[[object], Exception]) -> None:
    if not isinstance(made, Unnamed) or isinstance(made, UnformedSeries) or made.distribution.potential:
        raise refused(made)
    if made.observation is not None or made.dims is not None or made.size is not None:
        raise messages.shaped_element(made.distribution.title)
    if made.lower is not None or made.upper is not None or made.constraint is not None:
        raise messages.bounded_element(made.distribution.title)


def _check_supports(name: str, rule: Rule) -> None:
    """Refuse a latent series whose elements do not lie in one range: its coordinates are those of a single one."""
    for d in (rule.element, *rule.starts):
        if not isinstance(d.support, Domain):
            raise messages.moving_support(name, d.title)
    own: Any = rule.element.support
    for d in rule.starts:
        found: Any = d.support
        if (found.lower, found.upper, found.structure) != (own.lower, own.upper, own.structure):
            raise messages.other_support(name, d.title, found.words, rule.element.title, own.words)


def _over(over: object) -> tuple[tuple[Structure, ...], tuple[Node, ...]]:
    each = [] if over is None else list(over) if isinstance(over, tuple) else [over]
    forms = tuple(structure_of(one, is_value) for one in each)
    nodes = tuple(as_node(leaf) for one, form in zip(each, forms, strict=True) for leaf in leaves_in(one, form))
    for node in nodes:
        if not node.shape:
            raise messages.no_axis()
    return forms, nodes


def _real(value: object) -> Node:
    node = as_node(value)
    return node if node.shape or not node.integer else as_node(Expression(node) * 1.0)


def _length(over: Sequence[Node], asked: object) -> Size | None:
    lengths = [node.shape[0] for node in over]
    if isinstance(asked, Size):
        lengths.insert(0, asked)
    elif isinstance(asked, int | np.integer) and not isinstance(asked, bool) and asked >= 1:
        lengths.append(Size.new(int(asked), rank=GIVEN))
    elif asked is not None:
        raise messages.bad_length(asked)
    if len({size.today for size in lengths}) > 1:
        raise messages.lengths_differ([size.today for size in lengths])
    return next((size for size in lengths if size.symbol is not None), lengths[0] if lengths else None)


# -- reading the law ------------------------------------------------------------------------------
def _read(name: str, asked: _Asked, element: Shape | None, integer: bool) -> tuple[Rule, tuple[Node, ...]]:
    """Call the law with values that stand for any; an element grows to the shape that the law gives it."""
    shape = _united(name, [_shape_of(one) for one in asked.starts], element)
    while True:
        read = _called(name, asked, shape, integer)
        grown = _united(name, [shape, _shape_of(read.made)], element)
        if len(grown) == len(shape):
            break
        shape = grown
    return _ruled(name, asked, read, shape)


def _shape_of(made: Unnamed) -> Shape:
    """Give the shape of a distribution's value by its arguments alone."""
    d = made.distribution
    pairs = zip(d.parameters, made.args, strict=True)
    batch, _ = broadcast(*(node.shape[: len(node.shape) - p.domain.event_rank] for p, node in pairs))
    return batch + (d.event_shape(d.named(made.args)) if d.event_shape else ())


def _united(name: str, shapes: Sequence[Shape], element: Shape | None) -> Shape:
    try:
        shape, _ = broadcast(*shapes)
        if element is None:
            return shape
        full, _ = broadcast(shape, element)
    except SizeConflict:
        raise messages.other_shape(name, [values_of(s) for s in (*shapes, *([element] if element else []))]) from None
    if values_of(full) != values_of(element):
        raise messages.other_shape(name, [values_of(shape), values_of(element)])
    return element


@dataclass(frozen=True, slots=True)
class _Called:
    """What a law gave for values that stand for any."""

    made: Unnamed
    states: tuple[Node, ...]
    given: tuple[tuple[Bound, ...], dict[int, Bound], tuple[Bound, ...]]  # states, the past by lags, elements


def _called(name: str, asked: _Asked, shape: Shape, integer: bool) -> _Called:
    discrete = integer or any(one.distribution.discrete for one in asked.starts)
    past = Past(shape, discrete)
    states = tuple(free_bound(node.shape) for node in asked.states)
    elements = tuple(free_bound(node.shape[1:], node.integer) for node in asked.over)
    values = map(Expression, elements)
    arguments: list[Any] = [] if asked.state_form is None else [asked.state_form.filled(map(Expression, states))]
    arguments += [past, *(form.filled(values) for form in asked.forms)]
    try:
        found = asked.law(*arguments)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:  # the call itself
            raise messages.not_readable(error, asked.state_form is not None, len(asked.forms)) from None
        raise
    following: tuple[Node, ...] = ()
    if asked.state_form is not None:
        if not isinstance(found, tuple) or len(found) != 2:
            raise messages.no_pair(found)
        state, found = found
        if structure_of(state, is_value) != asked.state_form:
            raise messages.other_state(str(structure_of(state, is_value)), str(asked.state_form))
        following = tuple(as_node(leaf) for leaf in leaves_in(state, asked.state_form))
        for own, new in zip(asked.states, following, strict=True):
            if values_of(own.shape) != values_of(new.shape):
                raise messages.other_state_shape(values_of(own.shape), values_of(new.shape))
    _check_plain(found, messages.no_distribution)
    return _Called(found, following, (states, past.asked, elements))  # type: ignore[arg-type]


def _ruled(name: str, asked: _Asked, read: _Called, shape: Shape) -> tuple[Rule, tuple[Node, ...]]:
    states, past, elements = read.given
    lags = tuple(sorted(past))
    lead = max(lags, default=0)
    starts = asked.starts * lead if len(asked.starts) == 1 and lead > 1 else asked.starts
    if asked.given:
        if not lead:
            raise messages.nothing_to_give(name)
    elif len(starts) < lead:
        raise messages.too_few_starts(name, len(starts), lead)
    body, outside = close((*states, *(past[k] for k in lags), *elements), (*read.states, *read.made.args))
    if any(isinstance(leaf, Bound) for leaf in topological(outside)):
        raise messages.within_another(name)
    d = read.made.distribution
    for one in starts:
        if one.distribution.discrete != d.discrete:
            raise messages.other_kind(name, one.distribution.title, d.title)
    rule = Rule(d, tuple(one.distribution for one in starts), lead if asked.given else 0, lags, len(states),
                len(elements), body, shape)
    start_args = tuple(arg for one in starts for arg in one.args)
    return rule, (*start_args, *asked.states, *asked.over, *outside)
