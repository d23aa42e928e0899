"""`ss.load`: a saved fit or point estimate, with the model it is of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scistan.inference.load import load_fit
from scistan.inference.paths import as_path
from scistan.inference.record import Record
from scistan.model.fitted import FittedModel
from scistan.model.restore import model_of

__all__ = ["load", "restored_model"]


def load(path: str | Path, model: Any = None) -> Any:
    """Read a fit, or a point estimate (`.npz`); the model it is of comes with it.

    Ops and distributions of one's own must be declared before. A `model` that is given must be the one that was fitted;
    its labels may stand in another order, in which the draws are then put.
    """
    path = as_path("ss.load", path)
    if path.suffix == ".npz":
        from scistan.inference.point.storage import load_estimate

        return load_estimate(path, model, restored_model)
    return load_fit(path, model, restored_model)


def restored_model(record: Record) -> FittedModel:
    """Give the model that was fitted, from its record."""
    return FittedModel(model_of(record))
