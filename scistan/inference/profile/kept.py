"""Give every fit and point estimate the record of its making, and add to it what is computed from its draws later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from scistan.engines.registry import ENGINES
from scistan.profiling import recording

if TYPE_CHECKING:
    from scistan.inference.fit import Fit
    from scistan.inference.point import PointEstimate
    from scistan.inference.profile.profile import Profile

__all__ = ["added_to", "profiled", "profiled_estimate"]


@contextmanager
def profiled(verb: str) -> Iterator[Callable[[Fit], Fit]]:
    """Record the making of a fit; what the block calls with the fit gives it the record."""
    from scistan.inference.profile.profile import Profile
    from scistan.inference.profile.ran import Ran

    with recording(verb) as took:

        def keep(fit: Fit) -> Fit:
            fit.profile = Profile(took)
            if fit.engine in ENGINES:  # what ran no Stan program has no statements to tell of
                seen = Ran.of(fit)
                took.evidence[seen.key] = seen
            return fit

        yield keep


@contextmanager
def profiled_estimate(verb: str) -> Iterator[Callable[[PointEstimate], PointEstimate]]:
    """Record the making of a point estimate; what the block calls with it gives it the record."""
    from scistan.inference.profile.profile import Profile

    with recording(verb) as took:
        yield lambda estimate: replace(estimate, profile_of_run=Profile(took))


@contextmanager
def added_to(profile: Profile | None) -> Iterator[None]:
    """Record what is done with a fit beside its making; both grow by it, the fit's record and who listens."""
    if profile is None:
        yield
        return
    with recording("groups") as took:
        yield
    profile.stages.take_over(took)
