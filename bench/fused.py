"""From how many columns on Stan's GLM forms are faster than a sum of columns: the figures behind `fewest` of a `Glm`.

Run: python bench/fused.py [rows ...]. Each figure is the processor time of a gradient of `y ~ family(a + b * x + …)` over
that of the fused form on the same engine, data and point: above 1 the fused form is faster. `groups` is a varying
intercept beside the columns.
"""

from __future__ import annotations

import sys

import numpy as np
from stan_gradients import Gradient, ratio

COUNTS = (1, 2, 3, 4, 6, 8)
FAMILIES = {  # the sum's form, the fused form; both take the other arguments behind the predictor
    "normal": ("normal({eta}, sigma)", "normal_id_glm(x, {alpha}, {beta}, sigma)"),
    "Bernoulli": ("bernoulli_logit({eta})", "bernoulli_logit_glm(x, {alpha}, {beta})"),
    "binomial": ("binomial_logit(n, {eta})", "binomial_logit_glm(n, x, {alpha}, {beta})"),
    "Poisson": ("poisson_log({eta})", "poisson_log_glm(x, {alpha}, {beta})"),
    "negative binomial": ("neg_binomial_2_log({eta}, sigma)", "neg_binomial_2_log_glm(x, {alpha}, {beta}, sigma)"),
    "ordered": ("ordered_logistic({eta}, cut)", "ordered_logistic_glm(x, {beta}, cut)"),
}
PROGRAM = """
data {{ int N; int J; int K; matrix[N, K] x; array[N] int g; array[N] int n; {outcome} }}
transformed data {{ {columns} }}
parameters {{ real a; vector[J] u; {numbers} real<lower=0> sigma; ordered[2] cut; }}
model {{ a ~ std_normal(); u ~ std_normal(); y ~ {likelihood}; }}
"""


def gain(family: str, rows: int, count: int, alpha: str) -> float:
    """Give the time of the sum over that of the fused form."""
    rng = np.random.default_rng(0)
    groups = max(2, rows // 10)
    real = family == "normal"
    data = {
        "N": rows, "J": groups, "K": count, "x": rng.normal(size=(rows, count)), "g": 1 + np.arange(rows) % groups,
        "n": np.full(rows, 5), "y": rng.normal(size=rows) if real else rng.integers(1, 3, rows) - (family != "ordered"),
    }
    added, fused = FAMILIES[family]
    columns = " ".join(f"vector[N] x{k} = x[:, {k}];" for k in range(1, count + 1))
    names = ", ".join(f"b{k}" for k in range(1, count + 1))
    eta = " + ".join([alpha] * (family != "ordered") + [f"b{k} * x{k}" for k in range(1, count + 1)])
    common = {
        "outcome": "vector[N] y;" if real else "array[N] int y;",
        "numbers": " ".join(f"real b{k};" for k in range(1, count + 1)),
    }
    by_sum = PROGRAM.format(**common, columns=columns, likelihood=added.format(eta=eta))
    likelihood = fused.format(alpha=alpha, beta=f"[{names}]'")
    by_form = PROGRAM.format(**common, columns="", likelihood=likelihood)
    return ratio(family, Gradient.of(by_sum, data), Gradient.of(by_form, data))


def main(sizes: list[int]) -> None:
    print(f"{'family':<20}{'rows':>7}{'':>9}" + "".join(f"{count:>7}" for count in COUNTS) + "   columns")
    for rows in sizes:
        for family in FAMILIES:
            for kind, alpha in {"": "a", "groups": "a + u[g]"}.items():
                if family == "ordered" and kind:
                    continue  # its form takes no intercept
                gains = "".join(f"{gain(family, rows, count, alpha):7.2f}" for count in COUNTS)
                print(f"{family:<20}{rows:>7}{kind:>9}{gains}", flush=True)


if __name__ == "__main__":
    main([int(rows) for rows in sys.argv[1:]] or [1000, 10000])
