"""What Stan's derivatives are good for is declared: measured over the registries, at moderate arguments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import scistan as ss
from scistan import domains
from scistan.distributions.declaration import REGISTRY
from scistan.domains import Domain
from scistan.engines.density import StanDensity
from scistan.inference.tolerance import GRADIENT_TOLERANCE, allowed_slope_error
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Call
from scistan.ops.expression import function_of
from scistan.targets.evaluate import Evaluator
from scistan.targets.stan.accuracy import slope_error, slope_errors
from scistan.targets.stan.program import lower_to_stan
from scistan.targets.torch.backend import TorchBackend

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


def errors_of(written: str, formula, domains_: list[Domain]) -> np.ndarray:
    """Give the relative errors of Stan's gradient beside torch's at moderate arguments."""
    import torch

    declared = " ".join(f"real a{k};" for k in range(len(domains_)))
    stan = StanDensity(f"parameters {{ {declared} }} model {{ target += {written}; }}", {})
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


def assert_nineteen_of_twenty(errors: np.ndarray, declared: float) -> None:
    """Count what is further off; more than these are as likely as one in a million where it is one of twenty."""
    beyond = np.sum(errors > max(GRADIENT_TOLERANCE, declared))
    assert beyond <= stats.binom.isf(1e-6, len(errors), 1 / 20), np.sort(errors)[-20:]


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
    assert_nineteen_of_twenty(errors, d.stan.tail_error)


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_are_as_good_as_declared(name: str) -> None:
    op = OPS[name]
    args = [f"a{k}" for k in range(len(SPECIAL[name]))]
    written = f"{op.stan.name}({', '.join(args)})" if isinstance(op.stan, Call) else op.stan.text.format(*args)
    errors = errors_of(written, function_of(op), SPECIAL[name])
    assert_nineteen_of_twenty(errors, slope_error(written))


def test_what_is_declared_is_in_the_program() -> None:
    """A program's tolerance comes from the functions it calls, wherever they come from."""
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe([0.3, 0.4])
    assert allowed_slope_error(lower_to_stan(m.to_graph())) == GRADIENT_TOLERANCE
    m.z = ss.Normal(m.a, 1, lower=0).observe([0.3, 0.4])
    assert allowed_slope_error(lower_to_stan(m.to_graph())) == REGISTRY["Normal"].stan.tail_error
    assert slope_error("real Phi; target += foo(gamma_q (a, b));") == slope_errors()["gamma_q"]
    assert slope_error("real gamma_q; target += gamma_q + 1;") == 0.0
