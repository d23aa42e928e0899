"""A regression on real-looking data: prior check, two models, comparison, prediction with its uncertainty."""

import arviz as az
import numpy as np

import scistan as ss

rng = np.random.default_rng(8)
clinics = ["north", "east", "south", "west", "centre", "harbour"]
n = 240
clinic = rng.integers(0, len(clinics), n)
dose = rng.uniform(0, 10, n)
age = rng.normal(50, 12, n)
true_effect = np.array([2.0, -1.0, 0.5, 1.5, -2.0, 0.0])
response = 20 + true_effect[clinic] + 1.8 * dose - 0.12 * (age - 50) + rng.normal(0, 2.5, n)
print(f"{n} patients in {len(clinics)} clinics; mean response {response.mean():.1f}\n")


def build(with_clinics: bool) -> ss.Model:
    """Write the model, with or without effects of the clinics."""
    m = ss.Model("with clinics" if with_clinics else "pooled", coords={"clinic": clinics})
    m.dose = ss.data(dose, dims="patient")
    m.age = ss.data(age - 50, dims="patient")
    m.intercept = ss.Normal(20, 10)
    m.per_dose = ss.Normal(0, 2)
    m.per_year = ss.Normal(0, 0.5)
    m.noise = ss.HalfNormal(5)
    mean = m.intercept + m.per_dose * m.dose + m.per_year * m.age
    if with_clinics:
        m.which = ss.data(clinic, dims="patient")
        m.spread = ss.HalfNormal(3)
        m.effect = ss.Normal(0, m.spread, dims="clinic")
        mean = mean + m.effect[m.which]
    m.response = ss.Normal(mean, m.noise).observe(response)
    return m


pooled, grouped = build(False), build(True)

prior = grouped.prior(draws=500, seed=1)
low, high = np.quantile(prior.prior_predictive["response"], [0.05, 0.95])
print(f"Before the data: 90 % of simulated responses lie between {low:.0f} and {high:.0f}\n")

fits = {m.name: m.mcmc(seed=1) for m in (pooled, grouped)}
for fit in fits.values():
    print(fit)
fit = fits["with clinics"]
print("\n", fit.summary(kind="stats", var_names=["per_dose", "per_year", "spread", "effect"]), "\n")

print("Which predicts better? (leave-one-out cross-validation)")
ranked = az.compare({name: f.idata for name, f in fits.items()})
print(ranked.filter(["rank", "elpd_loo", "elpd", "elpd_diff", "dse"]), "\n")  # elpd_loo is called elpd in ArviZ 1.x

new = {"dose": [2.0, 5.0, 8.0], "age": [0.0, 0.0, 0.0], "which": [0, 0, 0]}
predictions = fit.predict(new).predictions["response"]
for value, (mean, (low, high)) in zip(
    new["dose"],
    zip(predictions.mean(("chain", "draw")).values, predictions.quantile([0.05, 0.95], ("chain", "draw")).values.T),
):
    print(f"A patient of 50 in the north clinic on dose {value:g}: {mean:.1f}, 90 % between {low:.1f} and {high:.1f}")
print("\nDiagnosis:", fit.diagnose())
