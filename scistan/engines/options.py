"""The options of a run: which engine has which, under which name of its own, and what they may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.messages import sampling as messages

__all__ = ["ENGINE_OPTIONS", "METRICS", "check_any_options", "check_options", "settings_for"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What an option's value must be."""

    words: str
    example: str
    holds: Callable[[Any], bool]


def _whole(least: int) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, int | np.integer) and not isinstance(x, bool) and int(x) >= least


def _number(x: Any) -> bool:
    return isinstance(x, int | float | np.number) and not isinstance(x, bool) and bool(np.isfinite(x))


RULES: Mapping[str, Rule] = {
    "adapt_delta": Rule("a number between 0 and 1", "0.95", lambda x: _number(x) and 0 < x < 1),
    "max_treedepth": Rule("a whole number of at least 1", "12", _whole(1)),
    "metric": Rule("a name", "'dense'", lambda x: isinstance(x, str)),
    "inv_metric": Rule("an array of numbers", "np.ones(3)", lambda x: np.asarray(x).dtype.kind in "fiu"),
    "step_size": Rule("a positive number", "0.1", lambda x: _number(x) and x > 0),
    "adapt_engaged": Rule("True or False", "False", lambda x: isinstance(x, bool | np.bool_)),
    "thin": Rule("a whole number of at least 1", "2", _whole(1)),
    "save_warmup": Rule("True or False", "True", lambda x: isinstance(x, bool | np.bool_)),
    "init_radius": Rule("a number of at least 0", "1", lambda x: _number(x) and x >= 0),
    "parallel_chains": Rule("a whole number of at least 1", "4", _whole(1)),
    "threads_per_chain": Rule("a whole number of at least 1", "2", _whole(1)),
}

_STAN = {name: name for name in RULES}
# SciStan's option -> the engine's own name for it
ENGINE_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "stanli": {**_STAN, "adapt_delta": "delta", "max_treedepth": "max_depth"},
    "cmdstan": {**_STAN, "adapt_delta": "delta", "max_treedepth": "max_depth", "step_size": "stepsize"},
    "nutpie": {
        "adapt_delta": "target_accept",
        "max_treedepth": "maxdepth",
        "metric": "metric",
        "step_size": "initial_step",
        "save_warmup": "save_warmup",
        "parallel_chains": "parallel_chains",
    },
}
_STAN_METRICS = {"diag": "diag_e", "dense": "dense_e", "unit": "unit_e"}
_STAN_METRICS |= {name: name for name in _STAN_METRICS.values()}
METRICS: Mapping[str, Mapping[str, str]] = {
    "stanli": _STAN_METRICS,
    "cmdstan": _STAN_METRICS,
    "nutpie": {"low_rank": "low_rank", "diag": "diag", "diag_e": "diag"},
}


def check_options(engine: str, options: Mapping[str, Any]) -> None:
    """Refuse options the engine lacks, by name, and values that cannot be."""
    known = ENGINE_OPTIONS[engine]
    for option, value in options.items():
        if option not in known:
            others = [name for name, has in ENGINE_OPTIONS.items() if option in has]
            raise messages.unknown_option(engine, option, known, others)
        _check_value(option, value)
    metric = options.get("metric")
    if metric is not None and metric not in METRICS[engine]:
        raise messages.unknown_metric(engine, metric, METRICS)


def check_any_options(options: Mapping[str, Any]) -> None:
    """Refuse options and metrics that no engine has, and values that cannot be."""
    for option, value in options.items():
        if option not in RULES:
            raise messages.unknown_option("auto", option, RULES, [])
        _check_value(option, value)
    metric = options.get("metric")
    every = {name for names in METRICS.values() for name in names}
    if metric is not None and metric not in every:
        raise messages.unknown_metric("auto", metric, {"auto": every})


def _check_value(option: str, value: object) -> None:
    if value is not None and not RULES[option].holds(value):
        raise messages.bad_option(option, value, RULES[option].words, RULES[option].example)


def settings_for(engine: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options under the engine's own names, the unset ones left out."""
    check_options(engine, options)
    given = {option: value for option, value in options.items() if value is not None}
    if "metric" in given:
        given["metric"] = METRICS[engine][given["metric"]]
    return {ENGINE_OPTIONS[engine][option]: value for option, value in given.items()}
