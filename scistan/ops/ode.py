"""Differential equations: a state that moves by a slope written in the language itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.graph.body import Body, Bound, close, free_bound
from scistan.graph.node import Apply, Extent, Literal, Node, literal
from scistan.graph.places import copy_places, remember, user_place
from scistan.graph.walk import has_latents, rebuild
from scistan.messages import equations as messages
from scistan.ops.coerce import as_node
from scistan.ops.declaration import Gap, NotYet, Op, declare
from scistan.ops.expression import Expression
from scistan.ops.scan import as_wide, is_value, result_of, steps_axes, steps_shape
from scistan.ops.shaping import broadcast_to
from scistan.ops.structure import Structure, leaves_in, structure_of
from scistan.shapes import Shape, SizeConflict, broadcast, values_of

__all__ = ["METHODS", "ODE", "ode"]

METHODS = ("rk45", "bdf", "adams", "ckrk")

# Its arguments are laid out as those of a recurrence are: the states at `t0`, the times as what is run over (so that
# the time itself is the element of a step), then `t0`, then what the slope takes from outside.
ODE = declare(
    "ode", "A differential equation, solved at given times.", arity=None, shape=steps_shape, axes=steps_axes,
    numpy="scistan.targets.scipy.equations:solve", torch="scistan.targets.torch.equations:solve",
    jax=Gap("differential equations are solved with SciPy, PyTorch and Stan only"), public=False, binds=True,
    gradient=NotYet("the graph of a gradient does not go back through an equation; torch's and Stan's do"),
)  # fmt: skip


def ode(
    rhs: object,
    y0: object,
    t0: object,
    times: object,
    method: str = "rk45",
    rtol: float = 1e-6,
    atol: float = 1e-6,
    max_steps: int = 10_000,
) -> Any:
    """Solve a differential equation: `rhs(t, state)` gives the slope of the state, which is `y0` at `t0`.

    What is given back has an axis over the times in front, without `t0`. A state may be a number, a vector, or a tuple
    or dict of them; the slope has its form. The times increase and begin after `t0`. `rtol` and `atol` are the errors
    allowed in a step, relative and absolute; `max_steps` is the most steps from one time to the next. For a stiff
    equation choose `method="bdf"`.

    >>> import scistan as ss
    >>> m = ss.Model("decay")
    >>> m.rate = ss.HalfNormal(1)
    >>> m.left = ss.ode(lambda t, amount: -m.rate * amount, y0=10.0, t0=0, times=[1.0, 2.0, 4.0])
    >>> m.left.shape
    (3,)
    """
    if not callable(rhs):
        raise messages.no_slope(rhs)
    place = user_place()
    _check_options(method, rtol, atol, max_steps)
    form = structure_of(y0, is_value)
    states = [_real(value) for value in leaves_in(y0, form)]
    start, series = _real(t0), as_node(times)
    if start.shape:
        raise messages.no_number(values_of(start.shape))
    if len(series.shape) != 1:
        raise messages.no_times(values_of(series.shape))
    body, outside = _read(rhs, form, states)
    for parameter in body.parameters[: len(states)]:
        if len(parameter.shape) > 1:
            raise messages.matrix_state(values_of(parameter.shape))
    states = [as_wide(state, parameter) for state, parameter in zip(states, body.parameters, strict=False)]
    attributes = {
        "body": body, "length": series.shape[0], "states": len(states), "elements": 1, "method": method,
        "rtol": float(rtol), "atol": float(atol), "max_steps": int(max_steps),
    }  # fmt: skip
    node = ODE.build((*states, series, start, *outside), attributes)
    remember(node, place)
    return form.filled(result_of(node, body, k, place) for k in range(len(states)))


def _check_options(method: object, rtol: object, atol: object, max_steps: object) -> None:
    if not isinstance(method, str) or method not in METHODS:
        raise messages.unknown_method(method, METHODS)
    for name, value in (("rtol", rtol), ("atol", atol)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            raise messages.bad_tolerance(name, value)
    if isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1:
        raise messages.bad_step_limit(max_steps)


def _real(value: object) -> Node:
    node = as_node(value)
    return literal(float(node.value)) if isinstance(node, Literal) else node


def _read(rhs: Callable[..., Any], form: Structure, states: list[Node]) -> tuple[Body, tuple[Node, ...]]:
    """Call the function with values that stand for any; a state grows to the shape that its slope has."""
    shapes = [state.shape for state in states]
    while True:
        given = [free_bound(shape) for shape in shapes]
        moment, start = free_bound(()), free_bound(())
        slopes = _called(rhs, form, moment, given)
        grown = [_united(shape, slope.shape) for shape, slope in zip(shapes, slopes, strict=True)]
        if [len(shape) for shape in grown] == [len(shape) for shape in shapes]:
            break
        shapes = grown
    wide = [_repeated(slope, shape) for slope, shape in zip(slopes, grown, strict=True)]
    return _closed((*given, moment, start), tuple(wide))


def _closed(given: tuple[Bound, ...], slopes: tuple[Node, ...]) -> tuple[Body, tuple[Node, ...]]:
    """Make a body of slopes that takes few latent numbers from outside: solvers move a sensitivity for each.

    What follows from others that come in anyway is computed inside: `a` and `-a` are one number.
    """
    taken: list[Node] = []
    while True:
        body, outside = close(given, slopes)
        follows = {node for node in outside if _follows(node, set(outside))}
        behind = dict.fromkeys(arg for node in outside if node in follows for arg in node.args)
        new = {node: free_bound(node.shape, node.integer) for node in behind if node in outside and node not in follows}
        if not new:
            return body, (*taken, *outside)
        memo: dict[Node, Node] = rebuild(slopes, _rebuilt, {**new, **{one: one for one in given}})
        given, slopes = (*given, *new.values()), tuple(memo[slope] for slope in slopes)
        taken += new


def _follows(node: Node, known: set[Node]) -> bool:
    """Tell whether a latent quantity is a formula of known ones and of numbers."""
    if not isinstance(node, Apply) or not isinstance(node.op, Op) or not node.op.elementwise or not has_latents(node):
        return False
    return all(arg in known or isinstance(arg, Literal | Extent) for arg in node.args)


def _rebuilt(node: Node, args: tuple[Node, ...]) -> Node:
    if not isinstance(node, Apply) or not isinstance(node.op, Op) or args == node.args:
        return node
    made = node.op.build(args, dict(node.attributes))
    copy_places(node, made)
    return made


def _united(state: Shape, slope: Shape) -> Shape:
    try:
        united, _ = broadcast(state, slope)
    except SizeConflict:
        raise messages.other_shape(values_of(state), values_of(slope)) from None
    if len(united) == len(state) and values_of(united) == values_of(state):
        return state
    if len(slope) == len(state):
        raise messages.other_shape(values_of(state), values_of(slope))
    return united


def _repeated(slope: Node, shape: Shape) -> Node:
    if values_of(slope.shape) == values_of(shape):
        return slope
    wide: Node = broadcast_to(Expression(slope), shape)._scistan_node_
    return wide


def _called(rhs: Callable[..., Any], form: Structure, moment: Bound, given: list[Bound]) -> list[Node]:
    state = form.filled(map(Expression, given))
    try:
        found = rhs(Expression(moment), state)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:  # the call itself
            raise messages.not_callable(error) from None
        raise
    whole = structure_of(found, is_value)
    if whole != form:
        raise messages.other_structure(str(whole), str(form))
    return [as_node(leaf) for leaf in leaves_in(found, whole)]
