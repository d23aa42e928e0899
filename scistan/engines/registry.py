"""The engines by name, a declaration each, and which of them are installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from scistan.disabled import why_disabled
from scistan.engines.declaration import LOW_RANK, EngineDeclaration, MetricWork, Rate
from scistan.engines.protocol import Draws, Engine, Request
from scistan.messages import sampling as messages
from scistan.profiling import staged

__all__ = [
    "COMPILING", "ENGINES", "STAN_METRICS", "engine_for_many", "engine_named", "engines_at_hand", "preferred",
    "run_request",
]

_SAME = (
    "metric", "inv_metric", "step_size", "adapt_engaged", "thin", "save_warmup", "init_radius", "parallel_chains",
    "threads_per_chain",
)  # fmt: skip
_STAN_OPTIONS = {"adapt_delta": "delta", "max_treedepth": "max_depth", **{name: name for name in _SAME}}
STAN_METRICS: Mapping[str, str] = {
    "diag": "diag_e", "dense": "dense_e", "unit": "unit_e",
    "diag_e": "diag_e", "dense_e": "dense_e", "unit_e": "unit_e",
}  # fmt: skip

_PATHFINDER = frozenset({"num_paths", "max_lbfgs_iters", "history_size", "num_elbo_draws", "psis_resample"})
_ADVI = frozenset({"algorithm", "iter", "grad_samples", "elbo_samples", "eta", "adapt_engaged", "tol_rel_obj"})

ENGINES: Mapping[str, EngineDeclaration] = {
    "stanli": EngineDeclaration(
        title="stanli",
        place="scistan.engines.stanli:StanliEngine",
        rate=Rate(4e-6, 1e-9, 1e-5, 0.08, 1.0),
        sampler="Stan's No-U-Turn sampler, run by stanli",
        packages=("stanli",),
        fix="pip install stanli",
        options=_STAN_OPTIONS,
        metrics=STAN_METRICS,
        metric_per_chain=True,
        embedded=True,
        stans_nuts=True,
        preference=2,
        # Its density has the Jacobian folded in, and its optimizer is L-BFGS: no options for a Laplace approximation.
        methods={"pathfinder": _PATHFINDER, "laplace": frozenset(), "variational": _ADVI},
        approximator="scistan.engines.stanli_methods:approximate",
    ),
    "nutpie": EngineDeclaration(
        title="nutpie",
        place="scistan.engines.nutpie:NutpieEngine",
        rate=Rate(4e-6, 1e-9, 4e-5, 0.12, 1.2),
        sampler="nutpie's No-U-Turn sampler on Stan's density",
        packages=("nutpie", "stanli", "pyarrow"),
        fix="pip install 'scistan[nutpie]'",
        options={
            "adapt_delta": "target_accept",
            "max_treedepth": "maxdepth",
            "metric": "metric",
            "step_size": "initial_step",
            "save_warmup": "save_warmup",
            "parallel_chains": "parallel_chains",
        },
        metrics={LOW_RANK: LOW_RANK, "diag": "diag", "diag_e": "diag"},
        least_warmup=1,  # its schedule of adaptation is not defined without a step
        takes_inits=False,
        embedded=True,
        preference=1,
        work={
            "diag": MetricWork(step=700, coordinate=12),
            LOW_RANK: MetricWork(step=3000, coordinate=80, adaptation=1000, pairs=50, mixes=1.7),
        },
    ),
    "cmdstan": EngineDeclaration(
        title="CmdStan",
        place="scistan.engines.cmdstan:CmdStanEngine",
        rate=Rate(3e-6, 8e-10, 2e-5, 0.4, 1.0, compile=25.0),
        sampler="Stan's No-U-Turn sampler, run by CmdStan",
        packages=("cmdstanpy",),
        fix="pip install 'scistan[cmdstan]'",
        options={**_STAN_OPTIONS, "step_size": "stepsize"},
        metrics=STAN_METRICS,
        compiled=True,
        stans_nuts=True,
        preference=3,
        methods={"pathfinder": _PATHFINDER, "laplace": frozenset({"jacobian", "opt_args"}), "variational": _ADVI},
        approximator="scistan.engines.cmdstan_methods:approximate",
    ),
    "jax": EngineDeclaration(
        place="scistan.engines.jax_engine:JaxEngine",
        sampler="blackjax's No-U-Turn sampler on the density in JAX",
        packages=("jax", "blackjax"),
        fix="pip install 'scistan[jax]'",
        options={
            "adapt_delta": "delta",
            "max_treedepth": "max_depth",
            "metric": "metric",
            "step_size": "step_size",
            "save_warmup": "save_warmup",
            "init_radius": "init_radius",
        },
        metrics={"diag": "diag", "dense": "dense", "diag_e": "diag", "dense_e": "dense"},
        least_warmup=1,  # without a step there is no step size
        embedded=True,
        lowering="scistan.targets.jax:lower_to_jax",
        target="jax",
    ),
    "independent": EngineDeclaration(
        place="scistan.engines.independent:IndependentEngine",
        rate=Rate(5e-7, 3.5e-10, 0.0, 0.05, 0.1),
        sampler="Metropolis' rule for several independent tries",
        packages=("numpy",),
        fix="pip install numpy",
        options={},
        metrics={},
        takes_inits=False,
        embedded=True,
        lowering="scistan.transforms.rows:lower_to_rows",
        target="scipy",
        few=12,
    ),
}


# The one that runs executables.
COMPILING = next(name for name, engine in ENGINES.items() if engine.compiled)


def engines_at_hand() -> list[str]:
    """List the engines whose packages are installed and which nothing forbids."""
    return [name for name, engine in ENGINES.items() if not (why_disabled(name) or engine.missing)]


def preferred(names: Iterable[str], wanted: Callable[[EngineDeclaration], bool]) -> list[str]:
    """List those of the engines that `auto` may take and that are as wanted, its first choice first."""
    places = {name: ENGINES[name].preference for name in names if wanted(ENGINES[name])}
    return [name for _, name in sorted((place, name) for name, place in places.items() if place is not None)]


def engine_for_many() -> str:
    """Name the engine for many small fits: Stan's own sampler, without a compiler where there is one."""
    found = preferred(engines_at_hand(), lambda engine: engine.stans_nuts)
    return found[0] if found else next(iter(ENGINES))


def engine_named(name: object) -> Engine:
    """Give an engine by its name, or say which there are and what is missing."""
    if not isinstance(name, str) or name not in ENGINES:
        raise messages.unknown_engine(name, {known: engine.missing for known, engine in ENGINES.items()})
    engine = ENGINES[name]
    if forbidden := why_disabled(name):
        raise messages.engine_missing(name, forbidden, "take it out of that variable, or name another engine")
    if engine.missing:
        raise messages.engine_missing(name, engine.missing, engine.fix)
    return engine.make()


@staged("sampling")
def run_request(engine: str, request: Request) -> Draws:
    """Run a request: the task that an executor's worker gets, so it takes and gives plain data."""
    return engine_named(engine).sample(request)
