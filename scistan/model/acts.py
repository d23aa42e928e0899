"""What was done to a model by `m.do` and `m.given`: which values stand for others, and which were seen before."""

from __future__ import annotations

from dataclasses import dataclass

from scistan.graph.node import Data

__all__ = ["Acts"]


@dataclass(frozen=True, slots=True)
class Acts:
    """The interventions and conditions of a model; none, unless a verb made it of another model.

    `outdated` values were observed before an intervention on what they depend on, `given` ones are latents that were
    observed, and that nothing uses the latents `idle` is no mistake: an intervention cut their arrows, for one.
    """

    done: tuple[str, ...] = ()
    outdated: frozenset[Data] = frozenset()
    given: frozenset[Data] = frozenset()
    idle: frozenset[str] = frozenset()
