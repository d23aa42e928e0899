"""Evaluate nodes with arrays of SymPy expressions: element by element, and NumPy moves the elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Extent, Literal, Node
from scistan.graph.walk import topological
from scistan.messages import declared as messages
from scistan.messages import targets as target_messages
from scistan.ops.declaration import REGISTRY, Op
from scistan.targets.sympy.functions import GAPS, elementwise, import_sympy
from scistan.targets.values import concrete, implementation

__all__ = ["MOST", "evaluate"]

MOST = 20_000  # elements: beyond that expressions are no use to anyone, and take minutes


def evaluate(instance: Instance, roots: Iterable[Node], known: Mapping[Node, np.ndarray]) -> dict[Node, np.ndarray]:
    """Give the values of nodes as arrays of expressions; `known` are the symbols of leaves."""
    values: dict[Node, np.ndarray] = dict(known)
    elements = 0
    for node in topological(list(roots)):
        if node not in values:
            values[node] = _value(instance, node, [values[arg] for arg in node.args])
            elements += values[node].size
        if elements > MOST:
            raise target_messages.too_large_for_symbols(MOST)
    return values


def _value(instance: Instance, node: Node, arguments: list[np.ndarray]) -> np.ndarray:
    if isinstance(node, Apply) and isinstance(node.op, Op):
        attributes = {key: concrete(instance, value) for key, value in node.attributes}
        return _applied(node.op, arguments, attributes)
    if isinstance(node, Literal):
        return _exact(node.value)
    if isinstance(node, Extent):
        return _exact(instance.length(node.size))
    if isinstance(node, Data):
        return _exact(instance.values.get(node, node.default))
    raise KeyError(f"{node!r} has no symbol")


def _exact(numbers: Any) -> np.ndarray:
    """Give numbers as SymPy's own, whole ones without a decimal point."""
    sp = import_sympy()

    def one(x: Any) -> Any:
        x = float(x)
        return sp.Integer(int(x)) if x.is_integer() else sp.sympify(x)

    return _each(one, [np.asarray(numbers)])


def _applied(op: Op, arguments: list[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    if op.binds:
        raise messages.gap(op.name, "SymPy", "what runs a function step by step has no formula of a fixed length")
    if op.name in GAPS:
        raise messages.gap(op.name, "SymPy", GAPS[op.name])
    if op.elementwise:
        function = elementwise().get(op.name)
        if function is None:
            raise messages.gap(op.name, "SymPy", "it is an operation of your own, which SymPy does not know")
        return _each(function, arguments)
    if op.name in _MATRICES:
        return _MATRICES[op.name](*arguments, **attributes)
    if op.name in ("index", "pick"):  # positions are numbers
        arguments = [arguments[0], *(np.asarray(a, dtype=np.int64) for a in arguments[1:])]
    return np.asarray(implementation(op, "numpy", np)(*arguments, **attributes), dtype=object)


def _each(function: Callable[..., Any], arguments: list[np.ndarray]) -> np.ndarray:
    arrays = np.broadcast_arrays(*arguments)
    found = np.empty(arrays[0].shape, dtype=object)
    for at in np.ndindex(found.shape):
        found[at] = function(*(array[at] for array in arrays))
    return found


def _stacks(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """Apply a function of one matrix to each of a stack."""

    def apply(x: np.ndarray, **attributes: Any) -> np.ndarray:
        sp = import_sympy()
        lead = x.shape[:-2]
        rows = [function(sp.Matrix(x[at].tolist())) for at in np.ndindex(lead)]
        parts = [np.array(row.tolist() if isinstance(row, sp.MatrixBase) else row, dtype=object) for row in rows]
        return np.stack(parts).reshape(lead + parts[0].shape)

    return apply


def _solve(a: np.ndarray, b: np.ndarray, *, rank: int) -> np.ndarray:
    sp = import_sympy()
    solved = sp.Matrix(a.tolist()).LUsolve(sp.Matrix(b.tolist()))
    return np.array(solved.tolist(), dtype=object).reshape(b.shape)


def _log_sum_exp(x: np.ndarray, *, axes: tuple[int, ...], keepdims: bool) -> np.ndarray:
    table = elementwise()
    return _each(table["log"], [np.asarray(np.sum(_each(table["exp"], [x]), axis=axes, keepdims=keepdims))])


def _softmax(x: np.ndarray, *, axis: int) -> np.ndarray:
    raised = _each(elementwise()["exp"], [x])
    return np.asarray(raised / np.sum(raised, axis=axis, keepdims=True))


def _extreme(name: str) -> Callable[..., np.ndarray]:
    def apply(x: np.ndarray, *, axes: tuple[int, ...], keepdims: bool) -> np.ndarray:
        pick = elementwise()[name]
        for axis in sorted(axes):
            parts = np.moveaxis(x, axis, 0)
            x = np.expand_dims(_each(lambda *all_of: pick(*all_of), list(parts)), axis % x.ndim)
        return x if keepdims else np.squeeze(x, axes) if axes else x

    return apply


def _kernel(x: np.ndarray, alpha: np.ndarray, rho: np.ndarray) -> np.ndarray:
    apart = (x[:, None] - x[None, :]) / rho
    return np.asarray(alpha**2 * _each(elementwise()["exp"], [-(apart**2) / 2]), dtype=object)


def _scatter(values: np.ndarray, *positions: np.ndarray, items: Any, shape: tuple[int, ...], rank: int) -> np.ndarray:
    take: Any = REGISTRY["index"].numpy
    numbers = np.arange(math.prod(shape)).reshape(shape)
    places = take(np, numbers, *(np.asarray(at, dtype=np.int64) for at in positions), items=items)
    total = np.full(numbers.size, import_sympy().Integer(0), dtype=object)
    np.add.at(total, places.reshape(-1), np.broadcast_to(values, places.shape).reshape(-1))
    return total.reshape(shape)


_MATRICES: Mapping[str, Callable[..., np.ndarray]] = {
    "logsumexp": _log_sum_exp,
    "softmax": _softmax,
    "log_softmax": lambda x, *, axis: _each(elementwise()["log"], [_softmax(x, axis=axis)]),
    "min": _extreme("minimum"),
    "max": _extreme("maximum"),
    "cholesky": _stacks(lambda m: m.cholesky(hermitian=False)),
    "inverse": _stacks(lambda m: m.inv()),
    "log_determinant": _stacks(lambda m: import_sympy().log(import_sympy().Abs(m.det()))),
    "solve": _solve,
    "solve_lower": _solve,
    "gp_exp_quad_cov": _kernel,
    "scatter": _scatter,
}
"""The ops along axes for which NumPy needs numbers."""
