"""What the second witness looks at: every form of statement the generator writes, many to a program."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import scistan as ss
from scistan.distributions.declaration import REGISTRY
from scistan.domains import Domain
from scistan.ops import REGISTRY as OPS
from tests.targets.looped_models import FORMS
from tests.targets.stan_cases import Case, add, cases
from tests.targets.structured_data import LENGTH
from tests.targets.test_stan_ops import ELEMENTWISE, STRUCTURED, arguments
from tests.toolchain.witness_sequences import SEQUENCES, Prefixed
from tests.zoo import ZOO

__all__ = ["ARRANGED", "PROGRAMS", "SAMPLE", "looped"]

Program = Callable[[], ss.Model]
LAYOUTS: dict[str, list[tuple[int, ...]]] = {
    "scalar": [()] * 3,
    "vector": [(4,)] * 3,
    "matrix": [(2, 4)] * 3,
    "mixed": [(4,), (), (2, 4)],
    "outer": [(2, 1), (4,), ()],
    "cube": [(2, 3, 4), (3, 1), ()],
}


def _of_cases(chosen: Iterable[Case]) -> ss.Model:
    m = ss.Model()
    for number, case in enumerate(chosen):
        add(m, case, f"{case.name.lower()}{number}_")
    return m


def _structured(case: Case) -> bool:
    d = REGISTRY[case.name]
    spaces = [p.domain for p in d.parameters] + ([d.support] if isinstance(d.support, Domain) else [])
    return any(space.structure for space in spaces)


def _sorted_cases() -> dict[str, list[Case]]:
    """Every distribution in every role, shape, kind of arguments and truncation: a program of each kind."""
    groups: dict[str, list[Case]] = {}
    for case in cases():
        if not case.batch and case.arguments == "latents":
            continue  # one of each is the same as one for all
        shape = "x".join(map(str, case.batch)) or "scalar"
        kind = "structured" if _structured(case) else "plain"
        shared = "own arguments" if case.arguments == "latents" else "shared arguments"
        group = " ".join(filter(None, (kind, case.role, shape, shared, case.truncated)))
        groups.setdefault(group, []).append(case)
    return groups


def _use(m: ss.Model, prefix: str, value: Any) -> None:
    m[f"{prefix}value"] = value
    m[f"{prefix}y"] = ss.Normal(ss.sum(value) if value.ndim else value, 1).observe(0.2)


def _elementwise(names: Iterable[str], layout: str) -> ss.Model:
    m = ss.Model()
    for name in names:
        given = arguments(Prefixed(m, f"{name}_"), name, LAYOUTS[layout][: OPS[name].arity])
        _use(m, f"{name}_", getattr(ss, name)(*given) * 1.0)
    return m


def _shaped_by(layout: str) -> list[str]:
    several = layout in ("mixed", "outer")
    return [name for name in ELEMENTWISE if OPS[name].arity > 1 or not several]


def _operations(makers: Iterable[Callable[[Any], Any]]) -> ss.Model:
    m = ss.Model()
    for number, make in enumerate(makers):
        prefix = f"op{number}_"
        _use(m, prefix, make(Prefixed(m, prefix)))
    return m


def _regressions() -> ss.Model:
    """Every fused form, with and without an intercept, and the sufficient statistics of identical rows."""
    rng = np.random.default_rng(8)
    counts, binary, levels = rng.poisson(2, 9), rng.integers(0, 2, 9), rng.integers(0, 3, 9)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=(9, 2)))
    m.scale = ss.HalfNormal(1)
    m.scales = ss.HalfNormal(1, shape=9)
    families: dict[str, Callable[[Any], Any]] = {
        "normal": lambda eta: ss.Normal(eta, m.scale).observe(rng.normal(size=9)),
        "normals": lambda eta: ss.Normal(eta, m.scales).observe(rng.normal(size=9)),
        "bernoulli": lambda eta: ss.BernoulliLogit(eta).observe(binary),
        "binomial": lambda eta: ss.BinomialLogit(np.full(9, 12), eta).observe(counts),
        "poisson": lambda eta: ss.PoissonLog(eta).observe(counts),
        "negbinomial": lambda eta: ss.NegBinomial2Log(eta, m.scale).observe(counts),
    }
    for name, family in families.items():
        m[f"{name}_alpha"] = ss.Normal(0, 1)
        m[f"{name}_beta"] = ss.Normal(0, 1, shape=2)
        predictor = m.x @ m[f"{name}_beta"]
        m[f"{name}_with"] = family(m[f"{name}_alpha"] + predictor)
        m[f"{name}_without"] = family(predictor)
    m.table = ss.Normal(0, 1, shape=(2, 3))
    m.levels = ss.CategoricalLogit(m.x @ m.table).observe(levels)
    m.cut = ss.Normal(0, 2, shape=2, constraint="ordered")
    m.slope = ss.Normal(0, 1, shape=2)
    m.ranks = ss.OrderedLogistic(m.x @ m.slope, m.cut).observe(levels)
    m.rate, m.place = ss.Gamma(3, 2), ss.Normal(0, 1)
    m.many_normal = ss.Normal(m.place, m.scale).observe(rng.normal(size=9))
    m.many_poisson = ss.Poisson(m.rate).observe(counts)
    m.many_log = ss.PoissonLog(m.place).observe(counts)
    m.many_exponential = ss.Exponential(m.rate).observe(rng.exponential(size=9))
    m.many_bernoulli = ss.BernoulliLogit(m.place).observe(binary)
    return m


CASES = _sorted_cases()
PART = 25
# What CI compiles: some forms of each kind. `--long` compiles everything.
SAMPLE = "a sample"


def _sample() -> ss.Model:
    plain = [case for group, found in CASES.items() if group.startswith("plain") for case in found]
    return _of_cases(replace(case, batch=case.batch and (*case.batch[:-1], LENGTH)) for case in plain[::80])


def looped(pattern: list[int]) -> ss.Model:
    """Write every form with a loop into one model, on zeros and ones."""
    m = ss.Model()
    values = np.array(pattern, dtype=int)
    m.s = ss.data(values)
    for name, form in FORMS.items():
        form(Prefixed(m, f"{name}_"), m.s, values)
    return m


def _in_parts(name: str, build: Callable[[list[Any]], ss.Model], forms: Iterable[Any]) -> dict[str, Program]:
    """Spread many forms over programs: the compiler's time grows faster than a program."""
    listed = list(forms)
    parts = [listed[start : start + PART] for start in range(0, len(listed), PART)]
    return {f"{name}, part {number}": partial(build, part) for number, part in enumerate(parts, 1)}


PROGRAMS: dict[str, Program] = {
    SAMPLE: _sample,
    "regressions": _regressions,
    **SEQUENCES,
    **{f"model {name}": make for name, make in ZOO.items()},
    **_in_parts("operations", _operations, STRUCTURED.values()),
}
for layout in LAYOUTS:
    PROGRAMS |= _in_parts(f"elementwise {layout}", partial(_elementwise, layout=layout), _shaped_by(layout))
for group, found in CASES.items():
    PROGRAMS |= _in_parts(group, _of_cases, found)
# Programs whose rows of data may stand in any order; elsewhere data depend on one another.
ARRANGED = [n for n in PROGRAMS if n in (SAMPLE, "regressions") or (n.startswith("model ") and n != "model dirichlets")]
