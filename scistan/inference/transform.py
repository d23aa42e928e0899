"""`ss.grad` and its kin on models, on expressions of one, and on plain functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from scistan.given import is_whole
from scistan.graph.node import Node
from scistan.inference.density import check_complete
from scistan.inference.model_function import ExpressionFunction, ModelFunction
from scistan.inference.summed import summed
from scistan.memory import free_memory
from scistan.messages import transforms as messages
from scistan.ops.expression import Expression
from scistan.settings import said
from scistan.shapes import values_of
from scistan.transforms import functions
from scistan.transforms.backends import Runner, open_backend
from scistan.transforms.computation import Computation, instance_of
from scistan.transforms.on_graph import OnGraph
from scistan.transforms.on_numpy import Numpy
from scistan.transforms.tree import tree_flatten, tree_map, tree_unflatten

__all__ = [
    "array", "full", "grad", "hessian", "hvp", "jacobian", "jit", "ones", "tree_flatten", "tree_map", "tree_unflatten",
    "value_and_grad", "vmap", "zeros",
]

Function = Callable[..., Any]


def backend_in_force(given: object) -> object:
    """Give the backend that was asked for, by the call or from outside; None leaves it to the arrays."""
    return given if given is not None else said("backend")


def _function_of(target: object, backend: object) -> ModelFunction | ExpressionFunction | None:
    """Give what can be asked of a model or an expression; None for a plain function."""
    if isinstance(target, Expression):
        return ExpressionFunction(target, backend)
    instance = getattr(target, "instance", None)
    if instance is not None and not callable(target):
        on = summed(instance())
        check_complete(on)
        return ModelFunction(on, backend)
    if not callable(target):
        raise messages.not_differentiable(target)
    return None


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
    own = _function_of(target, backend_in_force(backend))
    return functions.grad(target, argnums, backend_in_force(backend)) if own is None else own.grad


def value_and_grad(target: Any, argnums: Any = 0, *, wrt: Any = None, backend: str | None = None) -> Any:
    """Differentiate as `grad` does, and give the value beside the gradient."""
    if wrt is not None:
        return _expression_gradient("value_and_grad", target, wrt)
    own = _function_of(target, backend_in_force(backend))
    return functions.value_and_grad(target, argnums, backend_in_force(backend)) if own is None else own.value_and_grad


def hessian(target: Any, argnums: Any = 0, *, backend: str | None = None) -> Any:
    """Differentiate twice: a function for the second derivatives, nested twice as the arguments are."""
    own = _function_of(target, backend_in_force(backend))
    return functions.hessian(target, argnums, backend_in_force(backend)) if own is None else own.hessian


def hvp(target: Any, argnums: Any = 0, *, backend: str | None = None) -> Any:
    """Give a function of arguments and of a vector nested alike for the Hessian times the vector.

    The arguments of a plain function of several are a tuple.
    """
    own = _function_of(target, backend_in_force(backend))
    return functions.hvp(target, argnums, backend_in_force(backend)) if own is None else own.hvp


def jacobian(target: Any, argnums: Any = 0, *, backend: str | None = None) -> Any:
    """Differentiate every output: a function for their derivatives, the output's axes in front."""
    own = _function_of(target, backend_in_force(backend))
    return functions.jacobian(target, argnums, backend_in_force(backend)) if own is None else own.jacobian


def jit(target: Any, *, backend: str | None = None) -> Any:
    """Trace once: a function that computes the same without calling Python's again for arguments of the same shapes."""
    own = _function_of(target, backend_in_force(backend))
    return functions.jit(target, backend_in_force(backend)) if own is None else own.value


def vmap(target: Any, in_axes: Any = 0, *, backend: str | None = None) -> Any:
    """Map over an axis: a function of arguments that have one more axis, at `in_axes`, as its results have in front.

    `in_axes` is one number, or one for each argument; None for one that is the same for all.
    """
    own = _function_of(target, backend_in_force(backend))
    return functions.vmap(target, in_axes, backend_in_force(backend)) if own is None else own.each


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
def _runner(backend: object, leaves: Sequence[object] = ()) -> Runner:
    """Open the backend in force, NumPy's where none is."""
    name = backend_in_force(backend)
    return open_backend("numpy" if name is None else name, leaves)


def _lengths(shape: object) -> tuple[int, ...]:
    """Read a shape, of an array that there is memory for."""
    parts = shape if isinstance(shape, list | tuple) else (shape,)
    if not all(is_whole(length, least=0, most=None) for length in parts):
        raise messages.bad_lengths(shape)
    lengths = tuple(map(int, parts))
    size, free = 8.0 * min(math.prod(lengths), 10**300), free_memory()
    if size > free:
        raise messages.array_too_big(shape, size, free)
    return lengths


def full(shape: int | Sequence[int], number: float, *, backend: str | None = None) -> Any:
    """Give an array of one number, of the backend in force."""
    one = Numpy().array(number)
    if one.ndim:
        raise messages.no_one_number(number)
    return _runner(backend).filled(_lengths(shape), float(one))


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
    return _runner(backend, (value,)).array(value)
