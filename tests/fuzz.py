"""A seeded fuzzer of everything public: odd values in the place of good ones, and what comes through that should not."""

from __future__ import annotations

import datetime
import decimal
import fractions
import inspect
import random
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import scistan as ss
from scistan.distributions import CONSTRUCTORS
from scistan.engines.options import METHOD_OPTIONS, RULES
from scistan.ops import FUNCTIONS

__all__ = ["CALLS", "ODD", "foreign"]

SMALL = {"draws": 10, "warmup": 10, "chains": 1, "seed": 1, "engine": "stanli", "progress": False}


class Hostile:
    """An object that answers nothing."""

    def __repr__(self) -> str:
        return "Hostile()"

    def __eq__(self, other: object) -> bool:
        raise ValueError("do not compare me")

    def __hash__(self) -> int:
        raise TypeError("do not hash me")

    def __bool__(self) -> bool:
        raise ValueError("do not ask me")


def torch_tensor() -> Any:
    """Give a tensor with gradients where torch is installed, else a list."""
    try:
        import torch
    except ImportError:
        return [1.0, 2.0]
    return torch.ones(2, requires_grad=True)


def another_model() -> ss.Model:
    """Give a model that the other values do not belong to."""
    m = ss.Model("another")
    m.z = ss.Normal(0, 1, shape=2)
    return m


ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "minus inf": lambda: -np.inf,
    "zero": lambda: 0,
    "minus one": lambda: -1,
    "half": lambda: 0.5,
    "2**31": lambda: 2**31,
    "2**40": lambda: 2**40,
    "10**30": lambda: 10**30,
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "1e308": lambda: 1e308,
    "true": lambda: True,
    "numpy bool": lambda: np.bool_(False),
    "complex": lambda: 1 + 2j,
    "complex array": lambda: np.array([1j, 2]),
    "decimal": lambda: decimal.Decimal("1.5"),
    "fraction": lambda: fractions.Fraction(1, 3),
    "text": lambda: "text",
    "empty text": lambda: "",
    "a\0b": lambda: "a\0b",
    "surrogate": lambda: "\ud800",
    "number as text": lambda: "3",
    "bytes": lambda: b"bytes",
    "bytearray": lambda: bytearray(b"ab"),
    "empty list": lambda: [],
    "empty dict": dict,
    "empty tuple": lambda: (),
    "list": lambda: [1, 2],
    "ragged": lambda: [[1, 2], [3]],
    "nested": lambda: [[[[[1.0]]]]],
    "deep": lambda: deep(),
    "mixed": lambda: [1, "a", None],
    "list of lists": lambda: [[1, 2], [3, 4]],
    "list of None": lambda: [None, None],
    "set": lambda: {1, 2},
    "frozenset": lambda: frozenset({"a"}),
    "generator": lambda: (x for x in (1, 2)),
    "range": lambda: range(3),
    "slice": lambda: slice(None),
    "ellipsis": lambda: ...,
    "dict": lambda: {"x": [1.0, 2.0]},
    "dict of numbers": lambda: {1: 2, None: 3},
    "dict of tuples": lambda: {("a", "b"): 1},
    "array": lambda: np.array([1.0, 2.0, 3.0]),
    "scalar array": lambda: np.array(1.0),
    "matrix": lambda: np.ones((2, 3)),
    "empty array": lambda: np.empty((0,)),
    "array without rows": lambda: np.empty((0, 3)),
    "text array": lambda: np.array(["a", "b"]),
    "object array": lambda: np.array([1, None, "a"], dtype=object),
    "bool array": lambda: np.array([True, False]),
    "nan array": lambda: np.array([1.0, np.nan]),
    "structured": lambda: np.zeros(2, dtype=[("a", float), ("b", int)]),
    "dates array": lambda: np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
    "masked": lambda: np.ma.array([1.0, 2.0], mask=[True, False]),
    "uint64": lambda: np.array([2**63 + 1], dtype=np.uint64),
    "float16": lambda: np.ones(2, dtype=np.float16),
    "longdouble": lambda: np.ones(2, dtype=np.longdouble),
    "void": lambda: np.void(b"ab"),
    "many axes": lambda: np.ones((1,) * 12),
    "frame": lambda: pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]}),
    "empty frame": pd.DataFrame,
    "frame of NA": lambda: pd.DataFrame({"x": pd.array([1, None], dtype="Int64")}),
    "frame of odd columns": lambda: pd.DataFrame([[1, 2]], columns=[None, ("a", 1)]),
    "series": lambda: pd.Series([1.0, 2.0], index=["a", "b"]),
    "series of NA": lambda: pd.Series([1, None], dtype="Int64"),
    "categorical": lambda: pd.Categorical(["a", "b", None]),
    "index": lambda: pd.Index(["a", "b"]),
    "multi-index": lambda: pd.Series([1.0, 2.0], index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
    "intervals": lambda: pd.Series(pd.interval_range(0, 2)),
    "periods": lambda: pd.Series(pd.period_range("2020", periods=2, freq="Y")),
    "data array": lambda: xr.DataArray([1.0, 2.0], dims="t", coords={"t": ["a", "b"]}),
    "dataset": lambda: xr.Dataset({"x": ("t", [1.0, 2.0])}),
    "date": lambda: datetime.date(2020, 1, 1),
    "datetime": lambda: datetime.datetime(2020, 1, 1),
    "timedelta": lambda: datetime.timedelta(days=1),
    "timestamp": lambda: pd.Timestamp("2020-01-01"),
    "tensor": torch_tensor,
    "path": lambda: Path("nowhere"),
    "type": lambda: int,
    "function": lambda: len,
    "lambda": lambda: lambda *_: 1 / 0,
    "module": lambda: np,
    "error": lambda: ValueError("x"),
    "object": object,
    "hostile": Hostile,
    "distribution": lambda: ss.Normal(0, 1),
    "constructor": lambda: ss.Normal,
    "expression": lambda: another_model().z,
    "model": another_model,
    "data": lambda: ss.data([1.0, 2.0]),
    "factor": lambda: ss.factor(["a", "b"]),
}


def deep() -> list[Any]:
    """Give a list in a list, far down."""
    found: list[Any] = []
    for _ in range(3000):
        found = [found]
    return found


@cache
def fit() -> Any:
    """Give a fit of a small model."""
    return model().mcmc(**SMALL)


@cache
def estimate() -> Any:
    """Give a point estimate."""
    return model().map(progress=False, starts=1)


def model() -> ss.Model:
    """Give a small model of every kind of variable."""
    m = ss.Model("small")
    m.x = ss.data([0.5, 1.0, 2.0])
    m.g = ss.factor(["a", "b", "a"])
    m.a = ss.Normal(0, 1, dims="g")
    m.s = ss.HalfNormal(1)
    m.mean = m.a[m.g] * m.x
    m.y = ss.Normal(m.mean, m.s).observe([1.0, 2.0, 3.0])
    return m


def changed(good: dict[str, Any], odd: Callable[[], Any], choose: random.Random) -> dict[str, Any]:
    """Put an odd value in the place of one or two good ones."""
    found = dict(good)
    for name in choose.sample(sorted(found), choose.choice([1, 1, 1, 2]) if len(found) > 1 else 1):
        found[name] = odd()
    return found


Call = Callable[[Callable[[], Any], random.Random], Any]


def _constructed(name: str) -> Call:
    made_by = CONSTRUCTORS[name]
    parameters = made_by.distribution.parameters if hasattr(made_by, "distribution") else ()

    def call(odd: Callable[[], Any], choose: random.Random) -> None:
        good: dict[str, Any] = {p.name: 0.5 for p in parameters}
        good |= {option: value for option, value in OPTIONS.items() if choose.random() < 0.3}
        made = CONSTRUCTORS[name](**(changed(good, odd, choose) if good else {"shape": odd()}))
        m = ss.Model("m")
        m.v = made if choose.random() < 0.5 else made.observe(odd())
        repr(m)

    return call


OPTIONS: dict[str, Any] = {"shape": 2, "dims": "g", "lower": 0.1, "upper": 0.9, "centred": True, "constraint": "ordered"}


def _applied(name: str) -> Call:
    function = FUNCTIONS[name]
    names = list(inspect.signature(function).parameters)

    def call(odd: Callable[[], Any], choose: random.Random) -> None:
        m = model()
        usual: dict[str, Any] = {"axis": 0, "keepdims": False, "shape": (3,), "axes": None, "values": [m.x, m.x]}
        arguments = [usual.get(parameter, m.x) for parameter in names]
        for place in choose.sample(range(len(names)), choose.choice([1, 1, 2]) if len(names) > 1 else 1):
            arguments[place] = odd()
        m.made = function(*arguments)
        repr(m)

    return call


def _computed(odd: Callable[[], Any], choose: random.Random) -> None:
    m = model()
    what = choose.choice([m.x, m.a, m.y, m.mean, m.s, m.g])
    ways: list[Callable[[Any], Any]] = [
        lambda v: what + v, lambda v: v * what, lambda v: what**v, lambda v: what / v, lambda v: what @ v,
        lambda v: v - what, lambda v: what[v], lambda v: what[v, v], lambda v: what < v, lambda v: what == v,
        lambda v: what.sum(axis=v), lambda v: what.reshape(v), lambda v: np.add(what, v), lambda v: np.stack([what, v]),
        lambda v: np.where(v, what, what), lambda v: what[..., v], lambda v: m.a[v : v],
        lambda v: what.mean(axis=v, keepdims=v), lambda v: np.concatenate([what, v], axis=v),
    ]
    m.made = choose.choice(ways)(odd())


def _assigned(odd: Callable[[], Any], choose: random.Random) -> None:
    m = model()
    setattr(m, choose.choice(["v", "a", "x", "y", "g"]), odd())
    repr(m)


def _verb(name: str, good: dict[str, Any]) -> Call:
    return lambda odd, choose: getattr(model(), name)(**changed(good, odd, choose))


def _with_data(odd: Callable[[], Any], choose: random.Random) -> None:
    given: Any = choose.choice(
        [odd, lambda: {"x": odd()}, lambda: {"x": [1.0, 2.0], "g": odd(), "y": odd()}, lambda: keyed(odd())]
    )()
    if choose.random() < 0.5:
        model().with_data(given)
    else:
        model().with_data({"x": [1.0, 2.0], "y": [1.0, 1.0], "g": ["a", "b"]}, coords=given)


def keyed(value: Any) -> dict[Any, Any]:
    """Give a dict with an odd key, where Python makes one."""
    try:
        return {value: [1.0]}
    except (TypeError, ValueError):
        return {None: [1.0]}


def _values(odd: Callable[[], Any], choose: random.Random) -> None:
    values = {"a": [0.1, 0.2], "s": 1.0}
    given: Any = choose.choice([odd, lambda: {**values, "a": odd()}, lambda: {**values, "s": odd()}])()
    model().log_density(given, **({"target": odd()} if choose.random() < 0.2 else {}))


def _intervened(odd: Callable[[], Any], choose: random.Random) -> None:
    verb = choose.choice(["do", "given"])
    getattr(model(), verb)(**{choose.choice(["x", "a", "s", "mean", "g", "nothing"]): odd()})


def _sampled(odd: Callable[[], Any], choose: random.Random) -> None:
    names = ["draws", "warmup", "chains", "seed", "engine", "inits", "keep", "data", "executor", "nonsense", *RULES]
    engine = choose.choice(["auto", "stanli", "nutpie", "cmdstan"])
    value = odd()
    name = choose.choice(names)
    if engine in ("auto", "cmdstan") and name in ("inits", "keep", "data", "seed"):
        engine = "stanli"  # these are often fine, and a compilation is not what is looked at
    if engine == "cmdstan" and not isinstance(value, str | bytes | bytearray | dict | set):
        engine = "stanli"  # numbers and arrays are good for some options, too
    model().mcmc(**{**SMALL, "engine": engine, name: value})


def _approximated(odd: Callable[[], Any], choose: random.Random) -> None:
    method = choose.choice(list(METHOD_OPTIONS))
    value = odd()
    if value is None or isinstance(value, bool | np.bool_ | float):
        return  # often fine, and then it compiles
    name = choose.choice(["draws", *METHOD_OPTIONS[method]])
    if name == "opt_args" and isinstance(value, dict):
        return
    getattr(model(), method)(progress=False, **{name: value})


def _maximized(odd: Callable[[], Any], choose: random.Random) -> None:
    names = ["device", "starts", "seed", "dtype", "optimizer", "max_iterations", "batch_size", "epochs", "polish"]
    names += ["learning_rate", "inits", "data", "progress", "nonsense"]
    value = odd()
    good = {"progress": False, "starts": 1, "max_iterations": 20, "epochs": 2}
    getattr(model(), choose.choice(["map", "mle"]))(**{**good, choose.choice(names): value})


def _predicted(odd: Callable[[], Any], choose: random.Random) -> None:
    good = {"data": {"x": [1.0], "g": ["a"]}, "new_levels": "refuse", "do": {"x": 1.0}, "var_names": ["y"], "draws": 5}
    good |= {"seed": 1, "coords": None}
    given = changed(good, odd, choose)
    if choose.random() < 0.3:
        given["data"] = {choose.choice(["x", "g", "y", "a"]): odd()}
    fit().predict(**given)


def _held(odd: Callable[[], Any], choose: random.Random) -> None:
    value = odd()
    ways: list[Callable[[Any], Any]] = [
        lambda v: fit()[v], lambda v: v in fit(), lambda v: fit().summary(var_names=v), lambda v: fit().loo(var_name=v),
        lambda v: fit().draw_prior(draws=v), lambda v: fit().draw_prior(seed=v), lambda v: fit().posterior[v],
        lambda v: estimate().idata(draws=v), lambda v: estimate().idata(seed=v), lambda v: estimate().values[v],
        lambda v: estimate().profile(v), lambda v: estimate().profile("s", level=v),
    ]
    choose.choice(ways)(value)


def _moved(odd: Callable[[], Any], choose: random.Random) -> None:
    check = model().prior_check(draws=5, seed=1)
    name = choose.choice([*check.constants, "nonsense"])
    moved = check.with_constants({name: odd()} if choose.random() < 0.7 else odd())
    repr(moved)
    moved.lines


def _declared_op(odd: Callable[[], Any], choose: random.Random) -> None:
    good = {"name": "fuzz_op", "doc": "An op.", "arity": 1, "numpy": lambda xp, x: x, "torch": lambda xp, x: x}
    good |= {"stan": "{0} * 1", "functions": "", "vectorizes": False, "shape": None, "integer": False, "latex": ""}
    made = ss.declare_op(**changed(good, odd, choose))
    m = model()
    m.made = made(m.x)
    m.prior(draws=2, seed=1)
    m.stan_code()
    m.latex()


def _declared_distribution(odd: Callable[[], Any], choose: random.Random) -> None:
    good: dict[str, Any] = {
        "name": "FuzzDistribution",
        "doc": "A distribution.",
        "parameters": {"mu": "real"},
        "support": "real",
        "log_density": lambda x, mu: -((x - mu) ** 2) / 2,
        "draw": lambda rng, size, mu: rng.normal(mu, 1, size),
        "stan": "",
        "rng": "",
        "log_cdf": None,
        "log_ccdf": None,
        "scipy": None,
        "event_like": "",
        "location_scale": None,
    }
    given = changed(good, odd, choose)
    if choose.random() < 0.2:
        given["parameters"] = {choose.choice(["mu", "1x", "", "lambda"]): odd()}
    made = ss.declare_distribution(**given)
    m = ss.Model("m")
    m.v = made(0.5)
    m.prior(draws=2, seed=1)
    m.log_density({"v": 0.1})
    m.stan_code()


CALLS: dict[str, Call] = {
    **{f"ss.{name}": _constructed(name) for name in CONSTRUCTORS},
    **{f"ss.{name}()": _applied(name) for name in FUNCTIONS},
    "operators": _computed,
    "assignment": _assigned,
    "ss.Model": lambda odd, choose: ss.Model(odd()),
    "ss.data": lambda odd, choose: ss.data(**changed({"values": [1.0, 2.0], "dims": "t"}, odd, choose)),
    "ss.factor": lambda odd, choose: setattr(ss.Model("m"), "f", ss.factor(odd())),
    "ss.standardize": lambda odd, choose: setattr(ss.Model("m"), "f", ss.standardize(odd())),
    "m.with_data": _with_data,
    "m.log_density": _values,
    "m.do": _intervened,
    "m.prior": _verb("prior", {"draws": 5, "seed": 1}),
    "m.prior_check": _verb("prior_check", {"draws": 5, "seed": 1, "interactive": False}),
    "check.with_constants": _moved,
    "m.simulate": _verb("simulate", {"seed": 1}),
    "m.verify": _verb("verify", {"points": 1, "seed": 1}),
    "m.compile": lambda odd, choose: model().compile(**{choose.choice(["methods", "threads"]): unlike_switch(odd)}),
    "m.explain": _verb("explain", {"noncenter": True, "nonsense": 1}),
    "m.stan_code": _verb("stan_code", {"noncenter": True, "nonsense": 1}),
    "m.mcmc": _sampled,
    "m.map": _maximized,
    "m.pathfinder": _approximated,
    "fit.predict": _predicted,
    "fit": _held,
    "ss.declare_op": _declared_op,
    "ss.declare_distribution": _declared_distribution,
    "ss.compile_models": lambda odd, choose: ss.compile_models(not_a_model(odd)),
    "ss.compile_models of many": lambda odd, choose: ss.compile_models([not_a_model(odd)], workers=odd()),
    "ss.sample_models": lambda odd, choose: ss.sample_models(not_a_model(odd)),
    "ss.load": lambda odd, choose: ss.load(odd()),
}


def not_a_model(odd: Callable[[], Any]) -> Any:
    """Give an odd value that holds no model: to compile one is not what is looked at."""
    value = odd()
    return None if isinstance(value, ss.Model) else value


def unlike_switch(odd: Callable[[], Any]) -> Any:
    """Give an odd value that is no switch, for the same reason."""
    value = odd()
    return "neither" if isinstance(value, bool | np.bool_) else value


@contextmanager
def room(gigabytes: int = 6) -> Iterator[None]:
    """Let no call take more memory than this: arrays that fit are made, and a machine may have room for big ones."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):
        yield
        return
    limits = resource.getrlimit(resource.RLIMIT_AS)
    most = pages * resource.getpagesize() + (gigabytes << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most if limits[1] == resource.RLIM_INFINITY else min(most, limits[1]), limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def foreign(calls: int, seed: int, among: dict[str, Call] = CALLS) -> list[str]:
    """Make many calls with odd values, and tell those that ended in an error that is not SciStan's."""
    choose = random.Random(seed)
    names = list(among)
    found = []
    with room():
        for number in range(calls):
            # Every call that there is in turn, verbs more often than the many constructors and functions.
            name = names[number % len(names)] if number % 2 else choose.choice(names[-30:])
            odd = choose.choice(list(ODD))
            own = random.Random(f"{seed} {number}")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    among[name](ODD[odd], own)
                except ss.ScistanError as error:
                    if isinstance(error, ss.InternalError):
                        found.append(f"{number} {name} ({odd}): {error!r}"[:300])
                except Exception as error:
                    frames = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)]
                    at = " ".join(frames[-6:])
                    found.append(f"{number} {name} ({odd}): {type(error).__name__}: {str(error)[:120]} at {at}")
    return found
