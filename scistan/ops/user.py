"""Ops of the user's own, declared as SciStan's are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.errors import Place, ScistanError
from scistan.given import check_field, is_name, is_switch, is_whole
from scistan.graph.places import user_place
from scistan.messages import declared as messages_of_own
from scistan.ops.declaration import (
    REGISTRY,
    Attributes,
    Call,
    Implementation,
    Op,
    ShapeRule,
    StanForm,
    Template,
    declare,
)
from scistan.ops.derivative import read
from scistan.ops.expression import Expression, function_of
from scistan.ops.own_stan import note_own_stan
from scistan.ops.tables import CHECKS, FUNCTIONS
from scistan.shapes import Equality, Shape, Size, SizeConflict, values_of

__all__ = ["declare_op"]

_declared_here: set[str] = set()


def declare_op(
    name: str,
    doc: str,
    *,
    numpy: Implementation,
    torch: Implementation,
    stan: str | StanForm,
    functions: str = "",
    vectorizes: bool = False,
    arity: int = 1,
    shape: Callable[..., Any] | None = None,
    integer: bool = False,
    latex: str = "",
    gradient: str | tuple[str, ...] | Callable[..., Any] | None = None,
) -> Callable[..., Expression]:
    """Declare an op of one's own and give its function.

    `numpy` and `torch` are a name in that library or a function of the library and the arrays; a formula
    that both understand is written once. `stan` is the name of a Stan function, or text with `{0}`, `{1}`, …
    for the arguments; `functions` defines what it calls, for Stan's `functions` block. Without `shape` the op
    works element by element; `shape(shapes, attributes)` is given the arguments' shapes and gives the result's, whose
    lengths it takes from them. `gradient` is how slopes go back: `gradient(upstream, out, *arguments)` gives, in
    SciStan's operations, what goes to each argument; element by element the derivative in each will do, as a formula
    in `x`, `y`, `z` and `out`. It is checked against differences of the `numpy` function. Declaring one's own op again
    replaces it; SciStan's names are refused.

    >>> import scistan as ss
    >>> from scistan.ops import declare_op
    >>> def formula(xp, x, c):
    ...     return x / xp.sqrt(1 + (x / c) ** 2)
    >>> soft_limit = declare_op("soft_limit", "Limit `x` softly to `c`.", arity=2, numpy=formula, torch=formula,
    ...                         stan="{0} / sqrt(1 + square({0} / {1}))")
    >>> m = ss.Model()
    >>> m.x = ss.Normal(0, 1, shape=3)
    >>> soft_limit(m.x, 2.5)
    <soft_limit(x, 2.5) of shape (3,)>
    """
    check_field("declare_op", "name", name, "a name of Python", is_name(name))
    free = name in _declared_here or not _is_taken(name)
    check_field("declare_op", "name", name, "a name that SciStan does not have", free)
    for field, text in {"doc": doc, "functions": functions, "latex": latex}.items():
        check_field("declare_op", field, text, "a text", isinstance(text, str))
    for field, switch in {"vectorizes": vectorizes, "integer": integer}.items():
        check_field("declare_op", field, switch, "True or False", is_switch(switch))
    for field, function in {"numpy": numpy, "torch": torch}.items():
        words = "a function, or the name of one in that library"
        check_field("declare_op", field, function, words, callable(function) or _is_said(function))
    check_field("declare_op", "stan", stan, "a text", _is_said(stan) or isinstance(stan, StanForm))
    check_field("declare_op", "arity", arity, "a whole number of at least 1", is_whole(arity))
    check_field("declare_op", "shape", shape, "a function of the shapes, or None", shape is None or callable(shape))
    if not isinstance(stan, str):
        form = stan
    elif "{" in stan:
        form = Template(f"({stan})", vectorizes=vectorizes, functions=functions)
    else:
        form = Call(stan, vectorizes=vectorizes, functions=functions)
    check_field("declare_op", "gradient", gradient, "a function, or a formula for each argument",
                gradient is None or _is_gradient(gradient, arity, shape is None))
    rule = None if shape is None else _checked(name, shape, user_place())
    fields: dict[str, Any] = {
        "arity": arity, "shape": rule, "integer": integer, "latex": latex,
        "gradient": (gradient,) if isinstance(gradient, str) else gradient,
    }
    own = numpy if isinstance(numpy, str) else _told(name, numpy, user_place())
    before = REGISTRY.get(name)
    op = declare(name, doc, numpy=own, torch=torch, stan=form, **fields)
    if gradient is not None:
        _check_gradient(op, before)
    _declared_here.add(name)
    note_own_stan(f"operation `{name}`", stan if isinstance(stan, str) else "", functions=functions)
    return function_of(op)


def _told(name: str, function: Callable[..., Any], place: Place | None) -> Callable[..., Any]:
    """Give a function of the user's for NumPy, whose failures are told of the declaration."""

    def computed(xp: Any, *arrays: Any, **attributes: Any) -> Any:
        try:
            return function(xp, *arrays, **attributes)
        except ScistanError:
            raise
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise messages_of_own.implementation_failed(name, why, place) from error

    return computed


def _checked(name: str, rule: Callable[..., Any], place: Place | None) -> ShapeRule:
    """Take a shape, or a pair of a shape and equalities, from a rule of the user's; all else is told of the rule."""

    def checked(shapes: tuple[Shape, ...], attributes: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
        given = [values_of(shape) for shape in shapes]
        try:
            found = rule(shapes, attributes)
        except (SizeConflict, ScistanError):
            raise
        except Exception as error:
            raise messages_of_own.shape_rule_failed(name, f"fails ({error})", given, place) from error
        pair = isinstance(found, tuple) and len(found) == 2 and all(isinstance(part, tuple) for part in found)
        lengths, equal = found if pair else (found, ())
        if not isinstance(lengths, tuple) or not all(isinstance(n, Size | int) for n in lengths):
            raise messages_of_own.shape_rule_failed(name, f"gives {found!r}", given, place)
        return tuple(n if isinstance(n, Size) else Size(n) for n in lengths), equal

    return checked


def _is_gradient(gradient: object, arity: int, elementwise: bool) -> bool:
    """Tell whether something can be a gradient: a function, or a formula for each argument of an elementwise op."""
    formulas = (gradient,) if isinstance(gradient, str) else gradient
    if isinstance(formulas, tuple):
        return elementwise and len(formulas) == arity and all(map(_is_formula, formulas))
    return callable(gradient)


def _is_formula(text: object) -> bool:
    try:
        read(str(text))
    except (SyntaxError, ValueError, KeyError):
        return False
    return _is_said(text)


def _check_gradient(op: Op, before: Op | None) -> None:
    """Hold a gradient to differences; an op whose gradient is wrong is not declared."""
    try:
        CHECKS["gradient"](op, user_place())
    except ScistanError:
        REGISTRY.pop(op.name)
        if before is not None:
            REGISTRY[op.name] = before
        raise


def _is_said(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


def _is_taken(name: str) -> bool:
    return name in REGISTRY or name in FUNCTIONS
