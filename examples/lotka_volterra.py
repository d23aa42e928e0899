"""Hares and lynxes: a differential equation with unknown rates, fitted to pelts and continued beyond them."""

import sys

import numpy as np

import scistan as ss

years = np.arange(1.0, 21.0)
pelts = np.array(
    [[47.2, 6.1], [70.2, 9.8], [77.4, 35.2], [36.3, 59.4], [20.6, 41.7], [18.1, 19.0], [21.4, 13.0], [22.0, 8.3],
     [25.4, 9.1], [27.1, 7.4], [40.3, 8.0], [57.0, 12.3], [76.6, 19.5], [52.3, 45.7], [19.5, 51.1], [11.2, 29.7],
     [7.6, 15.8], [14.6, 9.7], [16.2, 10.1], [24.7, 8.6]]
)  # fmt: skip

m = ss.Model("hare_and_lynx", coords={"species": ["hare", "lynx"]})
m.years = ss.data(years, dims="year")
m.born, m.dies = ss.Normal(1, 0.5, lower=0), ss.Normal(1, 0.5, lower=0)
m.eaten, m.fed = ss.Normal(0.05, 0.05, lower=0), ss.Normal(0.05, 0.05, lower=0)
m.start = ss.LogNormal(np.log(10.0), 1, dims="species")
m.sigma = ss.LogNormal(-1, 1, dims="species")


def slope(t, animals):
    hare, lynx = animals[0], animals[1]
    return ss.stack([(m.born - m.eaten * lynx) * hare, (m.fed * hare - m.dies) * lynx])


m.animals = ss.ode(slope, y0=m.start, t0=0, times=m.years)
m.pelts = ss.LogNormal(ss.log(m.animals), m.sigma).observe(pelts)

fit = m.mcmc(engine="stanli", chains=2, warmup=500, draws=500, seed=1)  # every gradient solves the equation
print(fit)
print(fit.certificate)
for name in ("born", "eaten", "dies", "fed"):
    print(f"{name:6} {fit.posterior[name].mean():.3f} ± {fit.posterior[name].std():.3f}")

later = np.linspace(0.1, 25, 120)
animals = fit.predict({"years": later}, var_names=["animals"], draws=400).predictions["animals"].values
low, middle, high = np.quantile(animals.reshape(-1, len(later), 2), [0.05, 0.5, 0.95], axis=0)
print(f"hares in year 25: {middle[-1, 0]:.0f}, 90 % between {low[-1, 0]:.0f} and {high[-1, 0]:.0f}")

if len(sys.argv) > 1:  # a file for the picture
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
    for k, (species, color) in enumerate((("hare", "#1f6f8b"), ("lynx", "#c05a2e"))):
        axes.fill_between(later, low[:, k], high[:, k], color=color, alpha=0.25, linewidth=0)
        axes.plot(later, middle[:, k], color=color, label=species)
        axes.plot(years, pelts[:, k], "o", color=color, markersize=4)
    axes.axvline(20, color="gray", linewidth=0.8, linestyle=":")
    axes.set(xlabel="year", ylabel="pelts, thousands", ylim=(0, None))
    axes.legend(frameon=False)
    figure.savefig(sys.argv[1], dpi=130)
