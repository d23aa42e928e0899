"""A paragraph for the methods section of a paper: it says what is known of the fit, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.diagnostics.checks import MEASURABLE
from scistan.diagnostics.statistics import measure
from scistan.engines.registry import ENGINES
from scistan.inference.certificate import Certificate
from scistan.inference.described import Description
from scistan.inference.weighed import Weighed
from scistan.version import __version__

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["Extremes", "extremes", "joined", "methods_paragraph", "plural"]

_MOST_PRIORS = 12
_APPROXIMATIONS = {
    "pathfinder": "Pathfinder, a variational approximation along quasi-Newton paths",
    "laplace": "a Laplace approximation, that is a normal distribution at the posterior mode",
    "nested laplace": "a nested Laplace approximation whose draws were weighed against the exact joint density",
    "variational": "automatic differentiation variational inference",
}

Extremes = dict[str, float]


def methods_paragraph(fit: Fit, described: Description | None, worst: Extremes) -> str:
    """Write what was fitted, with which priors, how, and how well."""
    sentences = [_fitted(fit), *_priors(fit, described), _drawn(fit), *_health(fit, worst), *_versions(fit)]
    return " ".join(sentence for sentence in sentences if sentence)


def joined(parts: Sequence[str]) -> str:
    """Write a list as people do.

    >>> joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])
    ('a', 'a and b', 'a, b, and c')
    """
    if len(parts) <= 2:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def plural(count: int, one: str, many: str = "") -> str:
    """Write a number of things.

    >>> plural(1, "chain"), plural(4000, "draw")
    ('1 chain', '4,000 draws')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _title(engine: str) -> str:
    """Give what a paper calls an engine, or the package that ran instead of one."""
    return (ENGINES[engine].title if engine in ENGINES else "") or engine


def _fitted(fit: Fit) -> str:
    if fit.subject is None:
        return f"The model “{fit.model_name}” was fitted; its definition was not saved with its draws."
    instance = fit.subject.written_instance
    seen = {term.name: math.prod(fit.subject.shape(term.name)) for term in instance.graph.observed}
    if not seen:
        return f"The model “{fit.model_name}” has no observed variables: its draws are from the prior."
    parts = [f"{plural(count, 'value')} of {name}" for name, count in seen.items()]
    return f"The model “{fit.model_name}” was fitted to {joined(parts)}."


def _priors(fit: Fit, described: Description | None) -> list[str]:
    if fit.subject is None or described is None:
        return []
    latents = [term.name for term in fit.subject.written_instance.graph.latents]
    parts = []
    for name in latents[:_MOST_PRIORS]:
        count = math.prod(fit.subject.shape(name))
        many = f" ({plural(count, 'value')})" if fit.subject.shape(name) else ""
        parts.append(f"{name} {described.definitions[name]}{many}")
    if not parts:
        return []
    if len(latents) > _MOST_PRIORS:
        parts.append(f"{plural(len(latents) - _MOST_PRIORS, 'further variable')} as defined in the program")
    word = "prior was" if len(latents) == 1 else "priors were"
    return [f"The {word} {'; '.join(parts)}."]


def _drawn(fit: Fit) -> str:
    chains, draws = fit.shape
    settings: Any = fit.settings
    seed = f" (seed {settings['seed']})" if "seed" in settings else ""
    if fit.method != "mcmc":
        method = "nested laplace" if isinstance(fit.certificate, Weighed) else fit.method
        how = f"{_APPROXIMATIONS.get(method, method)}, run by {_title(fit.engine)}"
        taken = plural(chains * draws, "draw was", "draws were")
        return f"The posterior was approximated by {how}; {taken} taken{seed}."
    engine = ENGINES[fit.engine].sampler or fit.engine
    warmup = f"{plural(int(settings['warmup']), 'warm-up iteration')} and " if "warmup" in settings else ""
    kept = f"{draws:,} kept {'iteration' if draws == 1 else 'iterations'}"
    each = "" if chains == 1 else " each"
    options = [f"a target acceptance rate of {settings['adapt_delta']:g}"] if "adapt_delta" in settings else []
    if settings.get("max_treedepth"):
        options.append(f"a maximum tree depth of {settings['max_treedepth']}")
    with_options = f", with {joined(options)}" if options else ""
    return (
        f"Posterior draws were obtained with {engine}: {plural(chains, 'chain')} of {warmup}{kept}{each}"
        f"{with_options}{seed}."
    )


def extremes(fit: Fit) -> Extremes:
    """Give the largest R-hat, the smallest effective sample sizes and the number of divergences, where known."""
    if fit.method != "mcmc" or fit.shape[1] < MEASURABLE:
        return {}
    moving = {n: x for n, x in fit.posterior.items() if x.size and np.isfinite(x).all() and x.min() < x.max()}
    health = measure(moving).values()
    found: Extremes = {}
    if moving:
        with np.errstate(all="ignore"):
            found = {
                "rhat": max(float(np.nanmax(h.rhat)) for h in health),
                "bulk_ess": min(float(np.nanmin(h.bulk_ess)) for h in health),
                "tail_ess": min(float(np.nanmin(h.tail_ess)) for h in health),
            }
    bad = fit.draws.statistics.get("diverging")
    if bad is not None:
        found["divergences"] = float(bad.sum())
    return found


def _health(fit: Fit, worst: Extremes) -> list[str]:
    told = []
    if "rhat" in worst:
        told.append(
            f"The largest rank-normalized split R-hat was {worst['rhat']:.3f}, and the smallest bulk and tail "
            f"effective sample sizes were {worst['bulk_ess']:,.0f} and {worst['tail_ess']:,.0f} (Vehtari et al., 2021)."
        )
    if "divergences" in worst:
        count, total = int(worst["divergences"]), fit.shape[0] * fit.shape[1]
        what = "No transition" if not count else f"{count:,} of {plural(total, 'transition')}"
        told.append(f"{what} diverged.")
    return told


def _versions(fit: Fit) -> list[str]:
    known = [f"{package} {version}" for package, version in fit.draws.versions.items()]
    certified = isinstance(fit.certificate, Certificate) and fit.certificate.ok
    checked = ", whose densities were compared with SciPy's before sampling" if certified else ""
    ran = f"The engine was {joined(known)}{checked}. " if known else ""
    return [f"{ran}The fit was made with SciStan {fit_version(fit)}."]


def fit_version(fit: Fit) -> str:
    """Give the SciStan that made the fit: that of the file, where it was loaded."""
    found = fit.groups.get("posterior")
    return str(getattr(found, "attrs", {}).get("scistan_version", __version__))
