"""What a user may set of a point estimate, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from scistan.given import as_choice, as_switch, as_whole, is_number, usual
from scistan.messages import marginal as marginal_messages
from scistan.messages import options as option_messages
from scistan.messages import point as messages
from scistan.settings import check_disabled, setting
from scistan.targets.scipy.streams import use_seed

__all__ = ["Options", "read_options"]


_WHOLE = ("starts", "max_iterations", "epochs")


@dataclass(frozen=True, slots=True)
class Options:
    """How to maximize.

    `optimizer` is `"lbfgs"`, `"newton"`, `"adam"`, or `"auto"`: Adam where there are batches, else L-BFGS, and Newton
    where coordinates are many. `batch_size` takes the observations in mini-batches, `epochs` is how often Adam sees
    each, `learning_rate` its largest step.
    `integrate` says which latents are integrated out: `"auto"` the random effects, `True` all that can be, `False`
    none, `"reml"` coefficients too, or names.
    `polish` finishes with exact steps on all observations. `compile` hands the density to `torch.compile`.
    """

    device: str = usual("cpu")
    starts: int = 8
    seed: int = 0
    dtype: str = usual("float64")
    optimizer: str = "auto"
    max_iterations: int = 1000
    batch_size: int | None = None
    epochs: int = 30
    learning_rate: float = 0.05
    polish: bool = True
    compile: bool = False
    integrate: bool | str | Sequence[str] = "auto"
    inits: object = None
    progress: bool = True


def read_options(verb: str, given: Mapping[str, Any]) -> Options:
    """Read keywords into options; an unknown or impossible one is an error."""
    known = [f.name for f in fields(Options)]
    for name in given:
        if name not in known:
            raise messages.unknown_option(verb, name, [*known, "data"])
    check_disabled()
    named = {name: setting(name, given.get(name, getattr(Options(), name))) for name in ("device", "dtype")}
    options = Options(**{**given, **named, "seed": use_seed(given.get("seed"))})
    read: dict[str, Any] = {name: as_whole(name, getattr(options, name)) for name in _WHOLE}
    if options.batch_size is not None:
        read["batch_size"] = as_whole("batch_size", options.batch_size)
    read |= {name: as_switch(name, getattr(options, name)) for name in ("polish", "compile", "progress")}
    as_choice("optimizer", options.optimizer, ("lbfgs", "newton", "adam", "auto"))
    if not is_number(options.learning_rate) or not options.learning_rate > 0:
        raise option_messages.bad_option("learning_rate", options.learning_rate, "a positive number", "0.05")
    read["integrate"] = _read_integrate(options.integrate)
    return replace(options, **read)


def _read_integrate(given: object) -> bool | str | tuple[str, ...]:
    """Read which latents to integrate; names come as a tuple."""
    if isinstance(given, bool) or (isinstance(given, str) and given in ("auto", "reml")):
        return given
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, list | tuple | set) else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise marginal_messages.bad_integrate(given)
    return names
