"""Slopes that have no formula in our ops: an op of their own, whose kernel differentiates the op's formula itself.

On NumPy by numbers with a slope (`duals.py`), on torch and JAX by their forward mode. First and second derivatives are
declared; Stan has no form of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from importlib import import_module
from typing import Any

from scistan.ops.declaration import REGISTRY, Gap, Never, NotYet, Op, Slope, declare
from scistan.ops.expression import Expression, build

__all__ = ["declare_slopes"]

Array = Any
Formula = Callable[..., Array]
_WHOLE = Never("counts are whole numbers")


def declare_slopes(
    name: str, formula: Formula, arguments: tuple[str, ...], wrt: Collection[str], whole: Collection[str] = (),
    jax: Gap | None = None,
) -> dict[str, Slope]:
    """Declare the slopes of an op in some of its arguments; give what its own declaration says of each of them.

    `formula(xp, *arguments)` computes the op on every library. Arguments that are `whole` numbers have no slopes.
    """
    found: dict[str, Slope] = {}
    for one in wrt:
        bends = tuple(
            _WHOLE if other in whole else _declared(name, formula, arguments, (one, other), jax) for other in arguments
        )
        found[one] = _declared(name, formula, arguments, (one,), jax, bends)
    return found


def _declared(
    name: str, formula: Formula, arguments: tuple[str, ...], wrt: tuple[str, ...], jax: Gap | None,
    gradient: tuple[Slope, ...] = (),
) -> Slope:
    places = tuple(arguments.index(one) for one in wrt)
    third = NotYet(f"there is no third derivative of `{name}`")
    op = declare(
        f"{name}_by_{'_'.join(wrt)}", f"The derivative of `{name}` in {' and '.join(wrt)}.", arity=len(arguments),
        arguments=arguments, public=False,
        numpy=lambda _, *args: _by_duals(formula, args, places),
        torch=lambda xp, *args: _jvp("torch.func", xp, formula, args, places),
        jax=jax or (lambda xp, *args: _jvp("jax", xp, formula, args, places)),
        gradient=gradient or (third,) * len(arguments),
    )
    return lambda _, *args: _applied(op, *args)


def _applied(op: Op, *args: Expression) -> Expression:
    return build(REGISTRY[op.name], *args)


def _by_duals(formula: Formula, args: tuple[Array, ...], places: tuple[int, ...]) -> Array:
    from scistan.ops import duals  # which needs SciPy

    return duals.along(formula, duals, args, *places)


def _jvp(module: str, xp: Any, formula: Formula, args: tuple[Array, ...], places: tuple[int, ...]) -> Array:
    """Differentiate by a library's forward mode."""
    jvp = import_module(module).jvp

    def differentiated(formula: Formula, k: int) -> Formula:
        def slope(xp: Any, *given: Array) -> Array:
            def of_one(x: Array) -> Array:
                return formula(xp, *given[:k], x, *given[k + 1 :])

            return jvp(of_one, (given[k],), (xp.ones_like(given[k]),))[1]

        return slope

    for k in places:
        formula = differentiated(formula, k)
    return formula(xp, *args)
