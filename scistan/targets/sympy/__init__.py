"""The SymPy target: log densities as expressions."""

from scistan.targets.sympy.density import SympyDensity, lower_to_sympy

__all__ = ["SympyDensity", "lower_to_sympy"]
