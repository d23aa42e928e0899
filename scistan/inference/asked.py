"""What a call of `m.mcmc()` asks for, checked: nothing is lowered before it makes sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scistan.engines.options import check_options, check_run, engine_seed
from scistan.engines.registry import ENGINES, engine_named, engines_at_hand
from scistan.given import as_names, as_switch, is_whole
from scistan.graph.instance import Instance
from scistan.inference.choose import fitting_engines
from scistan.inference.density import check_complete
from scistan.inference.executors import Executor
from scistan.inference.integrate import Integrate, as_integrate
from scistan.inference.plan import Plan
from scistan.inference.planned import as_planned
from scistan.inference.subject import Fitted
from scistan.messages import options as option_messages
from scistan.messages import sampling as messages
from scistan.settings import check_disabled, setting

__all__ = ["Asked", "read_call"]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A sampling run as it was asked for; `fitting` are the engines that can do it, `seed` is the one in use.

    `seeded` tells whether the user gave it: then what was run before has no say. `plan` is the one that was given,
    where it names an engine: then nothing is left to decide. `integrate` says which normal latents are integrated out.
    """

    instance: Instance
    model: Fitted | None
    draws: int
    warmup: int
    chains: int
    seed: int
    engine: str
    inits: object
    progress: bool
    keep: Sequence[str] | None
    executor: Executor | None
    options: Mapping[str, Any]
    fitting: tuple[str, ...]
    plan: Plan | None = None
    seeded: bool = True
    integrate: Integrate = False

    @property
    def threads(self) -> bool:
        """Whether each chain may use several cores."""
        return int(self.options.get("threads_per_chain") or 1) > 1

    @property
    def looks_at_data(self) -> bool:
        """Whether the program may be one for these data: an executable serves any data of its model."""
        if self.plan is not None and self.plan.merged is not None:
            return self.plan.merged
        return not self.threads and not (self.engine in ENGINES and ENGINES[self.engine].compiled)

    @property
    def rows(self) -> int:
        """How many draws are kept of all chains together."""
        whole = self.draws + (self.warmup if self.options.get("save_warmup") else 0)
        return self.chains * whole // int(self.options.get("thin") or 1)


def read_call(
    instance: Instance,
    model: Fitted | None,
    draws: int,
    warmup: int,
    chains: int,
    seed: int | None,
    engine: str,
    inits: object,
    progress: bool,
    keep: Sequence[str] | str | None,
    executor: Executor | None,
    options: Mapping[str, Any],
    plan: Plan | None = None,
    integrate: object = "auto",
) -> Asked:
    """Check the arguments of a call, and the model for something to sample; `plan` says what was decided before."""
    check_disabled()
    if plan is not None:
        draws, warmup, chains, engine, options = as_planned(plan, draws, warmup, chains, engine, inits, options)
    engine = setting("engine", engine)
    if not isinstance(engine, str):
        engine_named(engine)
    draws, warmup, chains = check_run(engine, draws, warmup, chains)
    progress = as_switch("progress", progress)
    if engine != "auto":
        engine_named(engine)
        check_options(engine, options)
    if is_whole(thin := options.get("thin"), draws + 1, None):  # the engines' sums would run over, or give one draw
        raise option_messages.bad_option("thin", thin, f"a whole number of at most `draws`, {draws:,}", "2")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise messages.no_executor(executor)
    keep = None if keep is None else as_names("keep", keep)
    fitting = fitting_engines(engines_at_hand(), options, inits is not None, warmup) if engine == "auto" else [engine]
    check_complete(instance)
    if not instance.graph.latents:
        raise messages.nothing_to_sample()
    asked = Asked(
        instance, model, int(draws), int(warmup), int(chains), engine_seed(seed), engine, inits, progress, keep,
        executor, dict(options), tuple(fitting), None if engine == "auto" else plan, seed is not None,
    )
    wanted = as_integrate(integrate, instance)
    if plan is not None and plan.integrated is not None:
        wanted = plan.integrated
    elif wanted == "auto" and (not asked.looks_at_data or options.get("inv_metric") is not None):
        wanted = False  # it would take a compilation that nobody asked for, or a metric of other coordinates
    elif wanted == "auto" and engine in ENGINES and ENGINES[engine].few:
        wanted = True
    return replace(asked, integrate=wanted)
