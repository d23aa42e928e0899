"""`m.sbc()`: simulate, fit and rank many times, and give the ranks with their test. Read `replicate.py` for one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scistan.engines.embedded import open_density
from scistan.engines.encoding import to_json
from scistan.engines.lowered import LoweredDensity, LoweredJacobian
from scistan.engines.options import check_options, check_run, engine_seed
from scistan.engines.registry import ENGINES, engine_for_many, engine_named
from scistan.errors import ScistanError
from scistan.given import as_choice, as_names, as_switch, as_whole, is_number
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.inference.certify import certify, certify_lowered
from scistan.inference.density import check_complete
from scistan.inference.executors import Executor
from scistan.inference.judge.calibration import Calibration
from scistan.inference.judge.carried import Carried
from scistan.inference.judge.folder import Arrays, digest_of, open_folder, seed_of
from scistan.inference.judge.replicate import Settings, Simulated, blank, replicate, simulated
from scistan.inference.judge.tasks import Task, run_tasks, task_seed
from scistan.inference.paths import as_path
from scistan.inference.refusal import in_users_terms
from scistan.inference.subject import Fitted, Subject
from scistan.inference.summed import summed
from scistan.messages import inference as inference_messages
from scistan.messages import judge as messages
from scistan.messages import leaving_out
from scistan.messages import options as option_messages
from scistan.messages import sampling as sampling_messages
from scistan.settings import setting
from scistan.version import __version__

__all__ = ["sbc"]

LIKELIHOOD = "log_lik"
_TRIED = 20
_FEWEST = 20  # draws of a chain, below which ranks tell nothing


def sbc(
    fitted: Fitted,
    replications: int,
    draws: int,
    warmup: int,
    chains: int,
    seed: int | None,
    engine: str,
    executor: Executor | None,
    folder: str | Path | None,
    var_names: Sequence[str] | str | None,
    level: float,
    progress: bool,
    inits: object = None,
    **options: Any,
) -> Calibration:
    """Calibrate a model against data that it made itself."""
    replications, progress = as_whole("replications", replications, 2), as_switch("progress", progress)
    if not is_number(level) or not 0 < level < 1:
        raise option_messages.bad_option("level", level, "a number between 0 and 1", "0.01")
    if inits is not None:
        as_choice("inits", inits, ("prior", "pathfinder"))
    engine = setting("engine", engine)
    if isinstance(engine, str) and engine == "auto":
        engine = engine_for_many()
    engine_named(engine)
    check_options(engine, options)
    draws, warmup, chains = check_run(engine, as_whole("draws", draws, _FEWEST), warmup, chains)
    path = None if folder is None else as_path("folder", folder)
    used = engine_seed(seed if seed is not None or path is None else seed_of(path))
    carried = Carried(fitted)
    instance = blank(carried.instance)
    _check(instance)
    names = _names(instance.graph, var_names)
    likelihood = LIKELIHOOD if var_names is None and LIKELIHOOD not in names else ""
    settings = Settings(used, draws, warmup, chains, engine, tuple(names), likelihood, inits, options)
    first, data = _first(carried, instance, used, replications)
    check_complete(first.instance)
    _certified(carried, first, data, settings)
    own = {k: getattr(settings, k) for k in ("draws", "warmup", "chains", "engine", "names", "inits", "options")}
    parts = {
        "model": digest_of(carried.text),
        "data": digest_of(data),
        "settings": digest_of(own, likelihood, __version__),
    }
    kept = open_folder(path, "sbc", used, parts)
    tasks = [Task(k, replicate, (carried, settings, k)) for k in range(replications)]
    outcome = run_tasks(tasks, executor, kept, progress, f"sbc of {instance.name}")
    if not outcome.results:
        if outcome.interrupted:
            raise KeyboardInterrupt
        raise messages.every_replication_failed(outcome.failed)
    ranked = [*names, likelihood] if likelihood else names
    places = _stacked([outcome.results[k] for k in sorted(outcome.results)], ranked)
    return Calibration(
        model=instance.name,
        ranks=places["rank"],
        among=places["among"],
        places=places["place"],
        numbers=tuple(sorted(outcome.results)),
        divergences=tuple(int(outcome.results[k]["divergences"]) for k in sorted(outcome.results)),
        failed=dict(sorted(outcome.failed.items())),
        asked=replications,
        reused=outcome.reused,
        interrupted=outcome.interrupted,
        seed=used,
        level=float(level),
        settings={"draws": draws, "warmup": warmup, "chains": chains, "engine": engine, **options},
        dims=instance.dims,
        coords=instance.coords,
    )


def _check(instance: Instance) -> None:
    """Refuse what has no prior to draw from, nothing observed, or data that depend on themselves."""
    graph = instance.graph
    improper = [t for t in graph.terms if t.law.distribution.improper]
    if improper:
        raise inference_messages.improper_priors([t.name for t in improper], first_place(improper[0].value))
    if not graph.latents:
        raise sampling_messages.nothing_to_sample()
    if not graph.observed:
        raise messages.sbc_observes_nothing(instance.name)
    for term in graph.observed:
        if term.value in topological(term.law.inputs):
            raise leaving_out.depends_on_itself("m.sbc()", term.name, first_place(term.value))


def _names(graph: Graph, asked: Sequence[str] | str | None) -> list[str]:
    latents = [t.name for t in graph.latents]
    if asked is None:
        return latents
    known = [*latents, *graph.derived]
    wanted = as_names("var_names", asked)
    for name in wanted:
        if name not in known:
            raise messages.nothing_to_rank(name, known)
    return wanted


def _first(carried: Carried, instance: Instance, seed: int, replications: int) -> tuple[Simulated, str]:
    """Give the first simulation that can be made, and its data; the others that fail are told in their turn."""
    last: ScistanError | None = None
    for number in range(min(replications, _TRIED)):
        try:
            made = simulated(instance, task_seed(seed, number))
            return made, to_json(carried.program.data(made.instance))
        except ScistanError as error:
            last = error
    raise last or messages.every_replication_failed({})


def _certified(carried: Carried, first: Simulated, data: str, settings: Settings) -> None:
    """Compare the engine's density with SciPy's once, on the first data: the program is the same for all."""
    if not ENGINES[settings.engine].embedded:
        return
    instance = summed(first.instance)
    subject = Subject(instance, carried.program)
    lowered = carried.lowered(settings.engine, first.instance)
    if lowered is not None:
        witnesses = LoweredDensity(lowered), LoweredJacobian(lowered)
        certificate = certify_lowered(subject, *witnesses, settings.seed, settings.engine)
    else:
        with in_users_terms(carried.program):
            density = open_density(carried.text, data, settings.seed)
        certificate = certify(subject, carried.program.data(instance), density, settings.seed)
    if not certificate.ok and certificate.told_apart():
        raise sampling_messages.engine_disagrees(settings.engine, certificate.told_apart())


def _stacked(results: Sequence[Arrays], names: Sequence[str]) -> dict[str, dict[str, np.ndarray]]:
    """Put replications one above the other: the first axis counts them."""
    return {
        kind: {name: np.stack([result[f"{kind}/{name}"] for result in results]) for name in names}
        for kind in ("rank", "among", "place")
    }
