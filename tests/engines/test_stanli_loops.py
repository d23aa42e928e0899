"""stanli 0.24 loses elements that a loop assigns: which loops do, which never do, and that programs hold only those."""

from __future__ import annotations

import re

import numpy as np
import pytest

from scistan.engines.density import StanDensity
from scistan.targets.stan.program import lower_to_stan
from tests.targets.looped_models import FORMS, build
from tests.targets.structured_data import PATTERNS

PROGRAM = """data {{ int N; array[N] int s; }}
transformed data {{ vector[N] k = 1 + 0.1 * linspaced_vector(N, 1, N); }}
parameters {{ real<lower=0, upper=1> p; }}
model {{
  {statements}
}}"""
VECTOR = "vector[N] w; for (n in 1:N) {body} target += dot_product(w, k);"
ZEROS = "vector[N] w = rep_vector(0, N); for (n in 1:N) {body} target += dot_product(w, k);"
CHOICE = "(s[n] > 0 ? log(p) : log1m(p))"
# How elements are written, and whether all are the same whatever the data.
WRONG = {
    "a branch": (VECTOR.format(body=f"w[n] = {CHOICE};"), False),
    "an if": (VECTOR.format(body="{ if (s[n] > 0) w[n] = log(p); else w[n] = log1m(p); }"), False),
    "an array": ("array[N] real w; " + VECTOR.format(body=f"w[n] = {CHOICE};").partition("; ")[2].replace(
        "(w, k)", "(to_vector(w), k)"), False),
    "a branch over zeros": (ZEROS.format(body=f"w[n] = {CHOICE};"), False),
    "a row of a matrix": (
        f"matrix[2, N] w; for (i in 1:2) for (n in 1:N) w[i, n] = {CHOICE}; target += dot_product(w[2], k);", False),
    "no branch at all": (VECTOR.format(body="w[n] = log(p) + p;"), True),
}  # fmt: skip
RIGHT = {
    "added to zeros": (ZEROS.format(body=f"w[n] += {CHOICE};"), False),
    "added to zeros, no branch": (ZEROS.format(body="w[n] += log(p) + p;"), True),
    "added to a matrix": (
        "matrix[2, N] w = rep_matrix(0, 2, N); for (i in 1:2) for (n in 1:N) "
        f"w[i, n] += {CHOICE}; target += dot_product(w[2], k);", False),
    "added to the target": (f"for (n in 1:N) target += k[n] * {CHOICE};", False),
}  # fmt: skip


def largest_error(statements: str, same: bool) -> float:
    """Compare with NumPy on every pattern; NaN counts as infinite."""
    text = PROGRAM.format(statements=statements)
    errors = [0.0]
    for pattern in PATTERNS:
        s = np.array(pattern)
        density = StanDensity(text, {"N": len(s), "s": s})
        p = 1 / (1 + np.exp(-0.3))
        elements = np.full(len(s), np.log(p) + p) if same else np.where(s > 0, np.log(p), np.log1p(-p))
        expected = elements @ (1 + 0.1 * np.arange(1, len(s) + 1)) + np.log(p) + np.log1p(-p)
        errors.append(abs(density.log_density_gradient(np.array([0.3]))[0] - expected) / max(1.0, abs(expected)))
    return float(np.max(np.nan_to_num(errors, nan=np.inf)))


@pytest.mark.xfail(reason="stanli 0.24 loses elements that a loop assigns", strict=True)
@pytest.mark.parametrize("name", WRONG)
def test_a_loop_that_assigns(name: str) -> None:
    assert largest_error(*WRONG[name]) < 1e-12


@pytest.mark.parametrize("name", RIGHT)
def test_a_loop_that_adds(name: str) -> None:
    assert largest_error(*RIGHT[name]) < 1e-12


@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("name", FORMS)
def test_no_program_assigns_what_a_loop_computes(name: str, threads: bool) -> None:
    m = build(name, [0] * 5 + [1] * 10)
    text = lower_to_stan(m.to_graph(), log_lik=False, predictive=False, log_prior=False, threads=threads).text
    head, _, sampled = text.partition("parameters {")
    functions = head.partition("data {")[0]
    # An element is assigned only if it is copied; rows are computed whole.
    assigned = re.findall(r"^ *\w+\[[\w, ]+\] = (.*);$", functions + sampled, re.MULTILINE)
    computed = [value for value in assigned if not re.fullmatch(r"\w+\[[\w\[\], ]+\]", value)]
    assert all(re.match(r"softmax\(|rep_matrix\(|\(y\[start:end\]\[n\] > 0\)", value) for value in computed), text
