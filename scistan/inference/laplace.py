"""`m.laplace()`: SciStan's own approximation, weighed, on torch; or Stan's, a normal at the mode of everything."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from scistan.disabled import why_disabled
from scistan.engines.encoding import to_json
from scistan.engines.options import AS_USUAL, check_method_options, engine_seed
from scistan.engines.protocol import Request
from scistan.errors import UnsupportedError
from scistan.given import as_switch, as_whole
from scistan.inference.approximate import approximate
from scistan.inference.fit import Fit
from scistan.inference.fit_of import warn_if_ill
from scistan.inference.go_on import scales_of
from scistan.inference.inits import given_points
from scistan.inference.subject import Subject
from scistan.messages import nested as messages
from scistan.messages import sampling as sampling_messages

__all__ = ["OWN_OPTIONS", "WITHOUT_STAN", "approximate_by_laplace", "going_on_from", "takes_torch"]

WITHOUT_STAN = "torch"  # the name of SciStan's own way, beside those of the engines
_LOOKED_AT = 200  # draws that scales are taken from
OWN_OPTIONS: Mapping[str, object] = {"integrate": "auto", "correct": True, "device": None, "dtype": None}


def takes_torch(engine: object, options: Mapping[str, Any]) -> bool:
    """Tell whether a call is answered by SciStan's own approximation: unless an engine or its options are asked for."""
    if not isinstance(engine, str) or engine == WITHOUT_STAN:
        return isinstance(engine, str)
    stans = {name for name, value in options.items() if value is not None and (name, value) not in AS_USUAL}
    return engine == "auto" and stans <= set(OWN_OPTIONS) and not _no_torch()


def _no_torch() -> bool:
    return find_spec("torch") is None or bool(why_disabled("torch"))


def approximate_by_laplace(
    subject: Subject, draws: int, seed: int | None, inits: object, progress: bool, options: Mapping[str, Any],
    engine: str = "auto",
) -> Fit:
    """Approximate the posterior at its mode, and warn where that does not serve."""
    own = {name: value for name, value in options.items() if name in OWN_OPTIONS and value is not None}
    rest = {name: value for name, value in options.items() if name not in OWN_OPTIONS}
    if own.get("correct") not in (None, True, False, "mcmc"):
        raise messages.bad_correct(own["correct"])
    check_method_options("laplace", rest)
    if not takes_torch(engine, options):
        return _by_stan(subject, draws, seed, inits, progress, own, rest, engine)
    if asked := [name for name, value in rest.items() if value is not None and (name, value) not in AS_USUAL]:
        raise sampling_messages.unknown_option(WITHOUT_STAN, asked[0], OWN_OPTIONS, ["cmdstan"])
    if _no_torch():
        raise sampling_messages.engine_missing(
            WITHOUT_STAN, why_disabled("torch") or "torch not installed", "pip install 'scistan[torch]'"
        )
    from scistan.inference.nested.run import approximate_nested

    used = engine_seed(seed)
    start = None if inits is None else given_points(subject.instance, inits, 1, used)[0]
    correct = own.pop("correct", True) is not False
    fit = approximate_nested(
        subject, as_whole("draws", draws), used, start, as_switch("progress", progress), correct, **own
    )
    if options.get("correct") != "mcmc":
        warn_if_ill(fit, depth=6)
    return fit


def going_on_from(fit: Fit) -> dict[str, Any]:
    """Give what `m.mcmc()` is told to go on from an approximation: starts among its draws, and their scales."""
    subject = fit._need("sampling from there")
    request = Request(subject.program.text, to_json(subject.data), 1, 0, 1, fit.seed)
    try:
        scales = scales_of(subject, request, fit.draws, _LOOKED_AT)
    except (ValueError, UnsupportedError):  # a draw at the edge of its support, or a program that stanli refuses
        return {"inits": fit}
    scaled = {"engine": "stanli", "integrate": False, "inv_metric": scales}
    return {"inits": fit, **({} if scales is None else scaled)}


def _by_stan(
    subject: Subject, draws: int, seed: int | None, inits: object, progress: bool, own: Mapping[str, Any],
    rest: Mapping[str, Any], engine: str,
) -> Fit:
    if asked := [name for name, value in own.items() if value != OWN_OPTIONS[name]]:
        raise messages.not_for_torch(asked, engine)
    fit = approximate(subject, "laplace", draws, seed, inits, progress, rest, engine)
    if engine == "auto" and _no_torch():
        told = messages.no_torch(fit.engine)
        fit._note(told)
        warnings.warn(told, sampling_messages.ChainWarning, stacklevel=6)
    return fit
