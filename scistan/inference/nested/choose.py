"""Which latents are approximated by a normal given the others."""

from __future__ import annotations

from scistan.graph.instance import Instance
from scistan.inference.point.marginal.effects import choose_integrated, is_normal
from scistan.messages import nested as messages

__all__ = ["approximated"]


def approximated(instance: Instance, integrate: object) -> tuple[str, ...]:
    """Name the normal latents, coefficients and effects alike, or those that were asked for."""
    if integrate == "reml":
        raise messages.bad_integrate(integrate)
    if integrate != "auto":
        return choose_integrated(instance, integrate, "map").names
    normal = [term for term in instance.graph.latents if is_normal(term.law)]
    return tuple(term.name for term in normal if 0 not in instance.shape(term.law.shape))
