"""`ss.grad` and its kin on models, on expressions of one, and on plain functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scistan.graph.node import Node
from scistan.inference.density import check_complete
from scistan.inference.model_function import ExpressionFunction, ModelFunction
from scistan.inference.summed import summed
from scistan.messages import transforms as messages
from scistan.ops.expression import Expression
from scistan.settings import said
from scistan.shapes import values_of
from scistan.transforms import functions
from scistan.transforms.backends import Wanted, open_backend
from scistan.transforms.computation import Computation, instance_of
from scistan.transforms.on_graph import OnGraph
from scistan.transforms.tree import tree_flatten, tree_map, tree_unflatten

__all__ = [
    "array", "full", "grad", "hessian", "hvp", "jacobian", "jit", "ones", "tree_flatten", "tree_map", "tree_unflatten",
    "value_and_grad", "vmap", "zeros",
]

Function = Callable[..., Any]
_SETTINGS = ("backend", "dtype", "device")


def _asked(backend: object) -> Callable[[], Wanted]:
    """Give what tells who is to compute: as the call says, else the settings where it was made, else where it runs."""
    made = Wanted(said("backend") if backend is None else backend, said("dtype"), said("device"))

    def wanted() -> Wanted:
        now = {name: said(name) for name in _SETTINGS if getattr(made, name) is None}
        return replace(made, **now)

    return wanted


def _function_of(target: object, wanted: Callable[[], Wanted]) -> ModelFunction | ExpressionFunction | None:
    """Give what can be asked of a model or an expression; None for a plain function."""
    if isinstance(target, Expression):
        return ExpressionFunction(target, wanted)
    instance = getattr(target, "instance", None)
    if instance is not None and not callable(target):
        on = summed(instance())
        check_complete(on)
        return ModelFunction(on, wanted)
    if not callable(target):
        raise messages.not_differentiable(target)
    return None


def _of_model(target: object) -> ModelFunction | ExpressionFunction | None:
    """Give what a function is a transform of: a model, an expression, or None for any other."""
    owner = getattr(target, "__self__", None)
    return owner if isinstance(owner, ModelFunction | ExpressionFunction) else None


def grad(target: Any, argnums: Any = 0, *, wrt: Any = None, backend: str | None = None) -> Any:
    """Differentiate: a function for the gradient, of the same arguments as `target`.

    Of a model it is the gradient of `m.log_density` at constrained values, without Jacobian: a function of a dict of
    values. Of an expression it is a function of the latents' values; with `wrt` it is an expression itself, which a
    model can use. Of a plain function of arrays, `argnums` tells in which arguments; results are nested as they are.

    >>> import numpy as np
    >>> import scistan as ss
    >>> ss.grad(lambda x: ss.sum(x ** 3))(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    if wrt is not None:
        return _expression_gradient("grad", target, wrt)[1]
    asked = _asked(backend)
    own = _function_of(target, asked)
    return functions.grad(target, argnums, asked) if own is None else own.grad


def value_and_grad(target: Any, argnums: Any = 0, *, wrt: Any = None, backend: str | None = None) -> Any:
    """Differentiate as `grad` does, and give the value beside the gradient."""
    if wrt is not None:
        return _expression_gradient("value_and_grad", target, wrt)
    asked = _asked(backend)
    own = _function_of(target, asked)
    return functions.value_and_grad(target, argnums, asked) if own is None else own.value_and_grad


def hessian(target: Any, argnums: Any = 0, *, backend: str | None = None) -> Any:
    """Differentiate twice: a function for the second derivatives, nested twice as the arguments are."""
    asked = _asked(backend)
    own = _function_of(target, asked)
    return functions.hessian(target, argnums, asked) if own is None else own.hessian


def hvp(target: Any, argnums: Any = 0, *, backend: str | None = None) -> Any:
    """Give a function of arguments and of a vector nested alike for the Hessian times the vector.

    The arguments of a plain function of several are a tuple.
    """
    asked = _asked(backend)
    own = _function_of(target, asked)
    return functions.hvp(target, argnums, asked) if own is None else own.hvp


def jacobian(target: Any, argnums: Any = 0, *, backend: str | None = None) -> Any:
    """Differentiate every output: a function for their derivatives, the output's axes in front."""
    asked = _asked(backend)
    own = _function_of(target, asked)
    return functions.jacobian(target, argnums, asked) if own is None else own.jacobian


def jit(target: Any, *, backend: str | None = None) -> Any:
    """Trace once: a function that computes the same without calling Python's again for arguments of the same shapes."""
    if _of_model(target) is not None:
        return target  # a transform of a model is traced once as it is
    asked = _asked(backend)
    own = _function_of(target, asked)
    return functions.jit(target, asked) if own is None else own.value


def vmap(target: Any, in_axes: Any = 0, *, backend: str | None = None) -> Any:
    """Map over an axis: a function of arguments that have one more axis, at `in_axes`, as its results have in front.

    `in_axes` is one number, or one for each argument; None for one that is the same for all.
    """
    of_model = _of_model(target)
    if of_model is not None:
        return of_model.over_points(target)
    asked = _asked(backend)
    own = _function_of(target, asked)
    return functions.vmap(target, in_axes, asked) if own is None else own.each


def _expression_gradient(verb: str, target: object, wrt: object) -> tuple[Expression, Any]:
    if not isinstance(target, Expression):
        raise messages.not_differentiable(target)
    if target.shape:
        raise messages.no_number(verb, values_of(target.shape))
    leaves, structure = tree_flatten(wrt)
    if not all(isinstance(leaf, Expression) for leaf in leaves):
        raise messages.bad_leaf(next(leaf for leaf in leaves if not isinstance(leaf, Expression)))
    nodes: tuple[Node, ...] = tuple(leaf._scistan_node_ for leaf in leaves)
    root = target._scistan_node_
    computation = Computation(nodes, (root,), instance_of())
    found = computation.gradient(tuple(range(len(nodes))))
    return target, tree_unflatten(structure, [Expression(node) for node in found])


# -- values of the current backend ---------------------------------------------------------------------
def full(shape: int | Sequence[int], number: float, *, backend: str | None = None) -> Any:
    """Give an array of one number, of the backend in force."""
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    return open_backend(_asked(backend)()).filled(lengths, float(number))


def zeros(shape: int | Sequence[int], *, backend: str | None = None) -> Any:
    """Give an array of zeros, of the backend in force."""
    return full(shape, 0.0, backend=backend)


def ones(shape: int | Sequence[int], *, backend: str | None = None) -> Any:
    """Give an array of ones, of the backend in force."""
    return full(shape, 1.0, backend=backend)


def array(value: object, *, backend: str | None = None) -> Any:
    """Give numbers as an array of the backend in force."""
    if isinstance(value, Expression):
        return OnGraph().array(value)
    return open_backend(_asked(backend)(), (value,)).array(value)
