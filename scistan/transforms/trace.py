"""Plain Python functions as graphs: called once with stand-ins for every shape of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from scistan.graph.node import Variable
from scistan.messages import transforms as messages
from scistan.messages.expressions import NoValueYetError
from scistan.ops.coerce import as_node, library_of
from scistan.ops.expression import Expression
from scistan.ops.structure import Structure
from scistan.shapes import Size
from scistan.transforms.backends import Runner, Wanted, open_backend
from scistan.transforms.computation import Computation, instance_of
from scistan.transforms.on_graph import OnGraph
from scistan.transforms.tree import tree_flatten, tree_unflatten

__all__ = ["Call", "Traced", "Tracer"]

Array = Any
Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A function for arguments of one nesting and shape: what it computes, and how results are nested."""

    computation: Computation
    made: Structure


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call of a traced function: what computes it, and the arguments' leaves there."""

    traced: Traced
    runner: Runner
    given: list[Array]
    structure: Structure

    @property
    def computation(self) -> Computation:
        return self.traced.computation

    def chosen(self, argnums: object) -> tuple[tuple[int, ...], Structure]:
        """Give the leaves of the arguments that `argnums` names, and how they are nested."""
        by_place = self.structure.parts[0].parts
        several = isinstance(argnums, tuple | list)
        asked: list[Any] = list(argnums) if isinstance(argnums, tuple | list) else [argnums]
        if not all(type(k) is int and -len(by_place) <= k < len(by_place) for k in asked) or not asked:
            raise messages.bad_argnums(argnums, len(by_place))
        starts = np.cumsum([0, *(part.count for part in by_place)])
        places = [k % len(by_place) for k in asked]
        if len(set(places)) != len(places):
            raise messages.bad_argnums(argnums, len(by_place))
        leaves = tuple(int(starts[k]) + j for k in places for j in range(by_place[k].count))
        parts = tuple(by_place[k] for k in places)
        return leaves, Structure(tuple, (), parts) if several else parts[0]

    def nested(self, outputs: Sequence[Array]) -> Any:
        """Nest results as the function does."""
        return tree_unflatten(self.traced.made, list(outputs))


class Tracer:
    """A function and its traces, one for each nesting and shapes of arguments."""

    def __init__(self, function: Callable[..., Any], wanted: Callable[[], Wanted] = Wanted) -> None:
        self.function = function
        self._wanted = wanted
        self._traces: dict[tuple[Structure, Shapes], Traced] = {}

    def call(
        self, args: tuple[Any, ...], named: dict[str, Any], rows: Callable[[int], int | None] | None = None
    ) -> Call:
        """Read the arguments, and trace the function for their shapes; `rows` gives the mapped axis of a leaf."""
        leaves, structure = tree_flatten((args, named))
        runner = runner_for(leaves, self._wanted())
        given = [runner.array(leaf) for leaf in leaves]
        shapes = tuple(_lengths(array) for array in given)
        if rows is not None:
            shapes = tuple(_without(shape, rows(k)) for k, shape in enumerate(shapes))
        key = (structure, shapes)
        if key not in self._traces:
            self._traces[key] = self._trace(structure, shapes)
        return Call(self._traces[key], runner, given, structure)

    def _trace(self, structure: Structure, shapes: Shapes) -> Traced:
        inputs = tuple(Variable(f"x{k}", tuple(map(Size, shape)), self, None) for k, shape in enumerate(shapes))
        args, named = tree_unflatten(structure, [Expression(x) for x in inputs])
        _check_call(self.function, args, named)
        try:
            results, made = tree_flatten(self.function(*args, **named))
            outputs = tuple(as_node(result) for result in results)
        except NoValueYetError as error:
            raise messages.control_flow(error.place) from None
        return Traced(Computation(inputs, outputs, instance_of(*outputs)), made)


def _check_call(function: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Refuse arguments that a function does not take; its own errors are its own."""
    try:
        takes = signature(function)
    except (ValueError, TypeError):  # one of C's, which says nothing of its arguments
        return
    try:
        takes.bind(*args, **named)
    except TypeError as error:
        raise messages.wrong_arguments(getattr(function, "__name__", "the function"), str(error)) from None


def runner_for(leaves: Sequence[object], wanted: Wanted) -> Runner:
    """Choose what computes: expressions stay expressions; else the backend asked for, or that of the arrays."""
    if any(isinstance(leaf, Expression) for leaf in leaves):
        return OnGraph()
    if wanted.backend is None:
        libraries = {library_of(leaf) for leaf in leaves}
        wanted = replace(wanted, backend=next((name for name in ("torch", "jax") if name in libraries), "numpy"))
    return open_backend(wanted, leaves)


def _lengths(array: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in array.shape)


def _without(shape: tuple[int, ...], axis: int | None) -> tuple[int, ...]:
    return shape if axis is None else shape[:axis] + shape[axis + 1 :]
