"""What the second witness looks at of series, hidden states and equations: many models to a program."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from unittest import mock

import numpy as np

import scistan as ss
from tests.distributions.series_models import FORMS, series_values
from tests.passes.states.hidden_models import MODELS
from tests.passes.states.test_borders import FORMS as FORMS_AT_BORDERS
from tests.passes.states.test_borders import RATE, expected
from tests.passes.states.test_borders import model as at_border

__all__ = ["KINDS", "SEQUENCES", "Prefixed", "observed_series"]

KINDS = ("random", "constant", "sorted", "alternating", "zero")  # of values of an observed series
STEPS = 7
HIDDEN = {
    "sums by row": ("mixture", "logits_by_row", "two_in_a_row", "zero_inflated", "counts_of_counts", "of_a_latent",
                    "seen_twice", "of_length_one"),
    "sums in groups": ("groups", "rows_in_groups", "occupancy", "one_for_all"),
    "sums of several together": ("change_point", "counts_that_change", "tied_together", "three_in_a_chain", "blocks"),
    "sums along chains": ("markov", "on_and_off", "several_rows_a_time"),
}


class Prefixed:
    """A model whose names stand behind a prefix, so that models which use the same names share a program."""

    def __init__(self, model: ss.Model, prefix: str) -> None:
        self.__dict__.update(model=model, prefix=prefix)

    def __getitem__(self, name: str) -> Any:
        return self.model[f"{self.prefix}{name}"]

    def __setitem__(self, name: str, value: Any) -> None:
        self.model[f"{self.prefix}{name}"] = value

    __getattr__ = __getitem__
    __setattr__ = __setitem__


def _in_one(builders: Iterable[tuple[str, Callable[[], object]]]) -> ss.Model:
    """Let functions that build a model each build into one."""
    whole = ss.Model()
    for name, build in builders:
        with mock.patch.object(ss, "Model", lambda *_, name=name, **__: Prefixed(whole, f"{name}_")):
            build()
    return whole


def observed_series(kind: str = "random") -> ss.Model:
    """Write every form of a series, observed, into one model, on values of a kind."""
    return _in_one((f.name, lambda f=f: f.build(series_values(f, STEPS, kind), 0)) for f in FORMS)


def _latent_series() -> ss.Model:
    return _in_one((f.name, lambda f=f: _seen(f.build(None, STEPS))) for f in FORMS if f.latent)


def _seen(m: Any) -> None:
    m.seen = ss.Normal(m.y, 1).observe(np.zeros(m.y.shape))


def _hidden(names: Iterable[str]) -> ss.Model:
    return _in_one((name, MODELS[name]) for name in names)


def _at_borders() -> ss.Model:
    """Write sums of states where data say that a chance is 0 or 1, and where a latent may be there."""
    found = []
    for name in FORMS_AT_BORDERS:
        for called, p in (("never", 0.0), ("always", 1.0), ("latent", None)):
            y = next(y for y in (np.zeros(4, int), np.array([1, 2, 1, 3]))
                     if p is None or np.isfinite(expected(name, y, p, RATE)))
            found.append((f"{name}_{called}", lambda name=name, y=y, p=p: at_border(name, y, p)))
    return _in_one(found)


def _recurrences() -> ss.Model:
    """Write running sums, extremes, products and linear steps, there and back."""
    m = ss.Model()
    m.a, m.start, m.z = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1, shape=9)
    steps: dict[str, Callable[[Any, Any], Any]] = {
        "sum": lambda s, z: s + z, "scaled": lambda s, z: s + m.a * z, "linear": lambda s, z: m.a * s + z,
        "product": lambda s, z: s * ss.exp(0.3 * z), "largest": lambda s, z: ss.maximum(s, m.a * z),
        "smallest": lambda s, z: ss.minimum(z, s),
    }
    for name, step in steps.items():
        for way, reverse in (("on", False), ("back", True)):
            m[f"y_{name}_{way}"] = ss.Normal(ss.scan(step, m.start, over=m.z, reverse=reverse), 1).observe(np.ones(9))
    return m


def _equations() -> ss.Model:
    """Write an equation by every method, as a vector, a dict and within a recurrence; tolerances as tests compare."""
    m, close = ss.Model(), {"rtol": 1e-9, "atol": 1e-9}
    m.theta, m.start = ss.LogNormal(-0.5, 0.3, shape=4), ss.LogNormal(0.5, 0.3, shape=2)
    m.times = ss.data(np.array([0.5, 1.0, 2.0]))

    def meet(_: Any, z: Any) -> Any:
        return ss.stack([(m.theta[0] - m.theta[1] * z[1]) * z[0], (m.theta[3] * z[0] - m.theta[2]) * z[1]])

    def fade(t: Any, s: Any) -> Any:
        return {"now": -m.theta[0] * s["now"] + ss.sin(t), "gone": m.theta[0] * s["now"]}

    for method in ("rk45", "ckrk", "adams"):
        m[f"z_{method}"] = ss.ode(meet, m.start, 0, m.times, method=method, **close)
        m[f"y_{method}"] = ss.Normal(m[f"z_{method}"], 1).observe(np.ones((3, 2)))
    m.now = ss.ode(fade, {"now": m.start[0], "gone": 0.0}, 0, m.times, method="bdf", **close)["now"]
    m.y_now = ss.Normal(m.now, 1).observe(np.ones(3))
    m.dose = ss.data(np.array([1.0, 2.0]))
    m.level = ss.scan(
        lambda left, dose: ss.ode(lambda t, a: -m.theta[1] * a, left + dose, 0, [1.0], **close)[0], 0.0, over=m.dose
    )
    m.y_level = ss.Normal(m.level, 1).observe(np.ones(2))
    return m


SEQUENCES: dict[str, Callable[[], ss.Model]] = {
    "equations": _equations,
    "series, observed": observed_series,
    "series, latent": _latent_series,
    "recurrences": _recurrences,
    "sums at borders": _at_borders,
    **{name: lambda members=members: _hidden(members) for name, members in HIDDEN.items()},  # type: ignore[misc]
}
