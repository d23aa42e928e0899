"""A latent series by its innovations: what each element adds, in its own scale, to what those before it say."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache

from scistan.distributions.declaration import REGISTRY, Distribution
from scistan.distributions.rule import Rule, Taken, pieces_of, rule_of, series_distribution, taken_apart
from scistan.distributions.standard import Frame, frame_of, is_zero
from scistan.errors import InternalError
from scistan.graph.body import Bound, close, free_bound, put_in
from scistan.graph.graph import Law, Term
from scistan.graph.node import Literal, Node, Variable, is_applied, literal
from scistan.graph.walk import topological
from scistan.ops import FUNCTIONS
from scistan.ops.along_steps import along_steps
from scistan.ops.expression import Expression
from scistan.ops.reductions import CUMSUM
from scistan.ops.scan import SCAN, SCANNED
from scistan.shapes import Shape

__all__ = ["Innovations", "has_innovations", "innovations_law", "innovations_of", "lifted", "repeated", "standard_law"]

concatenate, diagonal, log, matmul, transpose = (
    FUNCTIONS[name] for name in ("concatenate", "diagonal", "log", "matmul", "transpose")
)


def has_innovations(law: Law) -> bool:
    """Tell whether every element of a series is a location and a scale times something free of both."""
    rule = rule_of(law)
    if rule is None or rule.given or not _has_frame(rule.element):
        return False
    if not all(_has_frame(d) or _is_free(d) for d in rule.starts):
        return False
    return innovations_law(law) is not None


def _has_frame(d: Distribution) -> bool:
    return d.location_scale is not None


def _is_free(d: Distribution) -> bool:
    """Tell whether a distribution lives on the whole line, so that its values are their own coordinates."""
    return not d.event_rank and not d.discrete and d.support == REGISTRY["Normal"].support


@lru_cache(maxsize=256)
def innovations_of(law: Law) -> Innovations:
    """Give the innovations of a latent series."""
    return Innovations(law)


class Innovations:
    """The way between a latent series and its innovations, as nodes over leaves `z` and `x` that stand for both."""

    def __init__(self, law: Law) -> None:
        rule = rule_of(law)
        if rule is None:
            raise InternalError("only a series has innovations")
        self.law, self.rule = law, rule
        self.z = Variable("z", law.shape, self, None)
        self.x = Variable("x", law.shape, self, None)

    # -- from innovations to the series -------------------------------------------------------------
    @cached_property
    def value(self) -> Node:
        """The series at innovations `z`."""
        return self.at(Expression(self.z))

    def at(self, z: Expression) -> Node:
        """Give the series at innovations."""
        rule, taken = self.rule, taken_apart(self.law)
        pairs = enumerate(zip(rule.starts, taken.starts, strict=True))
        starts = [self._as_element(self._moved(self._frame(d, args), z[k])) for k, (d, args) in pairs]
        whole = self._walk(taken, starts, z)
        if whole is None:
            parts = [one[None] for one in starts] + [self._recurrence(taken, starts, z)]
            whole = parts[0] if len(parts) == 1 else concatenate(parts, 0)
        return whole._scistan_node_

    def _frame(self, d: Distribution, args: tuple[Node, ...]) -> Frame:
        """Give location and scale; a family without lives on the whole line, by itself."""
        found = frame_of(Law(d, args, self.rule.shape))
        return found or Frame(literal(0.0), literal(1.0), is_matrix=False)

    def _moved(self, frame: Frame, z: Expression) -> Expression:
        location, scale = map(Expression, frame.nodes)
        moved = matmul(scale, z) if frame.is_matrix else z if _is_one(frame.scale) else scale * z
        return moved if is_zero(frame.location) else location + moved

    def _tail(self, z: Expression) -> Expression:
        return z[self.rule.lead :] if self.rule.lead else z

    def _walk(self, taken: Taken, starts: list[Expression], z: Expression) -> Expression | None:
        """Write `before + step` with a step that does not look back as a running sum."""
        rule = self.rule
        if rule.lags != (1,) or rule.lead != 1 or rule.states or self._is_matrix:
            return None
        step = _added_to_past(rule, self._location)
        if step is None or _depends(rule.body.results[self._scale], rule.body.parameters[0]):
            return None
        args = list(rule.body.results)
        args[self._location] = step
        body, _ = close(rule.body.parameters, tuple(args))
        inner = self._tail(z)
        over = [Expression(node)[1:]._scistan_node_ for node in taken.over]
        nothing = self._tail(z)._scistan_node_  # stands for the past, which no result reads
        found, moving = along_steps(body, (), [nothing, *over], taken.free, inner._scistan_node_.shape[0])
        location, scale = (lifted(found[k], moving[k], len(rule.shape)) for k in (self._location, self._scale))
        moved = scale * inner
        added = moved if is_zero(location._scistan_node_) else location + moved
        steps = concatenate([starts[0][None], added], 0)._scistan_node_
        return Expression(CUMSUM.build((steps,), {"axis": -len(steps.shape)}))

    def _recurrence(self, taken: Taken, starts: list[Expression], z: Expression) -> Expression:
        """Carry the last elements from step to step, each the next location and scale times its innovation."""
        rule = self.rule
        reach = max(rule.lags, default=0)
        past = [free_bound(rule.shape) for _ in range(reach)]
        states = [free_bound(node.shape) for node in taken.states]
        own = free_bound(rule.shape)
        over = [free_bound(node.shape[1:], node.integer) for node in taken.over]
        results = put_in(rule.body, [*states, *(past[k - 1] for k in rule.lags), *over, *taken.free])
        following, args = results[: rule.states], tuple(results[rule.states :])
        made = self._moved(self._frame(rule.element, args), Expression(own))
        x = self._as_element(made)._scistan_node_
        carried = [x, *past[:-1]] if reach else []
        given: tuple[Bound, ...] = (*past, *states, own, *over)
        body, outside = close(given, (*carried, *following, *(() if reach else (x,))))
        inner = self._tail(z)._scistan_node_
        elements = [Expression(node)[rule.lead :]._scistan_node_ if rule.lead else node for node in taken.over]
        before = [one._scistan_node_ for one in reversed(starts[len(starts) - reach :])]
        counts = {"states": reach + rule.states, "elements": 1 + len(elements)}
        loop = SCAN.build(
            (*before, *taken.states, inner, *elements, *outside),
            {"body": body, "length": inner.shape[0], "reverse": False, **counts},
        )
        output = 0 if reach else rule.states
        return Expression(SCANNED.build((loop,), {"inner": body.results[output].shape, "output": output}))

    def _as_element(self, one: Expression) -> Expression:
        return repeated(one, self.rule.shape)

    @property
    def _is_matrix(self) -> bool:
        d = self.rule.element
        scale = (d.location_scale or ("", ""))[1]
        return next(p.domain.event_rank for p in d.parameters if p.name == scale) == 2

    @property
    def _location(self) -> int:
        return self._number(0)

    @property
    def _scale(self) -> int:
        return self._number(1)

    def _number(self, which: int) -> int:
        names = [p.name for p in self.rule.element.parameters]
        return self.rule.states + names.index((self.rule.element.location_scale or ("", ""))[which])

    # -- and back -----------------------------------------------------------------------------------
    @cached_property
    def standard(self) -> Node:
        """The innovations of a series `x`."""
        return self.standard_of(self.x)

    @cached_property
    def log_scale(self) -> Node:
        """The log scale of every element of a series `x`: their sum is how much larger its space is."""
        return self.log_scale_of(self.x)

    def standard_of(self, x: Node) -> Node:
        """Give the innovations of a series."""
        return self._joined([self._apart(frame, value) for frame, value in self._frames(x)])

    def log_scale_of(self, x: Node) -> Node:
        """Give the log scale of every element of a series."""
        parts = []
        for frame, value in self._frames(x):
            scale = Expression(frame.scale)
            parts.append(repeated(log(diagonal(scale) if frame.is_matrix else scale), value.shape))
        return self._joined(parts)

    def _frames(self, x: Node) -> list[tuple[Frame, Node]]:
        terms = pieces_of(Term("", x, self.law))  # type: ignore[arg-type]
        return [(self._frame(t.law.distribution, t.law.args), t.value) for t in terms]

    def _apart(self, frame: Frame, value: Node) -> Expression:
        location, scale = map(Expression, frame.nodes)
        apart = Expression(value) - location
        if not frame.is_matrix:
            return apart / scale
        if len(frame.scale.shape) > 2:
            return matmul(FUNCTIONS["inverse"](scale), apart[..., None])[..., 0]
        if len(value.shape) == 1:
            return FUNCTIONS["solve_lower"](scale, apart)
        return transpose(FUNCTIONS["solve_lower"](scale, transpose(apart)))

    def _joined(self, parts: list[Expression]) -> Node:
        rank = len(self.law.shape)
        wide = [part if len(part.shape) == rank else part[None] for part in parts]
        whole: Expression = wide[0] if len(wide) == 1 else concatenate(wide, 0)
        return whole._scistan_node_


def repeated(value: Expression, shape: Shape) -> Expression:
    """Repeat a value to a shape that it does not have already."""
    wide: Expression = value if len(value.shape) == len(shape) else FUNCTIONS["broadcast_to"](value, shape)
    return wide


def _is_one(node: Node) -> bool:
    return isinstance(node, Literal) and node.value == 1


def lifted(node: Node, moving: bool, rank: int) -> Expression:
    """Give what moves with the steps as many axes behind that one as an element has."""
    missing = rank - (len(node.shape) - 1)
    return Expression(node)[(slice(None), *(None,) * missing, Ellipsis)] if moving and missing else Expression(node)


def _depends(node: Node, on: Node) -> bool:
    return on in set(topological([node]))


def _added_to_past(rule: Rule, location: int) -> Node | None:
    """Give what a location adds to the element before: `past + a + b` is `a + b`; None for any other form."""
    past = rule.body.parameters[0]
    rest: list[Node] = []
    found = 0
    stack = [rule.body.results[location]]
    while stack:
        node = stack.pop()
        if node is past:
            found += 1
        elif is_applied(node, "add") and _depends(node, past):
            stack += node.args
        elif is_applied(node, "subtract") and _depends(node.args[0], past) and not _depends(node.args[1], past):
            stack.append(node.args[0])
            rest.append(FUNCTIONS["negative"](Expression(node.args[1]))._scistan_node_)
        elif _depends(node, past):
            return None
        else:
            rest.append(node)
    if found != 1:
        return None
    step = Expression(literal(0.0)) if not rest else Expression(rest[0])
    for node in rest[1:]:
        step = step + Expression(node)
    return step._scistan_node_


# -- what innovations follow ----------------------------------------------------------------------
def standard_law(law: Law) -> Law:
    """Give the law of standard coordinates: the family's own at location 0 and scale 1, of independent numbers."""
    d: Distribution = law.distribution
    if d.rule is not None:
        found = innovations_law(law)
        if found is None:
            raise InternalError("a series that has no innovations was taken to have some")
        return found
    if d.event_rank:  # vectors of the normal family are made of independent standard normals
        return replace(law, distribution=REGISTRY["StdNormal"], args=(), noncentred=False)
    family, args = _standard_form(d, law.args)
    return replace(law, distribution=family, args=args, noncentred=False)


def innovations_law(law: Law) -> Law | None:
    """Give the distribution of the innovations of a series; None where it looks back itself."""
    rule, taken = rule_of(law), taken_apart(law)
    if rule is None:
        return None
    families = {rule.element, *rule.starts}
    if all(d.name == "Normal" or (d.event_rank and d.location_scale) for d in families):
        return replace(law, distribution=REGISTRY["StdNormal"], args=(), noncentred=False)
    if rule.element.event_rank:
        return None
    moving = set(rule.body.parameters[: rule.states + len(rule.lags)])
    _, results = _standard_form(rule.element, rule.body.results[rule.states :])
    if any(node in moving for node in topological(results)):
        return None
    kept = rule.body.parameters[rule.states + len(rule.lags) :]
    fresh = [free_bound(p.shape, p.integer) for p in kept[: rule.over]]
    stand_in = [*([literal(0.0)] * (rule.states + len(rule.lags))), *fresh, *taken.free]
    over_all = put_in(rule.body, stand_in)[rule.states :]
    element, results = _standard_form(rule.element, tuple(over_all))
    body, outside = close(tuple(fresh), results)
    starts = [_standard_form(d, args) for d, args in zip(rule.starts, taken.starts, strict=True)]
    made = Rule(element, tuple(d for d, _ in starts), 0, (), 0, rule.over, body, rule.shape)
    args = (*(arg for _, own in starts for arg in own), *taken.over, *outside)
    return replace(
        law, distribution=series_distribution(made, tuple(node.shape for node in args)), args=args, noncentred=False
    )


def _standard_form(d: Distribution, args: tuple[Node, ...]) -> tuple[Distribution, tuple[Node, ...]]:
    """Give a family at location 0 and scale 1: Stan's own form of it for a normal, itself where it has neither."""
    if d.name == "Normal":
        return REGISTRY["StdNormal"], ()
    if d.location_scale is None:
        return d, args
    location, scale = d.location_scale
    named = {**d.named(args), location: literal(0.0), scale: literal(1.0)}
    return d, tuple(named.values())
