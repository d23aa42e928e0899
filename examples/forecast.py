"""Visitors of a museum, month by month: a trend that bends, a season, and the year ahead."""

import sys

import numpy as np
import pandas as pd

import scistan as ss

rng = np.random.default_rng(12)
months = pd.date_range("2018-01-01", periods=84, freq="MS")
season = np.array([-9, -7, -2, 1, 4, 6, 11, 12, 3, -1, -8, -10.0])
slope = np.where(np.arange(84) < 50, 0.25, -0.15)
visitors = 60 + slope.cumsum() + season[months.month - 1] + rng.normal(0, 2.0, size=84)
seen, later = visitors[:72], visitors[72:]

m = ss.Model("visitors", coords={"month": months[:72], "calendar": months[:12].strftime("%b")})
m.calendar_month = ss.data(months.month[:72].to_numpy() - 1, dims="month")
m.bend, m.spread, m.noise = ss.HalfNormal(0.1), ss.HalfNormal(10), ss.HalfNormal(5)
m.trend = ss.LocalLinearTrend(0.1, m.bend, start=ss.Normal(60, 20), start_slope=ss.Normal(0, 0.5), dims="month")
m.season = ss.Normal(0, m.spread, dims="calendar", constraint="sum_to_zero")
m.visitors = ss.Normal(m.trend + m.season[m.calendar_month], m.noise).observe(seen)

fit = m.mcmc(engine="nutpie", adapt_delta=0.95, chains=2, draws=500, seed=1)
print(fit)
print(fit.diagnose())

ahead = {"calendar_month": months.month[72:].to_numpy() - 1}
found = fit.forecast(12, data=ahead, seed=1).predictions["visitors"]
low, middle, high = np.quantile(found.values.reshape(-1, 12), [0.05, 0.5, 0.95], axis=0)
for k, month in enumerate(pd.DatetimeIndex(found["month"].values)):
    print(f"{month:%b %Y}  {middle[k]:5.1f}  90 % between {low[k]:5.1f} and {high[k]:5.1f}   came: {later[k]:5.1f}")
print(f"{((low <= later) & (later <= high)).sum()} of 12 months lie within")

if len(sys.argv) > 1:  # a file for the picture
    fit.plot_forecast(12, data=ahead, var_names=["visitors", "trend"], steps_shown=48, seed=1, path=sys.argv[1])
