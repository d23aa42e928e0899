"""Pathfinder, Laplace and ADVI by an executable with every method, driven by cmdstanpy."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from scistan.engines.columns import gather
from scistan.engines.folder import Folder
from scistan.engines.loading import load_cmdstanpy, version_of
from scistan.engines.methods import MethodRequest
from scistan.engines.protocol import Chains, Draws
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
_PATH = "path__"  # which path a draw comes from, where Stan tells it
_LIMIT = "maximum number of iterations is reached"


def approximate(request: MethodRequest) -> Draws:
    """Run a method and give its draws as one chain, with both log densities at each."""
    cmdstanpy = load_cmdstanpy()
    started = time.perf_counter()
    options = BuildOptions(methods="full")
    with held_executable(request.text, options=options, progress=request.progress) as executable:
        ready = time.perf_counter()
        folder = Folder(request.method)
        try:
            (folder.path / "data.json").write_bytes(request.data.encode())
            with cmdstanpy.disable_logging():
                model = cmdstanpy.CmdStanModel(exe_file=str(executable))
                native = _METHODS[request.method](model, request, folder.path)
            names, table = _table(native, request)
        except (RuntimeError, ValueError) as error:
            folder.remove()
            raise messages.cannot_sample(" ".join(str(error).split())) from None
        except BaseException:
            folder.remove()
            raise
    timing = {"build": ready - started, "sample": time.perf_counter() - ready}
    kept = _chains(names, table)
    versions = {"cmdstanpy": version_of("cmdstanpy")}
    return Draws(kept, "cmdstan", versions, timing, (1,), notes=_notes(native), native=_Kept(native, folder))


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """cmdstanpy's object together with the folder its files live in."""

    native: Any
    folder: Folder

    def load(self) -> Any:
        return self.native


def _common(request: MethodRequest, folder: Path) -> dict[str, Any]:
    return {"data": str(folder / "data.json"), "seed": request.seed, "output_dir": str(folder), "draws": request.draws}


def _start(request: MethodRequest) -> Any:
    return None if request.start is None else orjson.loads(request.start)


def _pathfinder(model: Any, request: MethodRequest, folder: Path) -> Any:
    common = _common(request, folder)
    return model.pathfinder(inits=_start(request), show_console=False, **common, **request.options)


def _laplace(model: Any, request: MethodRequest, folder: Path) -> Any:
    options = dict(request.options)
    arguments = dict(options.pop("opt_args", None) or {})
    if request.start is not None:
        arguments["inits"] = _start(request)
    return model.laplace_sample(opt_args=arguments or None, **_common(request, folder), **options)


def _variational(model: Any, request: MethodRequest, folder: Path) -> Any:
    common = _common(request, folder)
    return model.variational(inits=_start(request), require_converged=False, **common, **request.options)


_METHODS: Mapping[str, Callable[[Any, MethodRequest, Path], Any]] = {
    "pathfinder": _pathfinder,
    "laplace": _laplace,
    "variational": _variational,
}


def _table(native: Any, request: MethodRequest) -> tuple[Sequence[str], np.ndarray]:
    table = np.asarray(native.variational_sample if request.method == "variational" else native.draws())
    names = list(native.column_names)
    if _PATH in names and not request.options.get("psis_resample", True):  # written as paths come to their ends
        table = table[np.argsort(table[:, names.index(_PATH)], kind="stable")]
    if len(table) > request.draws:  # of all paths alike
        table = table[np.linspace(0, len(table) - 1, request.draws).round().astype(int)]
    return names, table


def _chains(names: Sequence[str], table: np.ndarray) -> Chains:
    stacked = table[None]
    statistics = {ours: stacked[:, :, names.index(name)] for name, ours in _DENSITIES.items() if name in names}
    own = [k for k, name in enumerate(names) if not name.endswith("__")]
    return Chains(gather([names[k] for k in own], stacked[:, :, own]), statistics)


def _notes(native: Any) -> tuple[str, ...]:
    """Say what CmdStan said on its console alone: that ADVI came to its last iteration first."""
    consoles = [Path(name) for name in getattr(getattr(native, "runset", None), "stdout_files", ())]
    reached = any(_LIMIT in path.read_text(errors="replace") for path in consoles if path.is_file())
    return (messages.advi_stopped(),) if reached else ()
