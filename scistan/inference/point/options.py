"""What a user may set of a point estimate, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from scistan.messages import inference as inference_messages
from scistan.messages import point as messages
from scistan.targets.scipy.streams import use_seed

__all__ = ["Options", "read_options"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to maximize.

    `optimizer` is `"lbfgs"`, `"adam"`, or `"auto"`: Adam where there are batches, else L-BFGS. `batch_size` takes
    the observations in mini-batches, `epochs` is how often Adam sees each, `learning_rate` its largest step.
    `polish` finishes with exact steps on all observations. `compile` hands the density to `torch.compile`.
    """

    device: str = "cpu"
    starts: int = 8
    seed: int = 0
    dtype: str = "float64"
    optimizer: str = "auto"
    max_iterations: int = 1000
    batch_size: int | None = None
    epochs: int = 30
    learning_rate: float = 0.05
    polish: bool = True
    compile: bool = False
    inits: object = None
    progress: bool = True


def read_options(verb: str, given: Mapping[str, Any]) -> Options:
    """Read keywords into options; an unknown or impossible one is an error."""
    known = [f.name for f in fields(Options)]
    for name in given:
        if name not in known:
            raise messages.unknown_option(verb, name, [*known, "data"])
    options = Options(**{**given, "seed": use_seed(given.get("seed"))})
    for name in ("starts", "max_iterations", "epochs"):
        _whole(name, getattr(options, name))
    if options.batch_size is not None:
        _whole("batch_size", options.batch_size)
    for name in ("polish", "compile", "progress"):
        if not isinstance(getattr(options, name), bool):
            raise messages.bad_option(name, getattr(options, name), "True or False")
    if options.optimizer not in ("auto", "lbfgs", "adam"):
        raise messages.bad_option("optimizer", options.optimizer, "'lbfgs', 'adam' or 'auto'")
    rate = options.learning_rate
    if not isinstance(rate, int | float) or not 0 < rate < float("inf"):
        raise messages.bad_option("learning_rate", rate, "a positive number")
    return options


def _whole(name: str, given: object) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise inference_messages.too_few(name, given)
