"""What Stan's derivatives are good for is declared: measured over the registries, at moderate arguments."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
from scipy import special, stats

import scistan as ss
from scistan import domains
from scistan.distributions.declaration import REGISTRY
from scistan.domains import Domain
from scistan.engines.density import StanDensity
from scistan.inference.tolerance import GRADIENT_TOLERANCE, allowed_slope_error
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Call, Template
from scistan.ops.expression import function_of
from scistan.targets.evaluate import Evaluator
from scistan.targets.stan.accuracy import slope_error, slope_errors
from scistan.targets.stan.program import lower_to_stan
from scistan.targets.torch.backend import TorchBackend

EXACT = 1e-8  # of the largest derivative: what Stan and torch, each right, may lose in a tail
POINTS, LOWEST = 150, -20.0  # log probabilities below the lowest are in the tail
POSITIVE, REAL, UNIT = domains.POSITIVE, domains.REAL, domains.OPEN_UNIT
SPECIAL = {
    "Phi": [REAL], "log_Phi": [REAL], "inv_Phi": [UNIT], "gamma_p": [POSITIVE] * 2, "gamma_q": [POSITIVE] * 2,
    "log_gamma_p": [POSITIVE] * 2, "log_gamma_q": [POSITIVE] * 2, "inc_beta": [POSITIVE, POSITIVE, UNIT],
    "log_inc_beta": [POSITIVE, POSITIVE, UNIT], "owens_t": [REAL] * 2, "log_i0": [POSITIVE], "lgamma": [POSITIVE],
    "digamma": [POSITIVE], "lbeta": [POSITIVE] * 2, "skew_normal_log_cdf": [REAL] * 2,
    "von_mises_log_cdf": [domains.CIRCLE, REAL, POSITIVE], "von_mises_log_ccdf": [domains.CIRCLE, REAL, POSITIVE],
}  # fmt: skip
NATIVE = [
    name for name, d in REGISTRY.items()
    if d.truncatable and d.stan.name and d.stan.truncates and not d.stan.constant and isinstance(d.support, Domain)
]  # fmt: skip


def moderate(rng: np.random.Generator, domain: Domain) -> float:
    u = float(rng.normal())
    lower, upper = domain.lower, domain.upper
    if isinstance(lower, int | float) and isinstance(upper, int | float):
        return lower + (upper - lower) / (1 + np.exp(-u))
    return lower + np.exp(u) if isinstance(lower, int | float) else 1.5 * u


def errors_of(written: str, formula, domains_: list[Domain], functions: str = "") -> np.ndarray:
    """Give the relative errors of Stan's gradient beside torch's at moderate arguments."""
    import torch

    declared = " ".join(f"real a{k};" for k in range(len(domains_)))
    before = f"functions {{ {functions} }} " if functions else ""
    stan = StanDensity(f"{before}parameters {{ {declared} }} model {{ target += {written}; }}", {})
    m = ss.Model()
    for k in range(len(domains_)):
        m[f"a{k}"] = ss.Normal(0, 1)
    instance, backend = m.instance(), TorchBackend()
    node = formula(*(m[f"a{k}"] for k in range(len(domains_))))._scistan_node_
    rng = np.random.default_rng(0)
    found = []
    for _ in range(POINTS):
        q = np.array([moderate(rng, domain) for domain in domains_])
        evaluator, leaves = Evaluator(instance, backend), [backend.constant(np.array(x)).requires_grad_() for x in q]
        for term, leaf in zip(instance.graph.latents, leaves, strict=True):
            evaluator.set(term.value, leaf, batched=False)
        value = evaluator[node].array
        if LOWEST < float(value.detach()) < np.inf:
            slopes = torch.autograd.grad(value, leaves, allow_unused=True)
            expected = np.array([0.0 if slope is None else float(slope) for slope in slopes])
            gradient = stan.log_density_gradient(q)[1]
            found.append(np.abs(gradient - expected).max() / max(1.0, np.abs(expected).max()))
    return np.array(found)


def assert_right(errors: np.ndarray, declared: float) -> None:
    """Hold every argument to what is declared, and where nothing is, to what rounding leaves of a difference."""
    assert errors.max() <= (declared or EXACT), np.sort(errors)[-20:]


@pytest.mark.parametrize("tail", ["lcdf", "lccdf"])
@pytest.mark.parametrize("name", NATIVE)
def test_tails_of_distributions_are_as_good_as_declared(name: str, tail: str) -> None:
    d = REGISTRY[name]
    names = {p.name: f"a{k}" for k, p in enumerate(d.parameters, 1)}
    templates = d.stan.arguments or tuple(f"{{{p.name}}}" for p in d.parameters)
    listed = ", ".join(template.format(**names) for template in templates)
    assert isinstance(d.support, Domain)
    formula = d.log_cdf if tail == "lcdf" else d.log_ccdf
    errors = errors_of(f"{d.stan.name}_{tail}(a0 | {listed})", formula, [d.support, *(p.domain for p in d.parameters)])
    assert len(errors) > POINTS // 3
    assert_right(errors, d.stan.tail_error)


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_are_as_good_as_declared(name: str) -> None:
    op = OPS[name]
    args = [f"a{k}" for k in range(len(SPECIAL[name]))]
    written = f"{op.stan.name}({', '.join(args)})" if isinstance(op.stan, Call) else op.stan.text.format(*args)
    functions = op.stan.functions if isinstance(op.stan, Template) else ""
    errors = errors_of(written, function_of(op), SPECIAL[name], functions)
    assert_right(errors, slope_error(written))


# Far from moderate: Stan's own derivatives have no digits at some of these, and are 0 for x > 10 a.
SHAPES = [0.01, 0.3, 1.0, 3.0, 8.0, 40.0, 1000.0]
PLACES = [1e-3, 0.2, 1.0, 4.0, 16.0, 40.0, 100.0, 1000.0]


@pytest.mark.parametrize("op", ["log_gamma_p", "log_gamma_q"])
def test_incomplete_gamma_functions_are_right_everywhere(op: str) -> None:
    """Values and derivatives beside 40 digits of mpmath, whole shapes and both tails included."""
    form = OPS[op].stan
    text = f"functions {{ {form.functions} }} parameters {{ real a; real x; }} model {{ target += %s; }}"
    stan = StanDensity(text % form.text.format("a", "x"), {})
    for shape, place in itertools.product(SHAPES, PLACES):
        value, gradient = stan.log_density_gradient(np.array([shape, place]))
        expected, slopes = by_mpmath(op, shape, place)
        assert value == pytest.approx(expected, rel=1e-11, abs=1e-14), (shape, place)
        np.testing.assert_allclose(gradient, slopes, rtol=0, atol=1e-11 * max(1.0, *np.abs(slopes)))


def by_mpmath(op: str, shape: float, place: float) -> tuple[float, list[float]]:
    with mpmath.workdps(40):

        def log_tail(a: mpmath.mpf, x: mpmath.mpf) -> mpmath.mpf:
            ends = (0, x) if op == "log_gamma_p" else (x, mpmath.inf)
            return mpmath.log(mpmath.gammainc(a, *ends, regularized=True))

        a, x, step = mpmath.mpf(shape), mpmath.mpf(place), mpmath.mpf(10) ** -14
        along = [(log_tail(a * (1 + step), x) - log_tail(a * (1 - step), x)) / (2 * step * a),
                 (log_tail(a, x * (1 + step)) - log_tail(a, x * (1 - step))) / (2 * step * x)]  # fmt: skip
        return float(log_tail(a, x)), [float(slope) for slope in along]


def test_the_normal_tails_are_as_good_as_declared_everywhere() -> None:
    """Their error is a function of one number: over all of it, and not much better than declared anywhere else."""
    stan = StanDensity("parameters { real z; } model { target += std_normal_lcdf(z | ); }", {})
    z = np.arange(-37.0, 8.0, 0.01)
    expected = np.exp(stats.norm.logpdf(z) - special.log_ndtr(z))
    found = np.array([stan.log_density_gradient(np.array([at]))[1][0] for at in z])
    errors = np.abs(found - expected) / np.maximum(1.0, expected)
    declared = REGISTRY["StdNormal"].stan.tail_error
    assert declared / 4 < errors.max() <= declared


def test_what_is_declared_is_in_the_program() -> None:
    """A program's tolerance comes from the functions it calls, wherever they come from."""
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe([0.3, 0.4])
    assert allowed_slope_error(lower_to_stan(m.to_graph())) == GRADIENT_TOLERANCE
    m.z = ss.Normal(m.a, 1, lower=0).observe([0.3, 0.4])
    assert allowed_slope_error(lower_to_stan(m.to_graph())) == REGISTRY["Normal"].stan.tail_error
    assert slope_error("target += foo(normal_lcdf (a | b, c));") == slope_errors()["normal_lcdf"] > 0
    assert slope_error("real normal_lcdf; target += normal_lcdf + 1;") == 0.0
