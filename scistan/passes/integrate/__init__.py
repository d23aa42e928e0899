"""Integrate latents out of a density, exactly: conjugate ones, and normal ones that normal values are linear in.

What is left is a model of fewer latents, for these data alone; those that are gone are drawn again given the others.
"""

from __future__ import annotations

from scistan.passes.integrate.compound import CompoundIntegral, compound_latents, integrate_compounds
from scistan.passes.integrate.integral import Integrated
from scistan.passes.integrate.normal import NormalIntegral, integrate_normals, normal_latents

__all__ = [
    "CompoundIntegral", "Integrated", "NormalIntegral", "compound_latents", "integrate_compounds",
    "integrate_normals", "normal_latents",
]
