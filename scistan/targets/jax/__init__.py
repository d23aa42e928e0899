"""The JAX target: log densities over free coordinates, jitted, with data as arguments."""

from scistan.targets.jax.density import JaxDensity, lower_to_jax

__all__ = ["JaxDensity", "lower_to_jax"]
