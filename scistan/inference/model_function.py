"""A model's log density, or an expression of it, as a function of the latents' values that can be differentiated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property, reduce
from typing import Any

import numpy as np

from scistan.distributions.density import total
from scistan.graph.instance import Instance
from scistan.graph.node import Node, literal
from scistan.inference.density import latent_values
from scistan.messages import inference as inference_messages
from scistan.messages import transforms as messages
from scistan.ops.derivative import plus
from scistan.ops.expression import Expression
from scistan.shapes import values_of
from scistan.targets.scipy import JointDensity
from scistan.transforms.backends import Runner, Wanted, open_backend
from scistan.transforms.computation import Computation, instance_of, variables_below
from scistan.transforms.on_numpy import Numpy
from scistan.transforms.tree import tree_map

__all__ = ["ExpressionFunction", "ModelFunction"]

Values = Mapping[str, object]
Array = Any


class _Asked:
    """What a model or an expression is asked for, and who computes it. Abstract."""

    def __init__(self, wanted: Callable[[], Wanted]) -> None:
        self._wanted = wanted

    @property
    def _runner(self) -> Runner:
        return open_backend(self._wanted())

    def over_points(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Give one of these functions at many points: every value has an axis over them in front."""

        def each(*given: Values) -> Any:
            lengths = {len(np.atleast_1d(Numpy().array(value))) for values in given for value in values.values()}
            if len(lengths) != 1:
                raise messages.bad_axes(sorted(lengths))
            rows = [method(*(tree_map(lambda value, k=k: value[k], dict(values)) for values in given))
                    for k in range(lengths.pop())]
            return tree_map(lambda *parts: self._runner.array(np.stack([Numpy().array(p) for p in parts])), *rows)

        return each


class ModelFunction(_Asked):
    """The joint log density at constrained values, all constants kept, without Jacobian.

    Where the density is zero it is -∞ and has no derivatives: they are NaN.
    """

    def __init__(self, instance: Instance, wanted: Callable[[], Wanted]) -> None:
        super().__init__(wanted)
        self._instance = instance
        self._names = [term.name for term in instance.graph.latents]

    @cached_property
    def _joint(self) -> JointDensity:
        return JointDensity(self._instance)

    @cached_property
    def _computation(self) -> Computation:
        inputs: tuple[Node, ...] = tuple(term.value for term in self._instance.graph.latents)
        nothing: Node = literal(0.0)
        density = reduce(plus, map(total, self._instance.graph.terms), nothing)
        return Computation(inputs, (density,), self._instance)

    @property
    def _all(self) -> tuple[int, ...]:
        return tuple(range(len(self._names)))

    def _read(self, values: Values) -> tuple[dict[Node, np.ndarray], list[Array]]:
        latents = latent_values(self._instance, values)
        return latents, [self._runner.array(latents[leaf]) for leaf in self._computation.inputs]

    def _named(self, parts: list[Any]) -> dict[str, Any]:
        return dict(zip(self._names, parts, strict=True))

    def value(self, values: Values) -> float:
        """Give the log density."""
        return self._joint.at(latent_values(self._instance, values))[0]

    def value_and_grad(self, values: Values) -> tuple[float, dict[str, Array]]:
        """Give the log density and its gradient."""
        latents, given = self._read(values)
        value = self._joint.at(latents)[0]
        if math.isinf(value):
            return value, self._named([self._runner.filled(tuple(x.shape), math.nan) for x in given])
        return value, self._named(self._runner.gradient(self._computation, self._all, given)[1])

    def grad(self, values: Values) -> dict[str, Array]:
        """Give the gradient of the log density."""
        return self.value_and_grad(values)[1]

    jacobian = grad

    def hessian(self, values: Values) -> dict[str, dict[str, Array]]:
        """Give the second derivatives of the log density."""
        latents, given = self._read(values)
        if math.isinf(self._joint.at(latents)[0]):
            shapes = [tuple(x.shape) for x in given]
            rows = [[self._runner.filled((*a, *b), math.nan) for b in shapes] for a in shapes]
        else:
            rows = self._runner.hessian(self._computation, self._all, given)
        return self._named([self._named(row) for row in rows])

    def hvp(self, values: Values, vector: Values) -> dict[str, Array]:
        """Give the Hessian of the log density times a vector, a dict of the latents' shapes."""
        latents, given = self._read(values)
        _, along = self._read(vector)
        if math.isinf(self._joint.at(latents)[0]):
            return self._named([self._runner.filled(tuple(x.shape), math.nan) for x in given])
        return self._named(self._runner.hessian_times(self._computation, self._all, given, along))

    def each(self, values: Values) -> Array:
        """Give the log density at many points: every value has an axis over them in front."""
        count = {len(np.asarray(value)) for value in values.values()}
        if len(count) != 1:
            raise messages.bad_axes(sorted(count))
        points = [
            latent_values(self._instance, {name: np.asarray(value)[k] for name, value in values.items()})
            for k in range(count.pop())
        ]
        return self._runner.array([value for value, _ in self._joint.at_each(points)])


class ExpressionFunction(_Asked):
    """An expression of a model as a function of the latents that it depends on."""

    def __init__(self, expression: Expression, wanted: Callable[[], Wanted]) -> None:
        super().__init__(wanted)
        self._node = expression._scistan_node_
        self._latents = {leaf.name: leaf for leaf in variables_below(self._node)}
        self._computation = Computation(tuple(self._latents.values()), (self._node,), instance_of(self._node))

    def _read(self, values: Values, lead: int = 0) -> list[Array]:
        for name in values:
            if name not in self._latents:
                raise inference_messages.unknown_latent(name, self._latents)
        missing = [name for name in self._latents if name not in values]
        if missing:
            raise inference_messages.missing_latents(missing)
        given = {name: self._runner.array(values[name]) for name in self._latents}
        for name, leaf in self._latents.items():
            if tuple(given[name].shape)[lead:] != values_of(leaf.shape):
                wanted, found = values_of(leaf.shape), tuple(given[name].shape)
                raise messages.other_structure(f"`{name}` of shape {found}", f"shape {wanted}")
        return list(given.values())

    def _named(self, parts: list[Any]) -> dict[str, Any]:
        return dict(zip(self._latents, parts, strict=True))

    def _differentiated(self, verb: str, how: Callable[..., Any], values: Values, *more: Any) -> Any:
        if self._node.shape:
            raise messages.no_number(verb, values_of(self._node.shape))
        return how(self._computation, tuple(range(len(self._latents))), self._read(values), *more)

    def value(self, values: Values) -> Array:
        """Give the expression's value."""
        return self._runner.values(self._computation, self._read(values))[0]

    def value_and_grad(self, values: Values) -> tuple[Array, dict[str, Array]]:
        """Give the value and the gradient."""
        value, slopes = self._differentiated("value_and_grad", self._runner.gradient, values)
        return value, self._named(slopes)

    def grad(self, values: Values) -> dict[str, Array]:
        """Give the gradient."""
        return self._named(self._differentiated("grad", self._runner.gradient, values)[1])

    def jacobian(self, values: Values) -> dict[str, Array]:
        """Give the derivatives of every element."""
        wrt = tuple(range(len(self._latents)))
        return self._named(self._runner.jacobian(self._computation, wrt, self._read(values))[0])

    def hessian(self, values: Values) -> dict[str, dict[str, Array]]:
        """Give the second derivatives."""
        rows = self._differentiated("hessian", self._runner.hessian, values)
        return self._named([self._named(row) for row in rows])

    def hvp(self, values: Values, vector: Values) -> dict[str, Array]:
        """Give the Hessian times a vector."""
        return self._named(self._differentiated("hvp", self._runner.hessian_times, values, self._read(vector)))

    def each(self, values: Values) -> Array:
        """Give the values at many points: every latent's has an axis over them in front."""
        given = self._read(tree_map(lambda value: value, dict(values)), lead=1)
        return self._runner.values(self._computation, given, range(len(given)))[0]
