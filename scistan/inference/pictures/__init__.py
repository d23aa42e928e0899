"""Pictures of a fit, on plain matplotlib: one way of drawing, whatever ArviZ is installed."""

from scistan.inference.pictures.ahead import plot_forecast
from scistan.inference.pictures.chains import plot_energy, plot_rank, plot_trace
from scistan.inference.pictures.marginals import plot_forest, plot_posterior, plot_prior_posterior
from scistan.inference.pictures.pairs import plot_pairs
from scistan.inference.pictures.predictive import plot_calibration, plot_ppc

__all__ = [
    "plot_calibration", "plot_energy", "plot_forecast", "plot_forest", "plot_pairs", "plot_posterior", "plot_ppc",
    "plot_prior_posterior", "plot_rank", "plot_trace",
]
