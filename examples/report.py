"""A report of eight schools: a page to read in a browser or to print, and a table for the paper.

Run it with `python examples/report.py`; it writes `eight_schools.html` and `eight_schools.pdf` (a picture) here.
"""

import scistan as ss

m = ss.Model("eight_schools", coords={"school": list("ABCDEFGH")})
m.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0], dims="school")
m.mu = ss.Normal(0, 5)
m.tau = ss.HalfCauchy(5)
m.theta = ss.Normal(m.mu, m.tau, dims="school")
m.best = ss.max(m.theta)
m.y = ss.Normal(m.theta, m.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])

fit = m.mcmc(seed=1)
fit.plot_forest(path="eight_schools.pdf")
path = fit.report(
    "eight_schools.html",
    title="Do coaching programmes help?",
    question="How much does coaching raise scores in each of eight schools, and how much do schools differ?",
)
print(fit.table("latex", var_names=["mu", "tau", "best"]))
print(f"The report is in {path}.")
