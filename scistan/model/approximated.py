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
        def mcmc(self, *args: Any, **keywords: Any) -> Fit: ...

    def pathfinder(self, draws: int = 1000, seed: int | None = None, data: Mapping[str, object] | None = None,
                   inits: object = None, progress: bool = True, *, engine: str = "auto", **options: Any) -> Fit:
        """Approximate the posterior with Pathfinder."""
        return self._approximated("pathfinder", data, draws, seed, inits, progress, options, engine)

    def laplace(self, draws: int = 1000, seed: int | None = None, data: Mapping[str, object] | None = None,
                inits: object = None, progress: bool = True, *, engine: str = "auto", integrate: Any = "auto",
                correct: bool | str = True, **options: Any) -> Fit:
        """Approximate the posterior: normal latents by a normal given the others, and weigh the draws.

        `integrate` says which latents are approximated given the others: "auto" the normal ones, True all that may be
        any real number, False none, or names. Where the weights can be trusted, draws are drawn again by them, so that
        they are the posterior's; where not, that is told, and `correct="mcmc"` samples from there. `correct=False`
        gives the approximation as it is. `engine="stanli"` or `"cmdstan"` puts one normal at the mode of everything,
        as Stan does.
        """
        from scistan.inference.laplace import approximate_by_torch, options_of_stan, takes_torch, tell_no_torch
        from scistan.inference.planning.approximated import after_approximation

        given = {"integrate": integrate, "correct": correct, **options}
        if not takes_torch(engine, given):
            stans = options_of_stan(given, engine)
            fit = self._approximated("laplace", data, draws, seed, inits, progress, stans, engine)
            return tell_no_torch(fit, engine)
        start = Start.now("laplace", "torch")
        there = self._on(data)
        with profiled("laplace") as kept:
            fit = approximate_by_torch(there._subject(), draws, seed, inits, progress, given)
            fit = kept(after_approximation(start, fit))
        if correct == "mcmc" and not fit.diagnose().ok:
            return there._sampled_from(fit, draws, progress)
        return fit

    def _sampled_from(self, fit: Fit, draws: int, progress: bool) -> Fit:
        """Sample from an approximation that does not serve: from starts among its draws, and with their scales."""
        from scistan.inference.laplace import going_on_from
        from scistan.messages import nested as messages

        sampled = self.mcmc(draws=draws, seed=fit.seed, progress=progress, **going_on_from(fit))
        sampled._note(messages.sampled_instead(str(fit.diagnose().verdict)))
        return sampled

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
