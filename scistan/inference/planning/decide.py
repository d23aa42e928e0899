"""`m.plan(task)`: decide how a verb would do its work, and say what it would cost, without doing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from scistan.engines.assemble import cores_for
from scistan.engines.options import check_method_options, engines_for_method
from scistan.engines.registry import COMPILING, ENGINES, preferred
from scistan.given import Usual, as_whole, usual
from scistan.graph.instance import Instance
from scistan.history.learnt import of_structure, remembered_winner
from scistan.inference.asked import Asked, read_call
from scistan.inference.few import for_few
from scistan.inference.integrate import integrated
from scistan.inference.laplace import OWN_OPTIONS, takes_torch
from scistan.inference.plan import Choice, Plan
from scistan.inference.planning.advice import advice_on_compiling
from scistan.inference.planning.executable import Executable, executable_of, find_executable
from scistan.inference.planning.machine import machine_now
from scistan.inference.planning.place import batches_that_fit, device_for
from scistan.inference.planning.seconds import Effort, Expected, approximating, expected
from scistan.inference.planning.start import how_cold
from scistan.inference.planning.workload import Workload, workload_of
from scistan.inference.point.options import read_options
from scistan.messages import planning as messages
from scistan.settings import said

__all__ = ["TASKS", "plan_for", "plan_mcmc"]


def plan_for(task: object, instance: Instance, **arguments: Any) -> Plan:
    """Plan a verb of a model, as it would run with these arguments."""
    if not isinstance(task, str) or task not in TASKS:
        raise messages.unknown_task(task, TASKS)
    plan = TASKS[task](task, instance, arguments)
    return replace(plan, machine=machine_now())


def _mcmc(task: str, instance: Instance, arguments: Mapping[str, Any]) -> Plan:
    call: dict[str, Any] = {
        "draws": usual(1000), "warmup": usual(1000), "chains": usual(4), "seed": None, "engine": usual("auto"),
        "inits": None, "progress": True, "keep": None, "executor": None, "plan": None, "integrate": "auto",
    }
    options = {name: value for name, value in arguments.items() if name not in call and value is not None}
    given = {**call, **{name: value for name, value in arguments.items() if name in call}}
    asked = read_call(instance, None, options=options, **given)
    few = for_few(asked)
    sampled = integrated(asked.instance, asked.integrate) if few is None else few.instance
    return plan_mcmc(asked, workload_of(sampled, task), seeded=given["seed"] is not None, few=few)


def plan_mcmc(
    asked: Asked, workload: Workload, *, seeded: bool, look: bool = True, few: Asked | None = None
) -> Plan:
    """Plan a sampling run; `look` asks the cache for an executable, which takes milliseconds.

    `few` is the call as one of independent draws, where those are tried first.
    """
    executable = find_executable(asked) if look else Executable()
    cold = how_cold("stan", "mcmc", workload.key)
    fitting = (*(() if few is None else few.fitting), *asked.fitting)
    costs = {name: expected(_effort(asked, name, not executable.built, cold), workload) for name in fitting}
    choices = [_choice(name, costs[name], executable) for name in fitting]
    auto = asked.engine == "auto"
    likely, why = _likely(asked, workload, seeded) if auto else (asked.engine, "it was asked for")
    if few is not None:
        likely, why = few.engine, messages.few_are_left(few.engine, workload.parameters)
    cost = expected(_effort(asked, likely, not executable.built, cold, chosen=auto), workload)
    threads = int(asked.options.get("threads_per_chain") or 1)
    found = Plan(
        asked.engine, dict(asked.options), asked.warmup, why, draws=asked.draws, chains=asked.chains, threads=threads,
        compiled=not auto and ENGINES[likely].compiled, workload=workload,
        alternatives=tuple(sorted(choices, key=lambda c: c.seconds if c.seconds is not None else float("inf"))),
        advice=advice_on_compiling(workload, likely, costs, executable) if look else "",
    )
    return _with_cost(found, cost)


def _likely(asked: Asked, workload: Workload, seeded: bool) -> tuple[str, str]:
    """Say which engine `auto` will probably take; with a seed, history has no say in it."""
    first = next(iter(preferred(asked.fitting, lambda _: True)), asked.fitting[0])
    if len(asked.fitting) == 1:
        return first, messages.only_one_fits(first)
    last = next((run.engine for run in of_structure("mcmc", workload.key) if run.engine in asked.fitting), first)
    if seeded:
        return last, messages.race_by_seed(asked.fitting)
    winner = remembered_winner(workload.key, (workload.parameters, workload.rows))
    if winner is not None and winner.engine in asked.fitting:
        return winner.engine, messages.won_before(winner.engine, winner.metric, winner.runs)
    return last, messages.race_decides(asked.fitting)


def _effort(asked: Asked, engine: str, builds: bool, cold: int, chosen: bool = False) -> Effort:
    threads = int(asked.options.get("threads_per_chain") or 1)
    at_once = cores_for(asked.chains, asked.options.get("parallel_chains"), threads)
    iterations = asked.chains * (asked.draws + (0 if ENGINES[engine].few else asked.warmup))
    compiles = builds and ENGINES[engine].compiled
    return Effort("mcmc", engine, iterations, at_once, cold, compiles, chosen)


def _choice(name: str, cost: Expected, executable: Executable) -> Choice:
    if ENGINES[name].compiled and executable.missing:
        return Choice(name, None, executable.missing)
    return Choice(name, cost.seconds, messages.compiles_first() if cost.costs["compile"] else "")


def _approximation(task: str, instance: Instance, arguments: Mapping[str, Any]) -> Plan:
    """Plan Pathfinder, Laplace's or a variational approximation: the first engine that can."""
    options = {name: value for name, value in arguments.items() if name not in _OF_APPROXIMATIONS}
    asked = arguments.get("engine") or "auto"
    if task == "laplace" and takes_torch(asked, options):
        return _laplace(instance, arguments, options)
    options = {name: value for name, value in options.items() if task != "laplace" or name not in OWN_OPTIONS}
    check_method_options(task, options)
    engines = engines_for_method(asked, task, options)
    draws = as_whole("draws", arguments.get("draws") or 1000)
    workload, executable = workload_of(instance, task), executable_of(instance)
    cold = how_cold("stan", task, workload.key)
    costs = {name: expected(approximating(task, name, draws, not executable.built, cold), workload) for name in engines}
    why = messages.asked_for() if asked != "auto" else messages.engine_that_can(engines)
    found = Plan(
        engines[0], options, 0, why, task=task, draws=draws, chains=1, compiled=ENGINES[engines[0]].compiled,
        workload=workload, alternatives=tuple(_choice(name, costs[name], executable) for name in engines),
    )
    return _with_cost(found, costs[engines[0]])


def _laplace(instance: Instance, arguments: Mapping[str, Any], options: Mapping[str, Any]) -> Plan:
    """Plan SciStan's own Laplace approximation."""
    check_method_options("laplace", {name: value for name, value in options.items() if name not in OWN_OPTIONS})
    draws = as_whole("draws", arguments.get("draws") or 1000)
    workload = workload_of(instance, "laplace")
    found = Plan(
        "torch", dict(options), 0, messages.own_laplace(), task="laplace", target="torch", draws=draws, chains=1,
        workload=workload,
    )
    cold = how_cold("torch", "laplace", workload.key)
    return _with_cost(found, expected(approximating("laplace", "torch", draws, False, cold), workload))


def _point(task: str, instance: Instance, arguments: Mapping[str, Any]) -> Plan:
    options = read_options(task, arguments)
    workload, machine = workload_of(instance, task), machine_now()
    chosen = {name: value for name, value in arguments.items() if value is not None and name not in ("seed", "data")}
    given = arguments.get("device")
    place, why = device_for(said("device") if given is None or isinstance(given, Usual) else given, workload, machine)
    device, dtype = place, options.dtype
    if place != "cpu":
        from scistan.targets.torch.devices import choose_target

        target = choose_target(place, dtype)
        device, dtype, why = target.device, target.dtype, target.note or why
    batches = batches_that_fit(workload, options, device, machine)
    if batches is not None:  # sums over batches are the same sums, so what optimizes them stays the same
        smaller = {"batch_size": batches.size, "optimizer": "lbfgs"} if options.optimizer == "auto" else {}
        chosen, why = {**chosen, "batch_size": batches.size, **smaller}, batches.why
    found = Plan(
        "", chosen, 0, why, task=task, target="torch", draws=0, chains=0, device=device, dtype=dtype,
        batch_size=chosen.get("batch_size"), workload=workload,
    )
    return _with_cost(found, expected(Effort(task, "torch", 1, 1, how_cold("torch", task, workload.key)), workload))


def _scipy(task: str, instance: Instance, arguments: Mapping[str, Any]) -> Plan:
    draws = as_whole("draws", arguments.get("draws") or 1000, most=None)
    workload = workload_of(instance, task)
    found = Plan("", {}, 0, "", task=task, target="scipy", draws=draws, chains=0, workload=workload)
    return _with_cost(found, expected(Effort(task, "scipy", draws, 1, how_cold("scipy", task, workload.key)), workload))


def _compile(task: str, instance: Instance, arguments: Mapping[str, Any]) -> Plan:
    executable, workload = executable_of(instance), workload_of(instance, task)
    why = executable.missing or (messages.built_already() if executable.built else messages.to_be_built())
    found = Plan(COMPILING, {}, 0, why, task=task, draws=0, chains=0, compiled=True, workload=workload)
    if executable.missing:
        return found
    cost = expected(Effort("compile", COMPILING, 0, builds=not executable.built), workload)
    return _with_cost(found, cost)


def _with_cost(plan: Plan, cost: Expected) -> Plan:
    return replace(plan, seconds=cost.seconds, costs=dict(cost.costs), learnt=cost.learnt)


# What a call of an approximation says beside the method's own options.
_OF_APPROXIMATIONS = ("draws", "seed", "inits", "progress", "engine", "data")
TASKS: Mapping[str, Callable[[str, Instance, Mapping[str, Any]], Plan]] = {
    "mcmc": _mcmc, "pathfinder": _approximation, "laplace": _approximation, "variational": _approximation,
    "map": _point, "mle": _point, "prior": _scipy, "predict": _scipy, "compile": _compile,
}  # fmt: skip
