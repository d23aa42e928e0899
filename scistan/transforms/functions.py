"""`grad` and its kin on plain Python functions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from scistan.messages import transforms as messages
from scistan.ops import FUNCTIONS
from scistan.ops.structure import Structure
from scistan.shapes import values_of
from scistan.transforms.backends import Wanted
from scistan.transforms.trace import Call, Tracer, runner_for
from scistan.transforms.tree import tree_flatten, tree_map, tree_unflatten

__all__ = ["grad", "hessian", "hvp", "jacobian", "jit", "value_and_grad", "vmap"]

Function = Callable[..., Any]
Asked = Callable[[], Wanted]  # what is in force where the function is called


def _one_number(verb: str, call: Call) -> None:
    outputs = call.computation.outputs
    if len(outputs) != 1 or outputs[0].shape:
        raise messages.no_number(verb, values_of(outputs[0].shape) if outputs else (), len(outputs))


def value_and_grad(
    function: Function, argnums: object = 0, wanted: Asked = Wanted, verb: str = "value_and_grad"
) -> Function:
    """Give a function of the same arguments for the value and its gradient."""
    tracer = Tracer(function, wanted)

    @wraps(function)
    def transformed(*args: Any, **named: Any) -> Any:
        call = tracer.call(args, named)
        _one_number(verb, call)
        wrt, nested = call.chosen(argnums)
        value, slopes = call.runner.gradient(call.computation, wrt, call.given)
        return call.nested([value]), tree_unflatten(nested, slopes)

    return transformed


def grad(function: Function, argnums: object = 0, wanted: Asked = Wanted) -> Function:
    """Give a function of the same arguments for the gradient."""
    both = value_and_grad(function, argnums, wanted, "grad")

    @wraps(function)
    def transformed(*args: Any, **named: Any) -> Any:
        return both(*args, **named)[1]

    return transformed


def jacobian(function: Function, argnums: object = 0, wanted: Asked = Wanted) -> Function:
    """Give a function for the derivatives of every output, the output's axes in front."""
    tracer = Tracer(function, wanted)

    @wraps(function)
    def transformed(*args: Any, **named: Any) -> Any:
        call = tracer.call(args, named)
        wrt, nested = call.chosen(argnums)
        rows = call.runner.jacobian(call.computation, wrt, call.given)
        return call.nested([tree_unflatten(nested, row) for row in rows])

    return transformed


def hessian(function: Function, argnums: object = 0, wanted: Asked = Wanted) -> Function:
    """Give a function for the second derivatives, nested twice as the arguments are."""
    tracer = Tracer(function, wanted)

    @wraps(function)
    def transformed(*args: Any, **named: Any) -> Any:
        call = tracer.call(args, named)
        _one_number("hessian", call)
        wrt, nested = call.chosen(argnums)
        rows = call.runner.hessian(call.computation, wrt, call.given)
        return tree_unflatten(nested, [tree_unflatten(nested, row) for row in rows])

    return transformed


def hvp(function: Function, argnums: object = 0, wanted: Asked = Wanted) -> Function:
    """Give a function of a tuple of arguments and of a vector for the Hessian times the vector."""
    tracer = Tracer(function, wanted)

    def transformed(args: Any, vector: Any) -> Any:
        several = isinstance(args, tuple)
        call = tracer.call(args if several else (args,), {})
        _one_number("hvp", call)
        wrt, nested = call.chosen(argnums)
        whole = tree_unflatten(nested, [call.given[k] for k in wrt])
        along = tree_flatten(tree_map(lambda _, part: call.runner.array(part), whole, vector))[0]
        for k, part in zip(wrt, along, strict=True):
            if tuple(part.shape) != tuple(call.given[k].shape):
                raise messages.other_structure(f"shape {tuple(part.shape)}", f"shape {tuple(call.given[k].shape)}")
        return tree_unflatten(nested, call.runner.hessian_times(call.computation, wrt, call.given, along))

    return transformed


def jit(function: Function, wanted: Asked = Wanted) -> Function:
    """Give the function itself, traced once for every shape of its arguments."""
    tracer = Tracer(function, wanted)

    @wraps(function)
    def transformed(*args: Any, **named: Any) -> Any:
        call = tracer.call(args, named)
        return call.nested(call.runner.values(call.computation, call.given))

    return transformed


def vmap(function: Function, in_axes: Any = 0, wanted: Asked = Wanted) -> Function:
    """Give the function over one more axis: `in_axes` of its arguments, None where one is the same for all."""
    tracer = Tracer(function, wanted)

    @wraps(function)
    def transformed(*args: Any, **named: Any) -> Any:
        leaves, structure = tree_flatten((args, named))
        axes = _axes_of(in_axes, structure)
        runner = runner_for(leaves, wanted())
        arrays = [runner.array(leaf) for leaf in leaves]
        axes = [_axis(axis, len(array.shape)) for axis, array in zip(axes, arrays, strict=True)]
        lengths = {int(a.shape[axis]) for a, axis in zip(arrays, axes, strict=True) if axis is not None}
        if len(lengths) != 1:
            raise messages.bad_axes(sorted(lengths))
        if any(hasattr(type(leaf), "_scistan_node_") for leaf in leaves):
            return _one_by_one(function, structure, arrays, axes, lengths.pop())
        call = tracer.call(args, named, lambda k: axes[k])
        rows = [k for k, axis in enumerate(axes) if axis is not None]
        given = [_in_front(array, axis) for array, axis in zip(call.given, axes, strict=True)]
        return call.nested(call.runner.values(call.computation, given, rows))

    return transformed


def _axes_of(in_axes: Any, structure: Structure) -> list[int | None]:
    """Give the mapped axis of each leaf; arguments by name are mapped along their first."""
    by_place, named = structure.parts
    axes = in_axes if isinstance(in_axes, tuple | list) else (in_axes,) * len(by_place.parts)
    if len(axes) != len(by_place.parts):
        raise messages.other_structure(f"in_axes={in_axes!r}", by_place)
    found: list[int | None] = []
    for axis, part in zip(axes, by_place.parts, strict=True):
        if axis is None or type(axis) is int:
            found += [axis] * part.count
        else:
            found += _axes_within(axis, part)
    return found + [0] * named.count


def _axes_within(axes: Any, part: Structure) -> list[int | None]:
    """Give the axes of a nested argument that are nested as it is."""
    if part.kind is None or axes is None or type(axes) is int:
        if axes is not None and type(axes) is not int:
            raise messages.other_structure(f"in_axes={axes!r}", part)
        return [axes] * part.count
    if part.kind is dict and isinstance(axes, dict) and set(axes) == set(part.keys):
        parts = [axes[key] for key in part.keys]
    elif part.kind is not dict and isinstance(axes, tuple | list) and len(axes) == len(part.parts):
        parts = list(axes)
    else:
        raise messages.other_structure(f"in_axes={axes!r}", part)
    return [axis for own, inner in zip(parts, part.parts, strict=True) for axis in _axes_within(own, inner)]


def _axis(axis: int | None, rank: int) -> int | None:
    if axis is None:
        return None
    if not -rank <= axis < rank:
        raise messages.bad_axes([])
    return axis % rank


def _in_front(array: Any, axis: int | None) -> Any:
    return array if axis is None or axis == 0 else array.swapaxes(0, axis) if array.ndim == 2 else _moved(array, axis)


def _moved(array: Any, axis: int) -> Any:
    order = (axis, *(k for k in range(array.ndim) if k != axis))
    return array.permute(order) if hasattr(array, "permute") else array.transpose(order)


def _one_by_one(function: Function, structure: Structure, arrays: list[Any], axes: list[int | None], n: int) -> Any:
    """Map over expressions: one call after the other, stacked."""
    results = []
    for k in range(n):
        at = [a if axis is None else a[(*(slice(None),) * axis, k)] for a, axis in zip(arrays, axes, strict=True)]
        args, named = tree_unflatten(structure, at)
        results.append(function(*args, **named))
    first, *others = results
    return tree_map(lambda *parts: FUNCTIONS["stack"](list(parts)), first, *others)
