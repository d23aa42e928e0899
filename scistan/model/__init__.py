"""What users hold: the model and its data."""

from scistan.model.coded import factor, standardize
from scistan.model.data import data
from scistan.model.model import Model

__all__ = ["Model", "data", "factor", "standardize"]
