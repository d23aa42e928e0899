"""Posteriors without chains: `m.pathfinder()`, `m.laplace()`, `m.variational()`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from scistan.inference.planning.start import Start
from scistan.inference.profile.kept import profiled
from scistan.model.assignment import Assignable

if TYPE_CHECKING:
    from scistan.inference.fit import Fit
    from scistan.inference.subject import Subject

__all__ = ["Approximated"]


class Approximated(Assignable):
    """What holds variables, and whose posterior can be approximated. Abstract."""

    if TYPE_CHECKING:

        def _on(self, data: Mapping[str, object] | None) -> Self: ...
        def _subject(self, threads: bool = False) -> Subject: ...

    def pathfinder(self, draws: int = 1000, seed: int | None = None, data: Mapping[str, object] | None = None,
                   inits: object = None, progress: bool = True, *, engine: str = "auto", **options: Any) -> Fit:
        """Approximate the posterior with Pathfinder."""
        return self._approximated("pathfinder", data, draws, seed, inits, progress, options, engine)

    def laplace(self, draws: int = 1000, seed: int | None = None, data: Mapping[str, object] | None = None,
                inits: object = None, progress: bool = True, *, engine: str = "auto", **options: Any) -> Fit:
        """Approximate the posterior with a normal at its mode."""
        return self._approximated("laplace", data, draws, seed, inits, progress, options, engine)

    def variational(self, draws: int = 1000, seed: int | None = None, data: Mapping[str, object] | None = None,
                    inits: object = None, progress: bool = True, *, engine: str = "auto", **options: Any) -> Fit:
        """Approximate the posterior with automatic differentiation variational inference."""
        return self._approximated("variational", data, draws, seed, inits, progress, options, engine)

    def _approximated(self, method: str, data: Mapping[str, object] | None, *given: Any) -> Fit:
        start = Start.now(method, "stan")
        from scistan.inference.approximate import approximate
        from scistan.inference.planning.approximated import after_approximation

        with profiled(method) as kept:
            return kept(after_approximation(start, approximate(self._on(data)._subject(), method, *given)))
