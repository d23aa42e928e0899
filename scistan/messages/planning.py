"""Wording of plans: why something is taken, what would pay, and what a plan cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scistan.errors import ArgumentError, ModelError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.values import as_given, in_gigabytes


class BackendWarning(UserWarning):
    """A backend that failed and was replaced by another."""


def unknown_task(task: object, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"there is no plan for {as_given(task)}.",
        remedy=f"the tasks are {', '.join(known)}",
        place=user_place(),
    )


def no_plan(given: object) -> ArgumentError:
    return ArgumentError(
        f"`plan` must be a plan, and is {as_given(given)}.",
        remedy="give the plan of a fit, `fit.plan`, or of the model, `m.plan()`",
        place=user_place(),
    )


def plan_of_other(wanted: str, task: str) -> ArgumentError:
    return ArgumentError(
        f"this is a plan for `{task}`, and cannot be one for `{wanted}`.",
        remedy=f"make one, `m.plan({wanted!r})`",
        place=user_place(),
    )


def beside_the_plan(name: str, given: object, planned: object) -> ArgumentError:
    return ArgumentError(
        f"`{name}` is {as_given(given)}, and the plan says {as_given(planned)}.",
        remedy=f"leave `{name}` out, or call without `plan`",
        place=user_place(),
    )


def only_one_fits(engine: str) -> str:
    return f"{engine} is the only engine here that can do this"


def race_decides(engines: Sequence[str]) -> str:
    return f"a race between {', '.join(engines)} decides"


def few_are_left(engine: str, numbers: int) -> str:
    return f"{numbers} number{'s' * (numbers != 1)} left after integration: {engine} draws are tried first"


def race_by_seed(engines: Sequence[str]) -> str:
    return f"a race between {', '.join(engines)} decides by counted work, as the seed has it"


def won_before(engine: str, metric: str, runs: int) -> str:
    how = f"{engine} with a {metric} metric" if metric else engine
    return f"{how} won on models of this structure here, in {runs} {'run' if runs == 1 else 'runs'}"


def compiles_first() -> str:
    return "it compiles first"


def built_already() -> str:
    return "the executable is in the cache"


def to_be_built() -> str:
    return "there is no executable in the cache yet"


def device_given(device: str) -> str:
    return f"the device is {device}"


def compiling_pays(runs: int, saved: float, built: float) -> str:
    return (
        f"compile it, `m.compile()`: this model ran {runs} times here, an executable would have saved about "
        f"{saved:.2g} s each time (measured), and takes about {built:.2g} s to build"
    )


def batches_fit(needed: float, free: float, size: int) -> str:
    return (
        f"all observations at once may take {in_gigabytes(needed)}, and {in_gigabytes(free)} are free: "
        f"`batch_size={size}` fits"
    )


def no_gpu() -> str:
    return "no GPU is in use here"


def gpu_not_worth_it(gpu: str) -> str:
    return f"too little work for {gpu}, or too much for its memory"


def gpu_taken(gpu: str, work: float) -> str:
    return f"{gpu} is at hand, and a gradient touches {work:,.0f} numbers"


def asked_for() -> str:
    return "it was asked for"


def own_laplace() -> str:
    return "normal latents are approximated given the others, and the draws weighed against the exact density"


def engine_that_can(engines: Sequence[str]) -> str:
    then = f", then {', '.join(engines[1:])}" if len(engines) > 1 else ""
    return f"{engines[0]} is the first that can do this{then}"


def unknown_backends(given: object, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"`backends` must name some of {', '.join(known)}, and is {as_given(given)}.",
        remedy='write `backends=("torch", "numpy")`',
        place=user_place(),
    )


def no_workload(given: object) -> ModelError:
    return ModelError(
        f"`workload` must be a workload, and is {as_given(given)}.",
        remedy="write `ss.Workload(data_size=1_000_000, requires_gradient=True)`",
        place=user_place(),
    )


def no_function(given: object) -> ModelError:
    return ModelError(
        f"a function of the backend's module is needed, and {as_given(given)} cannot be called.",
        remedy="write `lambda xp: xp.linalg.norm(xp.ones(3))`",
        place=user_place(),
    )


def no_backend_can(reasons: Mapping[str, str]) -> UnsupportedError:
    told = "; ".join(f"{name}: {why}" for name, why in reasons.items())
    return UnsupportedError(
        f"no backend can do this ({told}).",
        remedy="name another in `backends`, or ask for less",
        place=user_place(),
    )


def backend_replaced(failed: str, why: str, taken: str) -> str:
    return f"{failed} failed ({why}), and {taken} took its place."


def failed_before(failed: Mapping[str, str]) -> str:
    told = "; ".join(f"{name} ({why})" for name, why in failed.items())
    return f"SciStan had tried, before this: {told}."


def no_gradients() -> str:
    return "it gives no gradients"


def no_memory(needed: float, free: float) -> str:
    return f"it would take {in_gigabytes(needed)}, and {in_gigabytes(free)} are free"


def fastest_so_far(name: str) -> str:
    return f"{name} was the fastest in the runs so far"


def backend_set(name: str) -> str:
    return f"the setting `backend` is {name}"


def by_size() -> str:
    return "the size of the data"


def first_that_can(name: str) -> str:
    return f"{name} is the first of those given that can do it"


def compiling_beside() -> str:
    return "an executable of this model is being built beside you, for it would have paid by now"
