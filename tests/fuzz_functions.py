"""What the fuzzer calls beside models and their first verbs: series, transforms, settings, and all that a fit offers."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import scistan as ss
from tests.fuzz import SMALL, Call, changed, estimate, fit, model

__all__ = ["FUNCTION_CALLS", "mixture", "walk", "walk_model"]

Odd = Callable[[], Any]
GRADIENTS = [ss.grad, ss.value_and_grad, ss.hessian, ss.hvp, ss.jacobian, ss.vmap, ss.jit]
PICTURES = ["calibration", "forest", "pairs", "posterior", "ppc", "prior_posterior", "rank", "trace"]


def walk_model() -> ss.Model:
    """Give a model of a series."""
    m = ss.Model("walk")
    m.s = ss.HalfNormal(1)
    m.y = ss.RandomWalk(m.s, ss.Normal(0, 1), dims="t").observe([0.1, 0.3, 0.2, 0.5])
    return m


@cache
def walk() -> Any:
    """Give a fit of a series, which can be forecast."""
    return walk_model().mcmc(**SMALL)


@cache
def mixture() -> Any:
    """Give a fit with hidden states."""
    m = ss.Model("mixture")
    m.mu = ss.Normal(0, 1, shape=2)
    m.z = ss.Categorical([0.4, 0.6], shape=4)
    m.y = ss.Normal(m.mu[m.z], 1.0).observe([0.1, 0.3, 2.0, 2.5])
    return m.mcmc(**SMALL)


def small_number(value: Any, most: int = 20) -> Any:
    """Give a value that does not ask for work without end: as much as is asked for is done."""
    return most if isinstance(value, int | float) and value > most else value


def _series(odd: Odd, choose: random.Random) -> None:
    m = ss.Model("m")
    start: Any = ss.Normal(0, 1)
    kinds: dict[Any, dict[str, Any]] = {
        ss.AR: {"coefficients": [0.5], "sigma": 1.0, "constant": 0.0, "start": "given", "dims": "t"},
        ss.GARCH: {"mu": 0.0, "omega": 0.1, "alpha": 0.1, "beta": 0.1, "sigma": 1.0, "dims": "t"},
        ss.RandomWalk: {"sigma": 1.0, "start": start, "drift": 0.1, "length": 4, "dims": "t", "centred": None},
        ss.LocalLinearTrend: {"level": 1.0, "slope": 1.0, "start": start, "start_slope": start, "length": 4},
        ss.Series: {"law": lambda past: ss.Normal(past[-1], 1), "start": [start], "over": None, "length": 4, "state": None},
    }
    kind = choose.choice(list(kinds))
    made = kind(**changed(kinds[kind], odd, choose))
    m.v = made.observe([0.1, 0.2, 0.3, 0.4]) if choose.random() < 0.5 and hasattr(made, "observe") else made
    repr(m)
    m.prior(draws=2, seed=1)


def _scanned(odd: Odd, choose: random.Random) -> None:
    m = model()
    if choose.random() < 0.5:
        good = {"step": lambda s, x: ss.tree_map(lambda one: one * 0.5 + x, s), "init": 0.0, "over": m.x, "length": None, "reverse": False}
        m.made = ss.scan(**changed(good, odd, choose))
    else:
        good = {"rhs": lambda t, y: ss.tree_map(lambda one: -one, y), "y0": [1.0], "t0": 0.0, "times": [1.0, 2.0], "method": "rk45"}
        good |= {"rtol": 1e-6, "atol": 1e-6, "max_steps": 1000}
        m.made = ss.ode(**changed(good, odd, choose))
    repr(m)


def _composed(odd: Odd, choose: random.Random) -> None:
    m = model()
    if choose.random() < 0.3:
        m.made = ss.potential(odd())
    else:
        good = {"weights": [0.5, 0.5], "components": [ss.Normal(0, 1), ss.Normal(1, 1)], "shape": 3, "dims": "row"}
        made = ss.Mixture(**changed(good, odd, choose))
        m.made = made.observe(odd()) if choose.random() < 0.3 else made
    repr(m)


def squares(x: Any) -> Any:
    """Add up what is given, nested in whatever way: what fails here is not the user's fault."""
    return sum((ss.sum(leaf * leaf) for leaf in ss.tree_flatten(x)[0]), start=0.0)


def _differentiated(odd: Odd, choose: random.Random) -> None:
    transform: Any = choose.choice(GRADIENTS)
    target: Any = choose.choice([model(), squares, model().mean])
    given: dict[str, Any] = {}
    which = choose.choice(["target", "argnums", "wrt", "backend", "value"])
    if which == "target":
        target = odd()
    elif which != "value":
        given[which if transform not in (ss.vmap, ss.jit) else choose.choice(["in_axes", "backend"])] = odd()
    if transform is ss.jit:
        given.pop("in_axes", None)
    if transform not in (ss.grad, ss.value_and_grad):
        given.pop("wrt", None)
    value = odd() if which == "value" else choose.choice([{"a": [0.1, 0.2], "s": 1.0}, np.array([1.0, 2.0]), 2.0])
    made = transform(target, **given)
    if which != "target":  # a function of others may fail as it likes
        made(value, value) if transform is ss.hvp else made(value)


def _filled(odd: Odd, choose: random.Random) -> None:
    made: Any = choose.choice([ss.ones, ss.zeros])
    ways: list[Callable[[], Any]] = [
        lambda: ss.array(odd()), lambda: ss.array([1.0], backend=odd()), lambda: made(odd()),
        lambda: made(2, backend=odd()), lambda: ss.full(2, odd()), lambda: ss.full(odd(), 1.0),
    ]
    choose.choice(ways)()


def _trees(odd: Odd, choose: random.Random) -> None:
    structure = ss.tree_flatten({"a": 1, "b": [2, 3]})[1]
    ways: list[Callable[[], Any]] = [
        lambda: ss.tree_flatten(odd()), lambda: ss.tree_flatten({"a": odd(), "b": [odd()]}),
        lambda: ss.tree_map(odd(), {}), lambda: ss.tree_map(lambda *x: x, odd(), odd()),
        lambda: ss.tree_map(lambda x, y: x, {"a": 1}, odd()), lambda: ss.tree_unflatten(odd(), [1]),
        lambda: ss.tree_unflatten(structure, odd()),
    ]
    choose.choice(ways)()


def _set(odd: Odd, choose: random.Random) -> None:
    name = choose.choice([*ss.defaults(), "nonsense"])
    if choose.random() < 0.5:
        with ss.using(**{name: odd()}):
            ss.defaults()
    else:
        before = dict(ss.defaults())
        try:
            ss.set_default(**{name: odd()})
        finally:
            ss.set_default(**before)


def _planned(odd: Odd, choose: random.Random) -> None:
    work = {"operation_type": "function", "data_size": 4, "data_shape": (4,), "dtype_size": 8, "parameters": 1, "rows": 4}
    ways: list[Callable[[], Any]] = [
        lambda: model().plan(odd()), lambda: model().plan("mcmc", data=odd()), lambda: model().plan("map", nonsense=odd()),
        lambda: model().plan("mcmc", **{choose.choice(["draws", "engine", "chains", "executor"]): odd()}),
        lambda: ss.plan(lambda x: x, ss.Workload(**changed(work, odd, choose))),
        lambda: ss.plan(odd()), lambda: ss.plan(lambda x: x, odd()), lambda: ss.plan(lambda x: x, None, odd()),
        lambda: ss.run_with_fallback(odd()), lambda: ss.run_with_fallback(lambda x: 1.0, odd()),
        lambda: ss.check_purity(odd()), lambda: ss.check_purity(lambda *x: x, odd()), lambda: model().mcmc(**SMALL, plan=odd()),
    ]
    choose.choice(ways)()


def _lowered(odd: Odd, choose: random.Random) -> None:
    ways: list[Callable[[], Any]] = [
        lambda: model().log_density_fn(odd()), lambda: model().log_density_fn("numpy")(odd()),
        lambda: model().log_density_fn("numpy")({"a": odd(), "s": 1.0}), lambda: model().to_sympy(odd()),
        lambda: model().given(**{choose.choice(["a", "y", "mean"]): odd()}),
    ]
    choose.choice(ways)()


def _calibrated(odd: Odd, choose: random.Random) -> None:
    good = {"replications": 2, "draws": 10, "warmup": 10, "chains": 1, "seed": 1, "engine": "stanli", "executor": None}
    good |= {"var_names": None, "level": 0.01, "progress": False, "nonsense": 1}
    given = changed(good, odd, choose)
    if given["nonsense"] == 1 if isinstance(given["nonsense"], int) else False:
        del given["nonsense"]
    given["replications"] = small_number(given["replications"], 2)
    model().sbc(**{**given, "warmup": small_number(given["warmup"]), "chains": small_number(given["chains"], 2)})


def _judged(odd: Odd, choose: random.Random) -> None:
    value = odd()
    ways: list[Callable[[Any], Any]] = [
        lambda v: fit().check_model(statistics=v), lambda v: fit().check_model(level=v), lambda v: fit().check_model(draws=v),
        lambda v: fit().kfold(k=v, progress=False), lambda v: fit().kfold(k=2, by=v, progress=False),
        lambda v: fit().kfold(k=2, var_name=v, progress=False), lambda v: fit().kfold(k=2, nonsense=v, progress=False),
        lambda v: fit().kfold(k=2, executor=v, progress=False), lambda v: fit().kfold(k=2, seed=v, progress=False),
        lambda v: fit().loo(moment_match=v), lambda v: fit().loo(nonsense=v), lambda v: fit().refit(v),
        lambda v: walk().forecast(v), lambda v: walk().forecast(2, data=v), lambda v: walk().forecast(2, var_names=v),
        lambda v: walk().forecast(2, draws=v), lambda v: walk().forecast(2, seed=v), lambda v: fit().forecast(v),
        lambda v: mixture().posterior_of(v), lambda v: mixture().most_likely_path(v), lambda v: fit().group(v),
        lambda v: fit().posterior_of(v), lambda v: fit().summary(nonsense=v), lambda v: fit().summary(hdi_prob=v),
    ]
    choose.choice(ways)(value)


def _told(odd: Odd, choose: random.Random) -> None:
    value = odd()
    picture = getattr(fit(), "plot_" + choose.choice(PICTURES))
    formats = {"format": "markdown", "var_names": ["a"], "probability": 0.9, "limit": 3}
    ways: list[Callable[[Any], Any]] = [
        lambda v: fit().table(**changed(formats, odd, choose)), lambda v: fit().save(v), lambda v: fit().report(v),
        lambda v: fit().report("r.html", **{choose.choice(["title", "question", "limit"]): v}),
        lambda v: picture(path=v), lambda v: picture(var_names=v), lambda v: picture(limit=v),
        lambda v: fit().plot_forest(probability=v), lambda v: walk().plot_forecast(v),
        lambda v: walk().plot_forecast(2, steps_shown=v), lambda v: estimate().save(v),
        lambda v: estimate().plot(ax=v), lambda v: type(estimate()).load(v),
        lambda v: estimate().profile("a", level=v), lambda v: ss.load(fit().save("good.nc"), v),
    ]
    choose.choice(ways)(value)
    close_pictures()


def close_pictures() -> None:
    """Forget the pictures that were drawn."""
    import matplotlib.pyplot as plt

    plt.close("all")


FUNCTION_CALLS: dict[str, Call] = {
    "series": _series,
    "scan and ode": _scanned,
    "mixtures and potentials": _composed,
    "transforms": _differentiated,
    "arrays": _filled,
    "trees": _trees,
    "settings": _set,
    "plans": _planned,
    "targets": _lowered,
    "m.sbc": _calibrated,
    "judging a fit": _judged,
    "telling of a fit": _told,
}
