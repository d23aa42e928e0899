"""`m.to_sympy()`: a model's log density as an expression, with gradient and Hessian."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scistan.distributions.density import total
from scistan.distributions.resolve import value_domain
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.targets.sympy.functions import import_sympy
from scistan.targets.sympy.walk import evaluate

__all__ = ["SympyDensity", "lower_to_sympy"]

Expression = Any


@dataclass(frozen=True, slots=True)
class SympyDensity:
    """A log density over the latents' values, all constants kept and without Jacobian: that of `m.log_density`.

    `latents` and `data` are the symbols by name, an array of them where a variable has axes: `theta[0]`, `theta[1]`.
    `gradient` and `hessian` are over all elements of the latents, in `symbols`' order.
    """

    log_density: Expression
    latents: Mapping[str, np.ndarray]
    data: Mapping[str, np.ndarray]

    @property
    def symbols(self) -> list[Any]:
        """The elements of the latents, one after the other."""
        return [symbol for array in self.latents.values() for symbol in array.ravel()]

    @property
    def gradient(self) -> Expression:
        """The derivatives over each element of the latents, as a column."""
        return import_sympy().Matrix([self.log_density.diff(symbol) for symbol in self.symbols])

    @property
    def hessian(self) -> Expression:
        """The second derivatives, as a matrix."""
        return import_sympy().hessian(self.log_density, self.symbols)

    def simplify(self) -> SympyDensity:
        """Give the same density in a simpler form, as far as SymPy finds one."""
        sp = import_sympy()
        return replace(self, log_density=sp.simplify(sp.expand_log(self.log_density)))

    def lambdify(self, expression: Expression = None, modules: Any = None) -> Callable[..., Any]:
        """Make a Python function of values by name: of the log density, or of another expression of its symbols."""
        sp = import_sympy()
        given = {**self.latents, **self.data}
        flat = [symbol for array in given.values() for symbol in array.ravel()]
        wanted = self.log_density if expression is None else expression
        compute = sp.lambdify(flat, wanted, modules or ["scipy", "numpy"])

        def function(**values: Any) -> Any:
            numbers = [x for name, array in given.items() for x in np.broadcast_to(values[name], array.shape).ravel()]
            return compute(*numbers)

        return function

    def __repr__(self) -> str:
        return str(self.log_density)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {import_sympy().latex(self.log_density)}$"


def lower_to_sympy(instance: Instance, numbers: bool) -> SympyDensity:
    """Write the log density of a model with symbols for the latents' elements, and for those of data if asked."""
    graph = instance.graph
    known: dict[Node, np.ndarray] = {}
    latents: dict[str, np.ndarray] = {}
    for term in graph.latents:
        domain = value_domain(term.law)
        positive = isinstance(domain.lower, int | float) and domain.lower >= 0 and not domain.structure
        latents[term.name] = _symbols(term.name, instance.shape(term.law.shape), positive=positive)
        known[term.value] = latents[term.name]
    data: dict[str, np.ndarray] = {}
    if not numbers:
        named: dict[Node, str] = {term.value: term.name for term in graph.observed}
        named.update({leaf: name for leaf, name in graph.data_names.items()})  # noqa: C416
        for leaf, array in instance.values.items():
            if leaf in named and not leaf.integer:  # whole numbers may be positions
                data[named[leaf]] = known[leaf] = _symbols(named[leaf], array.shape, positive=False)
    parts = [total(term) for term in graph.terms]
    values = evaluate(instance, parts, known)
    return SympyDensity(import_sympy().Add(*(values[part].item() for part in parts)), latents, data)


def _symbols(name: str, shape: tuple[int, ...], *, positive: bool) -> np.ndarray:
    sp = import_sympy()
    kind = {"positive": True} if positive else {"real": True}
    found = np.empty(shape, dtype=object)
    for at in np.ndindex(shape):
        found[at] = sp.Symbol(f"{name}[{', '.join(map(str, at))}]" if at else name, **kind)
    return found
