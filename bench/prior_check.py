"""How long a redraw of the prior page takes, as a ratio to `m.prior()` of the same model: processor time, medians.

A redraw is all that Python does between a slider's move and the answer: the changed draws, their histograms and numbers.
`findings` adds the checks, which run when the slider is let go.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import numpy as np

import scistan as ss
from scistan.inference.prior_check.page import Page

ROWS, DRAWS, TIMES = 500, 1000, 15


def model(kind: str) -> ss.Model:
    """A regression of 500 rows on five predictors."""
    rng = np.random.default_rng(0)
    m = ss.Model(kind, coords={"predictor": list("abcde")})
    m.x = ss.data(rng.normal(size=(ROWS, 5)), dims=("row", "predictor"))
    m.alpha = ss.Normal(0, 1)
    m.beta = ss.Normal(0, 0.5, dims="predictor")
    m.sigma = ss.HalfNormal(2)
    eta = m.alpha + m.x @ m.beta
    if kind == "normal":
        m.y = ss.Normal(eta, m.sigma).observe(rng.normal(size=ROWS), dims="row")
    elif kind == "logistic":
        m.y = ss.BernoulliLogit(eta / m.sigma).observe(rng.integers(0, 2, ROWS), dims="row")
    else:
        m.y = ss.NegBinomial2(ss.exp(eta), m.sigma).observe(rng.poisson(2, ROWS), dims="row")
    return m


def median(run: Callable[[int], object]) -> float:
    """Give the median processor time of a call, once warm."""
    run(0)
    spent = []
    for k in range(1, TIMES + 1):
        began = time.process_time()
        run(k)
        spent.append(time.process_time() - began)
    return float(np.median(spent))


def main() -> None:
    """Print a table."""
    print(f"{DRAWS} draws of {ROWS} rows; milliseconds of processor time (ratio to m.prior)")
    print(f"{'model':10} {'m.prior':>9} {'alpha.sigma':>16} {'sigma.sigma':>16} {'with findings':>16}")
    for kind in ("normal", "logistic", "counts"):
        m = model(kind)
        whole = median(lambda _, m=m: m.prior(DRAWS, seed=1))
        page = Page(m.prior_check(DRAWS, seed=1))
        axes = {p["name"]: p["axis"] for p in page.opened()["answer"]["panels"]}

        def ask(name: str, k: int, page: Page = page, axes: dict = axes, **wish: bool) -> str:
            return json.dumps(page.ask({"values": {name: 0.5 + 0.1 * k}, "axes": axes, **wish}))

        times = [
            median(lambda k: ask("alpha.sigma", k)),
            median(lambda k: ask("sigma.sigma", k)),
            median(lambda k: ask("alpha.sigma", k, findings=True)),
        ]
        cells = " ".join(f"{1e3 * t:8.1f} ({t / whole:4.2f})" for t in times)
        print(f"{kind:10} {1e3 * whole:9.1f}  {cells}")


if __name__ == "__main__":
    main()
