"""The model as others take it: `m.to_jax()`, `m.to_sympy()`, `m.log_density_fn()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scistan.given import as_switch, usual
from scistan.graph.instance import Instance
from scistan.model.assignment import Assignable
from scistan.settings import setting

if TYPE_CHECKING:
    from scistan.inference.density_function import DensityFunction
    from scistan.targets.jax import JaxDensity
    from scistan.targets.sympy import SympyDensity

__all__ = ["Lowered"]


class Lowered(Assignable):
    """What can be handed to libraries of arrays and of symbols. Abstract."""

    def instance(self) -> Instance:
        """Give the graph with the numbers at hand."""
        raise NotImplementedError

    def to_jax(self) -> JaxDensity:
        """Give the log density over free coordinates as JAX functions, for blackjax, NumPyro and optimistix."""
        from scistan.inference.density import check_complete
        from scistan.inference.summed import summed
        from scistan.targets.jax import lower_to_jax

        instance = summed(self.instance())
        check_complete(instance)
        return lower_to_jax(instance)

    def to_sympy(self, numbers: bool = True) -> SympyDensity:
        """Give the log density as a SymPy expression of every latent's elements, with gradient and Hessian.

        Data are their numbers; with `numbers=False` they are symbols too.
        """
        from scistan.inference.density import check_complete
        from scistan.inference.summed import summed
        from scistan.targets.sympy import lower_to_sympy

        instance = summed(self.instance())
        check_complete(instance)
        return lower_to_sympy(instance, as_switch("numbers", numbers))

    def log_density_fn(self, backend: str = usual("numpy")) -> DensityFunction:
        """Give the log density over a flat unconstrained vector, for a sampler or optimizer of your own."""
        from scistan.inference.density_function import log_density_fn
        from scistan.inference.summed import summed

        return log_density_fn(summed(self.instance()), setting("backend", backend))
