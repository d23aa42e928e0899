"""Pathfinder, Laplace and ADVI on stanli's kernels, no compiler needed: Stan's own services, called through C.

stanli refuses several paths in one call, for Stan 2.40 reads past an array there. So each path is a call, with the
number that Stan would give it, and what is given back are the draws of all of them.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scistan.engines.columns import gather
from scistan.engines.interrupt import heed_interrupts
from scistan.engines.loading import has_tape, load_stanli, version_of
from scistan.engines.methods import MethodRequest
from scistan.engines.protocol import Chains, Draws, Request
from scistan.engines.stanli import prepare, starts
from scistan.engines.stanli_structures import LogCallback, structure_for
from scistan.messages import sampling as messages

__all__ = ["PATHS", "approximate"]

PATHS = 4  # Stan's own default
PATH_DRAWS = 1000
_FAMILIES = ("meanfield", "fullrank")
_LIMIT = "maximum number of iterations is reached"


def approximate(request: MethodRequest) -> Draws:
    """Run a method and give its draws as one chain, with both log densities at each."""
    if not has_tape():
        raise messages.no_tape("stanli", request.method)
    started = time.perf_counter()
    asked = Request(_whole(request), request.data, request.draws, 0, 1, request.seed, loaded=_loaded(request))
    model = prepare(asked)
    start = None if request.start is None else starts(model, replace(asked, inits=(request.start,)))
    call = _Call(request, model, start)
    ready = time.perf_counter()
    rows, notes = _METHODS[request.method](call)
    if not np.isfinite(rows.lp_approx).any():
        raise messages.cannot_sample(f"{request.method} gave no draws with a density")
    timing = {"build": ready - started, "sample": time.perf_counter() - ready}
    statistics = {"lp": rows.lp[None], "lp_approx": rows.lp_approx[None]}
    kept = Chains(gather(call.columns, rows.values[None]), statistics)
    return Draws(kept, "stanli", {"stanli": version_of("stanli")}, timing, (1,), notes=notes)


def _whole(request: MethodRequest) -> str:
    """Give the program with what `~` drops of its density: ADVI's criterion to stop looks at the whole."""
    if not request.constant:
        return request.text
    before, opening, after = request.text.partition("\nmodel {\n")
    return f"{before}{opening}  target += {request.constant!r};\n{after}"


def _loaded(request: MethodRequest) -> Any:
    return None if request.constant else request.loaded


@dataclass(slots=True, eq=False)
class _Rows:
    """A block of draws: a row each, and the two log densities there; NaN where nothing was written."""

    values: np.ndarray
    lp: np.ndarray
    lp_approx: np.ndarray

    @classmethod
    def of(cls, draws: int, columns: int) -> _Rows:
        return cls(np.full((draws, columns), np.nan), np.full(draws, np.nan), np.full(draws, np.nan))


@dataclass(slots=True, eq=False)
class _Call:
    """A method on a model that is ready: makes the calls into the library, which take the same things at their ends."""

    request: MethodRequest
    model: Any
    start: np.ndarray | None
    columns: list[str] = field(init=False)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.columns = list(self.model._column_names()[0])

    def run(self, function: str, options: Any, *buffers: Any) -> str:
        """Call a function; give what it says of a failure, nothing where there was none."""
        stanli = load_stanli()
        interrupted, message = ctypes.c_int(0), ctypes.create_string_buffer(4096)
        with heed_interrupts() as wish:
            on_log = LogCallback(lambda _level, text, _: self.said.append(text.decode(errors="replace")))
            on_poll = stanli._SamplePollCallback(lambda _: int(bool(wish)))
            code = getattr(stanli._lib, f"stanli_{function}")(
                ctypes.c_void_p(self.model._m), ctypes.byref(options), *buffers, on_log, None, on_poll, None,
                ctypes.byref(interrupted), message, ctypes.c_size_t(len(message)),
            )  # fmt: skip
            if interrupted.value or wish:
                raise KeyboardInterrupt
        said = message.value.decode(errors="replace").strip()
        return (said or f"{function} ended with code {code}") if code else ""

    def options(self, method: str, **more: Any) -> Any:
        """Give a method's structure with what was asked for."""
        found = structure_for(method)
        for name, value in {"seed": self.request.seed, **more}.items():
            setattr(found, name, value)
        return found


def _pathfinder(call: _Call) -> tuple[_Rows, tuple[str, ...]]:
    """Run the paths one after another; those that fail are told, and are no reason to stop."""
    settings = dict(call.request.options)
    paths, failures = settings.pop("num_paths", PATHS), []
    settings.pop("psis_resample", None)  # done with the draws of all paths, by who asked for them
    wanted = call.request.draws if paths == 1 else PATH_DRAWS
    blocks = []
    for number in range(paths):
        options = call.options("pathfinder", chain_id=number + 1, num_paths=1, num_draws=wanted, **settings)
        if call.start is not None:
            options.inits = _address(call.start)
        rows, written = _Rows.of(wanted, len(call.columns)), ctypes.c_int64(0)
        outputs = (_address(rows.values), _address(rows.lp), _address(rows.lp_approx), None, ctypes.byref(written))
        failed = call.run("pathfinder", options, *outputs)
        if failed:
            failures.append(failed)
        else:
            n = written.value
            blocks.append(_Rows(rows.values[:n], rows.lp[:n], rows.lp_approx[:n]))
    if not blocks:
        raise messages.cannot_sample("; ".join(dict.fromkeys(failures)))
    whole = _Rows(*(np.concatenate([getattr(b, part) for b in blocks]) for part in ("values", "lp", "lp_approx")))
    return whole, (messages.paths_failed(len(failures), paths, failures[0]),) if failures else ()


def _laplace(call: _Call) -> tuple[_Rows, tuple[str, ...]]:
    try:
        start = None if call.start is None else call.start[0]
        mode = np.ascontiguousarray(call.model.optimize(seed=call.request.seed, init=start).unconstrained)
    except RuntimeError as error:
        raise messages.cannot_sample(str(error)) from None
    rows = _Rows.of(call.request.draws, len(call.columns))
    options = call.options("laplace", draws=call.request.draws)
    outputs = (_address(rows.values), _address(rows.lp), _address(rows.lp_approx))
    if failed := call.run("laplace_sample", options, _address(mode), *outputs):
        raise messages.cannot_sample(failed)
    return rows, ()


def _variational(call: _Call) -> tuple[_Rows, tuple[str, ...]]:
    settings = dict(call.request.options)
    settings["algorithm"] = _FAMILIES.index(settings.get("algorithm", _FAMILIES[0]))
    options = call.options("variational", output_samples=call.request.draws, **settings)
    if call.start is not None:
        options.init = _address(call.start)
    rows, mean = _Rows.of(call.request.draws, len(call.columns)), np.empty(len(call.columns))
    outputs = (_address(mean), _address(rows.values), _address(rows.lp), _address(rows.lp_approx))
    if failed := call.run("variational", options, *outputs):
        raise messages.cannot_sample(failed)
    return rows, (messages.advi_stopped(),) if any(_LIMIT in line for line in call.said) else ()


_METHODS: Mapping[str, Callable[[_Call], tuple[_Rows, tuple[str, ...]]]] = {
    "pathfinder": _pathfinder,
    "laplace": _laplace,
    "variational": _variational,
}


def _address(array: np.ndarray) -> Any:
    return load_stanli()._dptr(array)
