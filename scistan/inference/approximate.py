"""`m.pathfinder()`, `m.laplace()`, `m.variational()`: CmdStan's approximations, as fits of the same shape."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from scistan.engines.columns import gather
from scistan.engines.encoding import to_json
from scistan.engines.folder import Folder
from scistan.engines.loading import load_cmdstanpy, version_of
from scistan.engines.options import check_method_options, engine_seed
from scistan.engines.protocol import Chains, Draws
from scistan.engines.registry import ENGINES
from scistan.given import as_switch, as_whole
from scistan.inference.density import check_complete
from scistan.inference.fit import Fit
from scistan.inference.fit_of import fit_of, warn_if_ill
from scistan.inference.foreign import translate
from scistan.inference.inits import starting_values
from scistan.inference.refusal import in_users_terms
from scistan.inference.subject import Subject
from scistan.messages import foreign
from scistan.messages import sampling as messages
from scistan.toolchain.build import BuildOptions, held_executable

__all__ = ["approximate"]

# cmdstanpy's columns of log densities -> ours
_DENSITIES = {
    "lp__": "lp",
    "lp_approx__": "lp_approx",
    "log_p__": "lp",
    "log_q__": "lp_approx",
    "log_g__": "lp_approx",
}


def approximate(
    subject: Subject,
    method: str,
    draws: int,
    seed: int | None,
    inits: object,
    progress: bool,
    options: Mapping[str, Any],
) -> Fit:
    """Run a method of CmdStan that is no sampler, and give its draws as one chain."""
    draws = as_whole("draws", draws)
    progress = as_switch("progress", progress)
    check_method_options(method, options)
    if ENGINES["cmdstan"].missing:
        raise messages.engine_missing("cmdstan", ENGINES["cmdstan"].missing, ENGINES["cmdstan"].fix)
    cmdstanpy = load_cmdstanpy()
    check_complete(subject.instance)
    used = engine_seed(seed)
    data = to_json(subject.data)
    starts = starting_values(subject.instance, subject.program, inits, 1, used, data)
    started = time.perf_counter()
    with ExitStack() as holds:
        with in_users_terms(subject.program):
            wanted = BuildOptions(methods="full")
            executable = holds.enter_context(
                held_executable(subject.program.text, options=wanted, progress=progress)
            )
        ready = time.perf_counter()
        folder = Folder(method)
        try:
            (folder.path / "data.json").write_text(data)
            common = {"data": str(folder.path / "data.json"), "seed": used, "output_dir": str(folder.path)}
            start = None if starts is None else orjson.loads(starts[0])
            with cmdstanpy.disable_logging(), _errors(subject):
                model = cmdstanpy.CmdStanModel(exe_file=str(executable))
                native = _METHODS[method](model, int(draws), common, start, dict(options))
            names, table = _table(native, method)
        except BaseException:
            folder.remove()
            raise
    timing = {"build": ready - started, "sample": time.perf_counter() - ready}
    kept = _chains(names, table[:draws])
    found = Draws(kept, "cmdstan", {"cmdstanpy": version_of("cmdstanpy")}, timing, (1,), native=_Kept(native, folder))
    settings = {"draws": draws, "seed": used, **options}
    fit = fit_of(subject, found, settings, "", (), method=method)
    warn_if_ill(fit)
    return fit


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """cmdstanpy's object together with the folder its files live in."""

    native: Any
    folder: Folder

    def load(self) -> Any:
        return self.native


def _pathfinder(model: Any, draws: int, common: dict[str, Any], start: Any, options: dict[str, Any]) -> Any:
    return model.pathfinder(draws=draws, inits=start, show_console=False, **common, **options)


def _laplace(model: Any, draws: int, common: dict[str, Any], start: Any, options: dict[str, Any]) -> Any:
    arguments = dict(options.pop("opt_args", None) or {})
    if start is not None:
        arguments["inits"] = start
    return model.laplace_sample(draws=draws, opt_args=arguments or None, **common, **options)


def _variational(model: Any, draws: int, common: dict[str, Any], start: Any, options: dict[str, Any]) -> Any:
    return model.variational(draws=draws, inits=start, require_converged=False, **common, **options)


_METHODS: Mapping[str, Callable[..., Any]] = {
    "pathfinder": _pathfinder,
    "laplace": _laplace,
    "variational": _variational,
}


def _table(native: Any, method: str) -> tuple[Sequence[str], np.ndarray]:
    if method == "pathfinder":
        return native.column_names, np.asarray(native.draws())
    if method == "laplace":
        return native.column_names, np.asarray(native.draws())
    return native.column_names, np.asarray(native.variational_sample)


def _chains(names: Sequence[str], table: np.ndarray) -> Chains:
    stacked = table[None]
    statistics = {ours: stacked[:, :, names.index(name)] for name, ours in _DENSITIES.items() if name in names}
    own = [k for k, name in enumerate(names) if not name.endswith("__")]
    return Chains(gather([names[k] for k in own], stacked[:, :, own]), statistics)


@contextmanager
def _errors(subject: Subject) -> Iterator[None]:
    """Say in the user's terms what CmdStan said, without the trace of what called it."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        told = translate(str(error), subject)
        if told is not None:
            raise foreign.cannot_sample(told.fact, told.remedy, told.place) from None
        raise messages.cannot_sample(" ".join(str(error).split())) from None
