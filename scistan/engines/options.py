"""The options of a run: which engine has which, under which name of its own, and what they may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.engines.registry import ENGINES, engine_named, preferred
from scistan.given import LARGEST, MOST, as_whole, is_number, is_switch, is_whole
from scistan.messages import options as option_messages
from scistan.messages import sampling as messages
from scistan.targets.scipy.streams import use_seed

__all__ = [
    "ENGINE_OPTIONS", "LEAST_WARMUP", "METHOD_OPTIONS", "METRICS", "asked_for", "check_any_options", "check_limit",
    "check_method_options", "check_options", "check_run", "engine_seed", "engines_for_method", "plain", "settings_for",
]


@dataclass(frozen=True, slots=True)
class OptionRule:
    """What an option's value must be."""

    words: str
    example: str
    holds: Callable[[Any], bool]


def _whole(example: str, most: int = LARGEST) -> OptionRule:
    return OptionRule(f"a whole number of at least 1 and at most {most:,}", example, lambda x: is_whole(x, 1, most))


def _positive(example: str) -> OptionRule:
    return OptionRule("a positive number", example, lambda x: is_number(x) and x > 0)


def _switch(example: str) -> OptionRule:
    return OptionRule("True or False", example, is_switch)


def _is_family(x: Any) -> bool:
    return isinstance(x, str) and x in ("meanfield", "fullrank")


def _is_array(x: Any) -> bool:
    try:
        return np.asarray(x).dtype.kind in "fiu"
    except (ValueError, TypeError, RuntimeError):  # rows of several lengths, or a tensor with gradients
        return False


RULES: Mapping[str, OptionRule] = {
    "adapt_delta": OptionRule("a number between 0 and 1", "0.95", lambda x: is_number(x) and 0 < x < 1),
    "max_treedepth": _whole("12"),
    "metric": OptionRule("a name", "'dense'", lambda x: isinstance(x, str)),
    "inv_metric": OptionRule("an array of numbers", "np.ones(3)", _is_array),
    "step_size": _positive("0.1"),
    "adapt_engaged": _switch("False"),
    "thin": _whole("2"),
    "save_warmup": _switch("True"),
    "init_radius": OptionRule("a number of at least 0", "1", lambda x: is_number(x) and x >= 0),
    "parallel_chains": _whole("4"),
    "threads_per_chain": _whole("2", MOST["threads_per_chain"]),
}

# SciStan's option, or metric -> the engine's own name for it; the engines declare them.
ENGINE_OPTIONS: Mapping[str, Mapping[str, str]] = {name: engine.options for name, engine in ENGINES.items()}
METRICS: Mapping[str, Mapping[str, str]] = {name: engine.metrics for name, engine in ENGINES.items()}
LEAST_WARMUP: Mapping[str, int] = {name: engine.least_warmup for name, engine in ENGINES.items()}
# The options of Stan's methods that are no sampler.
METHOD_OPTIONS: Mapping[str, Mapping[str, OptionRule]] = {
    "pathfinder": {
        "num_paths": _whole("4", MOST["num_paths"]),
        "max_lbfgs_iters": _whole("1000"),
        "history_size": _whole("5"),
        "num_elbo_draws": _whole("25"),
        "psis_resample": _switch("True"),
    },
    "laplace": {
        "jacobian": _switch("True"),
        "opt_args": OptionRule("a dict of options", "{'algorithm': 'lbfgs'}", lambda x: isinstance(x, Mapping)),
    },
    "variational": {
        "algorithm": OptionRule("'meanfield' or 'fullrank'", "'meanfield'", _is_family),
        "iter": _whole("10_000"),
        "grad_samples": _whole("1"),
        "elbo_samples": _whole("100"),
        "eta": _positive("1.0"),
        "adapt_engaged": _switch("True"),
        "tol_rel_obj": _positive("0.01"),
    },
}


# What says nothing, for it is so anyway.
_AS_USUAL: tuple[tuple[str, object], ...] = (("jacobian", True), ("opt_args", {}))


def asked_for(options: Mapping[str, Any]) -> list[str]:
    """Name the options that say something."""
    usual = dict(_AS_USUAL)
    return [
        name for name, value in options.items()
        if value is not None and not (name in usual and type(value) is type(usual[name]) and value == usual[name])
    ]


def engines_for_method(engine: object, method: str, options: Mapping[str, Any]) -> list[str]:
    """List the engines that run a method with these options, `auto`'s first choice first, or say why none does."""
    engine = engine if isinstance(engine, str) else engine_named(engine).name
    asked = set(asked_for(options))
    having = {name: declared for name, declared in ENGINES.items() if method in declared.methods}
    if engine == "auto":
        able = preferred(having, lambda declared: asked <= declared.methods[method])
        at_hand = [name for name in able if not ENGINES[name].missing]
        if not at_hand:
            raise messages.engine_missing(able[-1], ENGINES[able[-1]].missing, ENGINES[able[-1]].fix)
        return at_hand
    engine_named(engine)
    if engine not in having:
        raise messages.no_such_method(engine, method, list(having))
    taken = having[engine].methods[method]
    for option in sorted(asked - taken):
        others = [name for name, declared in having.items() if option in declared.methods[method]]
        raise messages.unknown_option(engine, option, taken, others)
    return [engine]


def check_run(engine: str, draws: object, warmup: object, chains: object) -> tuple[int, int, int]:
    """Read the numbers of a run: whole, no bigger than C's int, and a warm-up that the engine can do with."""
    read = as_whole("draws", draws), as_whole("warmup", warmup, 0), as_whole("chains", chains)
    if sum(read[:2]) > LARGEST:
        raise option_messages.too_many("draws + warmup", sum(read[:2]), LARGEST)
    least = LEAST_WARMUP.get(engine, 0)
    if read[1] < least:
        raise messages.no_warmup(engine, least, read[1])
    return read


def engine_seed(seed: object) -> int:
    """Check a seed that was given for a run of Stan, whose seeds have 32 bits, or draw one."""
    return use_seed(seed, 2**32 - 1)


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


def check_method_options(method: str, options: Mapping[str, Any]) -> None:
    """Refuse options that no engine has for a method, and values that cannot be."""
    rules = METHOD_OPTIONS[method]
    for option, value in options.items():
        if option not in rules:
            raise messages.unknown_option(method, option, rules, [])
        _check_value(option, value, rules)


def _check_value(option: str, value: object, rules: Mapping[str, OptionRule] = RULES) -> None:
    if value is not None and not rules[option].holds(value):
        raise option_messages.bad_option(option, value, rules[option].words, rules[option].example)


def check_limit(seconds: object) -> None:
    """Refuse a limit of time that is none; it is no option of an engine's, all of them heed it."""
    _check_value("time_limit", seconds, {"time_limit": _positive("60")})


def settings_for(engine: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options under the engine's own names, the unset ones left out."""
    check_options(engine, options)
    given = {option: value for option, value in options.items() if value is not None}
    if "metric" in given:
        given["metric"] = METRICS[engine][given["metric"]]
    return {ENGINE_OPTIONS[engine][option]: plain(value) for option, value in given.items()}


def plain(value: Any) -> Any:
    """Give a number of NumPy's as Python's own."""
    return value.item() if isinstance(value, np.generic) else value
