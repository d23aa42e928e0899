"""`m.laplace()`: SciStan's own approximation, weighed, on torch; or Stan's, a normal at the mode of everything."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from scistan.disabled import why_disabled
from scistan.engines.encoding import to_json
from scistan.engines.options import asked_for, check_method_options, engine_seed
from scistan.engines.protocol import Request
from scistan.engines.registry import ENGINES, engine_for_many
from scistan.errors import UnsupportedError
from scistan.given import as_switch, as_whole
from scistan.inference.fit import Fit
from scistan.inference.fit_of import warn_if_ill
from scistan.inference.go_on import scales_of
from scistan.inference.inits import given_points
from scistan.inference.subject import Subject
from scistan.messages import nested as messages
from scistan.messages import sampling as sampling_messages

__all__ = ["OWN_OPTIONS", "approximate_by_torch", "going_on_from", "options_of_stan", "takes_torch", "tell_no_torch"]

_TORCH = "torch"  # the name of SciStan's own way, beside those of the engines
_LOOKED_AT = 200  # draws that scales are taken from
OWN_OPTIONS: Mapping[str, object] = {"integrate": "auto", "correct": True, "device": None, "dtype": None}


def takes_torch(engine: object, options: Mapping[str, Any]) -> bool:
    """Tell whether a call is answered by SciStan's own approximation: unless an engine or its options are asked for."""
    if not isinstance(engine, str) or engine not in ("auto", _TORCH):
        return False
    return engine == _TORCH or not (set(asked_for(options)) - set(OWN_OPTIONS) or _lacks_torch())


def _lacks_torch() -> str:
    """Say why torch cannot be used; an empty text where it can."""
    return why_disabled("torch") or ("torch not installed" if find_spec("torch") is None else "")


def options_of_stan(options: Mapping[str, Any], engine: str) -> dict[str, Any]:
    """Give the options of Stan's own approximation; those of SciStan's are refused."""
    own = {name: value for name, value in options.items() if name in OWN_OPTIONS}
    if said := [name for name, value in own.items() if not _is_usual(name, value)]:
        raise messages.not_for_torch(said, engine)
    return {name: value for name, value in options.items() if name not in OWN_OPTIONS}


def _is_usual(name: str, value: object) -> bool:
    usual = OWN_OPTIONS[name]
    return value is None or (type(value) is type(usual) and value == usual)


def tell_no_torch(fit: Fit, engine: str) -> Fit:
    """Say aloud that Stan's approximation stands for SciStan's own, where that is for want of torch."""
    if engine == "auto" and _lacks_torch():
        told = messages.no_torch(fit.engine)
        fit._note(told)
        warnings.warn(told, sampling_messages.ChainWarning, stacklevel=3)
    return fit


def approximate_by_torch(
    subject: Subject, draws: int, seed: int | None, inits: object, progress: bool, options: Mapping[str, Any]
) -> Fit:
    """Approximate normal latents given the others, weigh the draws, and warn where they do not serve."""
    own = {name: value for name, value in options.items() if name in OWN_OPTIONS and value is not None}
    rest = {name: value for name, value in options.items() if name not in OWN_OPTIONS}
    check_method_options("laplace", rest)
    if asked := asked_for(rest):
        others = [name for name, engine in ENGINES.items() if asked[0] in engine.methods.get("laplace", ())]
        raise sampling_messages.unknown_option(_TORCH, asked[0], OWN_OPTIONS, others)
    correct = own.pop("correct", True)
    if not isinstance(correct, bool) and not (isinstance(correct, str) and correct == "mcmc"):
        raise messages.bad_correct(correct)
    if missing := _lacks_torch():
        raise sampling_messages.engine_missing(_TORCH, missing, "pip install 'scistan[torch]'")
    from scistan.inference.nested.run import approximate_nested

    used, progress = engine_seed(seed), as_switch("progress", progress)
    start = None if inits is None else given_points(subject.instance, inits, 1, used)[0]
    fit = approximate_nested(subject, as_whole("draws", draws), used, start, progress, correct is not False, **own)
    if correct != "mcmc":
        warn_if_ill(fit, depth=4)
    return fit


def going_on_from(fit: Fit) -> dict[str, Any]:
    """Give what `m.mcmc()` is told to go on from an approximation: starts among its draws, and their scales."""
    subject = fit._need("sampling from there")
    request = Request(subject.program.text, to_json(subject.data), 1, 0, 1, fit.seed)
    try:
        scales = scales_of(subject, request, fit.draws, _LOOKED_AT)
    except (ValueError, UnsupportedError):  # a draw at the edge of its support, or a program that stanli refuses
        return {"inits": fit}
    scaled = {"engine": engine_for_many(), "integrate": False, "inv_metric": scales}
    return {"inits": fit, **({} if scales is None else scaled)}
