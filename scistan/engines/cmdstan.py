"""The reference engine: an executable that speaks CmdStan's command line, a process for each chain."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from scistan.engines.assemble import cores_for, keep_complete
from scistan.engines.columns import gather
from scistan.engines.console import count_rejections, merge_rejections
from scistan.engines.encoding import to_json
from scistan.engines.folder import Folder
from scistan.engines.interrupt import heed_interrupts
from scistan.engines.loading import load_cmdstanpy, version_of
from scistan.engines.options import settings_for
from scistan.engines.processes import Process, run_processes
from scistan.engines.progress import open_progress
from scistan.engines.protocol import Chains, Draws, Request
from scistan.engines.stancsv import header, read_rows
from scistan.engines.statistics import FROM_STAN, typed
from scistan.engines.tail import Tail
from scistan.messages import sampling as messages
from scistan.toolchain.build import BuildOptions, held_executable

__all__ = ["CmdStanEngine", "CsvFiles", "executable_for"]


class CsvFiles:
    """The files of a run; they live as long as this object does."""

    def __init__(self, folder: Folder, files: Sequence[Path]) -> None:
        self.folder = folder
        self.files = tuple(files)

    def load(self) -> Any:
        """Read them with cmdstanpy."""
        return load_cmdstanpy().from_csv([str(path) for path in self.files])


class CmdStanEngine:
    """Runs a compiled program, from the cache or built now."""

    name = "cmdstan"

    def sample(self, request: Request) -> Draws:
        """Draw from the posterior; the draws do not depend on how many chains run at once."""
        settings = settings_for(self.name, request.options)
        started = time.perf_counter()
        with executable_for(request.text, settings.get("metric", "diag_e"), request.progress) as executable:
            ready = time.perf_counter()
            folder = Folder("cmdstan")
            try:
                draws = self._run(request, settings, executable, folder, {"build": ready - started})
            except OSError as error:
                folder.remove()
                raise messages.cannot_write(str(error)) from None
            except BaseException:
                folder.remove()
                raise
        return draws

    def _run(
        self, request: Request, settings: dict[str, Any], executable: Path, folder: Folder, timing: dict[str, float]
    ) -> Draws:
        ready = time.perf_counter()
        numbers = list(range(request.first_chain, request.first_chain + request.chains))
        at_once = cores_for(
            request.chains, settings.pop("parallel_chains", None), settings.get("threads_per_chain", 1)
        )
        commands = _commands(request, settings, executable, folder.path)
        files = [folder.path / f"model_{n}.csv" for n in numbers]
        processes = [Process(c, folder.path / f"console_{n}.txt") for c, n in zip(commands, numbers, strict=True)]
        tails = [Tail(p.console, f) for p, f in zip(processes, files, strict=True)]
        shown = open_progress(request.progress, request.iterations, "cmdstan")
        with heed_interrupts(request.time_limit) as wish, shown as bar:

            def watch() -> bool:
                states = [tail.look() for tail in tails] if request.progress else []
                bar.show(sum(s[0] for s in states), sum(s[1] for s in states), [s[2] for s in states])
                return bool(wish)

            stopped = run_processes(processes, at_once, watch)
            limit = wish.passed
            stopped = stopped or (bool(wish) and limit is None)  # Ctrl-C ends the processes themselves, too
        fates = {} if stopped else {k: why for k, p in enumerate(processes) if (why := p.fate())}
        if len(fates) == len(processes):
            raise messages.cannot_sample(fates[0])
        kept, warmup, lengths, wanted = _read(request, settings, files)
        timing["sample"] = time.perf_counter() - ready
        good = [f for k, f in enumerate(files) if k not in fates and lengths[k] == wanted]
        draws = Draws(
            kept, self.name, _versions(files), timing, tuple(numbers), warmup, native=CsvFiles(folder, good),
            rejected=merge_rejections(one for p in processes for one in count_rejections(p.console)),
        )
        return keep_complete(draws, lengths, fates, stopped, wanted, limit)


def executable_for(text: str, metric: str, progress: bool) -> AbstractContextManager[Path]:
    """Hold the executable of a program; metrics but the diagonal need the runner's further methods."""
    options = BuildOptions(methods="core" if metric == "diag_e" else "full")
    return held_executable(text, options=options, progress=progress)


def _commands(request: Request, settings: Mapping[str, Any], executable: Path, folder: Path) -> list[list[str]]:
    """Write data and starts, and the command line of each chain."""
    (folder / "data.json").write_bytes(request.data.encode())
    metric = settings.get("metric", "diag_e")
    method = [
        "method=sample",
        f"num_samples={request.draws}",
        f"num_warmup={request.warmup}",
        f"save_warmup={int(settings.get('save_warmup', False))}",
        f"thin={settings.get('thin', 1)}",
        "adapt",
        f"engaged={int(settings.get('adapt_engaged', True) and request.warmup > 0)}",
        f"delta={settings.get('delta', 0.8)}",
        "algorithm=hmc",
        "engine=nuts",
        f"max_depth={settings.get('max_depth', 10)}",
        f"metric={metric}",
    ]
    if "inv_metric" in settings:
        (folder / "metric.json").write_text(to_json({"inv_metric": np.asarray(settings["inv_metric"], dtype=float)}))
        method.append(f"metric_file={folder / 'metric.json'}")
    method.append(f"stepsize={settings.get('stepsize', 1.0)}")
    commands = []
    for k in range(request.chains):
        number = request.first_chain + k
        start = [f"init={settings['init_radius']}"] if "init_radius" in settings else []
        if request.inits is not None:
            (folder / f"init_{number}.json").write_text(request.inits[k])
            start = [f"init={folder / f'init_{number}.json'}"]
        threads = settings.get("threads_per_chain", 1)
        refresh = max(1, (request.draws + request.warmup) // 50)
        output = ["output", f"file={folder / f'model_{number}.csv'}", f"refresh={refresh}", "sig_figs=18"]
        output.append(f"profile_file={folder / f'profile_{number}.csv'}")  # of a program with `profile` blocks
        common = [f"id={number}", "random", f"seed={request.seed}", "data", f"file={folder / 'data.json'}"]
        commands.append([str(executable), *method, *common, *start, *output, f"num_threads={threads}"])
    return commands


def _read(
    request: Request, settings: Mapping[str, Any], files: Sequence[Path]
) -> tuple[Chains, Chains | None, list[int], int]:
    """Read the chains: kept draws, warm-up draws, how many each chain has and how many it should have."""
    thin = settings.get("thin", 1)
    wanted = -(-request.draws // thin)
    warm = -(-request.warmup // thin) if settings.get("save_warmup") else 0
    names: list[str] = next((found for f in files if f.exists() and (found := header(f))), [])
    total = np.full((len(files), warm + wanted, len(names)), np.nan)
    lengths = [
        max(0, read_rows(f, total[k], range(len(names))) - warm) if names and f.exists() else 0
        for k, f in enumerate(files)
    ]
    kept = _chains(names, total[:, warm:])
    return kept, _chains(names, total[:, :warm]) if warm else None, lengths, wanted


def _chains(names: Sequence[str], total: np.ndarray) -> Chains:
    statistics = {ours: total[:, :, names.index(theirs)] for theirs, ours in FROM_STAN.items() if theirs in names}
    own = [k for k, name in enumerate(names) if not name.endswith("__")]
    values = gather([names[k] for k in own], total[:, :, own] if len(own) < len(names) else total)
    return Chains(values, typed(statistics))


def _versions(files: Sequence[Path]) -> dict[str, str]:
    found = {"cmdstanpy": version_of("cmdstanpy")}
    parts: dict[str, str] = {}
    with files[0].open() as lines:
        for line in lines:
            if not line.startswith("#"):
                break
            key, _, value = line.lstrip("# ").partition("=")
            parts[key.strip()] = value.strip()
    known = [parts.get(f"stan_version_{part}", "") for part in ("major", "minor", "patch")]
    return {**found, "stan": ".".join(known)} if all(known) else found
