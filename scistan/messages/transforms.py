"""Wording of what can go wrong with gradients and the other transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scistan.errors import ArgumentError, ModelError, Place, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.values import as_given, in_gigabytes

Lengths = tuple[int, ...]


def no_slope(op: str, argument: str, reason: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"`{op}` has no derivative in `{argument}` here: {reason}.",
        remedy='torch has it: `ss.grad(…, backend="torch")`; an operation of your own gets one by '
        "`ss.declare_op(…, gradient=…)`",
        place=place or user_place(),
    )


def control_flow(place: Place | None) -> ModelError:
    return ModelError(
        "this line asks for a number where there is none: the function is traced once for every shape of its "
        "arguments, and the trace must hold for all values.",
        remedy="use `ss.where(condition, a, b)` instead of `if`, `ss.maximum` instead of `max`, and the functions of "
        "`ss` or NumPy instead of those of `math`",
        place=place or user_place(),
    )


def not_differentiable(what: object) -> ArgumentError:
    return ArgumentError(
        f"{as_given(what)} cannot be transformed: it is neither a model, nor an expression of one, nor a function.",
        remedy="give a model, `ss.grad(m)`, an expression, `ss.grad(m.curve, wrt=m.x)`, or a function of arrays, "
        "`ss.grad(lambda x: ss.sum(ss.exp(x)))`",
        place=user_place(),
    )


def no_number(verb: str, shape: Lengths, many: int = 1) -> ModelError:
    given = f"{many} values" if many != 1 else f"an array of shape {shape}"
    return ModelError(
        f"`ss.{verb}` is of one number, and this gives {given}.",
        remedy="sum it, `ss.sum(…)`, or ask for all derivatives with `ss.jacobian`",
        place=user_place(),
    )


def bad_argnums(argnums: object, count: int) -> ArgumentError:
    return ArgumentError(
        f"`argnums` is {as_given(argnums)}, and the function is called with {count} arguments by position.",
        remedy="give a number from 0 on, or a tuple of them, each once; what is given by name is not differentiated",
        place=user_place(),
    )


def bad_leaf(value: object) -> ArgumentError:
    return ArgumentError(
        f"{as_given(value)} is no array of numbers, and neither a dict, a tuple nor a list of such.",
        remedy="give numbers and arrays; let the function take all else from outside",
        place=user_place(),
    )


def other_structure(given: object, wanted: object) -> ArgumentError:
    return ArgumentError(
        f"the values are nested as {given}, where {wanted} is wanted.",
        remedy="give dicts, tuples and lists that are nested alike, with the same keys",
        place=user_place(),
    )


def no_structure(given: object) -> ArgumentError:
    return ArgumentError(
        f"{as_given(given)} is not how values are nested.",
        remedy="give what `ss.tree_flatten` gave: `leaves, structure = ss.tree_flatten(tree)`",
        place=user_place(),
    )


def no_leaves(given: object) -> ArgumentError:
    return ArgumentError(
        f"the leaves are {as_given(given)}, and neither a list nor a tuple.",
        remedy="give them in a list, as `ss.tree_flatten` does",
        place=user_place(),
    )


def no_function(verb: str, given: object) -> ArgumentError:
    return ArgumentError(
        f"`ss.{verb}` takes a function; {as_given(given)} is none.",
        remedy=f"write `ss.{verb}(lambda leaf: …, tree)`",
        place=user_place(),
    )


def bad_lengths(given: object) -> ArgumentError:
    return ArgumentError(
        f"{as_given(given)} is no shape of an array.",
        remedy="give a whole number from 0 on, or a tuple of them: `ss.zeros((2, 3))`",
        place=user_place(),
    )


def array_too_big(shape: object, size: float, free: float) -> ArgumentError:
    return ArgumentError(
        f"an array of shape {as_given(shape)} takes {in_gigabytes(size)}, where {in_gigabytes(free)} are free.",
        remedy="make it smaller, or in pieces",
        place=user_place(),
    )


def no_one_number(given: object) -> ArgumentError:
    return ArgumentError(
        f"`ss.full` is filled with one number, and not with {as_given(given)}.",
        remedy="write `ss.full((2, 3), 1.5)`",
        place=user_place(),
    )


def traced_latent(name: str) -> ModelError:
    return ModelError(
        f"the density of a model is asked for at numbers, and `{name}` is an expression, as inside of a function that "
        "is traced.",
        remedy="transform the model itself, `ss.grad(m)`, `ss.vmap(ss.grad(m))`; for a function around its density "
        "take `m.log_density_fn()` and its `gradient`, or `m.to_jax()` inside of JAX's own transforms",
        place=user_place(),
    )


def bad_axes(lengths: Sequence[int]) -> ArgumentError:
    shown = " and ".join(map(str, lengths)) or "none"
    return ArgumentError(
        f"`ss.vmap` runs along one axis of its arguments, and their lengths there are {shown}.",
        remedy="let `in_axes` name an axis that every mapped argument has, at one length, and None for the others",
        place=user_place(),
    )


def unknown_backend(name: object, known: Sequence[str]) -> ArgumentError:
    return ArgumentError(
        f"there is no backend {as_given(name)}.", remedy=f"there are {', '.join(known)}", place=user_place()
    )


def numpy_cannot(setting: str, value: object) -> UnsupportedError:
    what = "in double precision" if setting == "dtype" else "on the CPU"
    return UnsupportedError(
        f"`{setting}` is set to {value!r}, and NumPy computes {what} only.",
        remedy=f'`backend="torch"`, of the call or of `ss.using`; or `{setting}='
        f'{"float64" if setting == "dtype" else "cpu"!r}` there',
        place=user_place(),
    )


def no_jax_device(device: str, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"JAX cannot use the device {device!r}: {why}.",
        remedy="device='cpu', or device='auto' for the one that JAX takes by itself",
        place=user_place(),
    )


def no_factor(place: Place | None) -> ModelError:
    return ModelError(
        "a matrix here has no inverse, or is not positive definite and has no Cholesky factor.",
        remedy="add something to its diagonal, `a + 1e-6 * np.eye(n)`, or look at what it is made of",
        place=place or user_place(),
    )


def gradient_failed(name: str, why: str, place: Place | None) -> ModelError:
    return ModelError(
        f"the `gradient` of your operation `{name}` {why}.",
        remedy="it is a function of what comes back, the result and the arguments, and gives as many values as there "
        "are arguments, `gradient=lambda upstream, out, x, y: (upstream * y, upstream * x)`; for an operation that "
        'works element by element formulas do too, `gradient=("y", "x")`',
        place=place,
    )


def wrong_gradient(name: str, argument: str, at: str, given: float, found: float, place: Place | None) -> ModelError:
    return ModelError(
        f"the `gradient` of your operation `{name}` is wrong in `{argument}`: at {at} it gives {given:.6g}, and "
        f"differences of the `numpy` function give {found:.6g}.",
        remedy="mend the formula; where both are right at other points, look at branches and signs",
        place=place,
    )


def no_density_function(backend: object, known: Sequence[str]) -> ArgumentError:
    return ArgumentError(
        f"`log_density_fn` has no backend {as_given(backend)}.", remedy=f"there are {', '.join(known)}",
        place=user_place(),
    )


def wrong_dimension(given: Any, wanted: int) -> ArgumentError:
    return ArgumentError(
        f"the coordinates have shape {given}, where a vector of {wanted} numbers is wanted.",
        remedy="`fn.names` names each coordinate, and `fn.unconstrain(values)` gives them for values of the latents",
        place=user_place(),
    )


def several_devices(devices: Sequence[str]) -> ArgumentError:
    return ArgumentError(
        f"the tensors given are on several devices: {', '.join(devices)}.",
        remedy="move them to one, `x.to(device)`: nothing is moved silently",
        place=user_place(),
    )


def wrong_arguments(name: str, why: str) -> ArgumentError:
    return ArgumentError(
        f"`{name}` cannot be called so: {why}.",
        remedy="call what a transform gives as the function itself; `ss.hvp` takes several arguments as a tuple",
        place=user_place(),
    )
