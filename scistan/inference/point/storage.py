"""Save a point estimate to one file and read it back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np

from scistan.graph.instance import Instance
from scistan.inference.point.estimate import PointEstimate, Source
from scistan.messages import point as messages

__all__ = ["load_estimate", "save_estimate"]

_PLAIN = (
    "log_density", "converged", "reason", "findings", "boundary", "gradient_norm", "iterations", "evaluations",
    "starts", "starts_agreeing", "history", "timing", "kind", "device", "dtype", "seed", "dims", "coords",
)
_FORMAT = 1


class _Model(Protocol):
    """What an estimate needs of a model: its graph with the numbers at hand."""

    def instance(self) -> Instance: ...


def save_estimate(estimate: PointEstimate, path: str | Path) -> Path:
    """Write arrays and the rest, as JSON, to an `.npz` file."""
    path = Path(path)
    path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
    arrays = {f"value:{name}": array for name, array in estimate.values.items()}
    arrays |= {f"error:{name}": array for name, array in estimate.std_errors.items()}
    rest = {name: getattr(estimate, name) for name in _PLAIN}
    text = json.dumps({"format": _FORMAT, **rest}, default=_plain)
    with path.open("wb") as file:
        np.savez_compressed(file, meta=np.array(text), coordinates=estimate.coordinates, **arrays)  # type: ignore[arg-type]
    return path


def _plain(thing: Any) -> Any:
    return thing.item() if isinstance(thing, np.generic) else str(thing)


def load_estimate(path: str | Path, model: _Model | None = None) -> PointEstimate:
    """Read an estimate; with the model it was made with, everything works as before."""
    path = Path(path)
    if not path.is_file():
        raise messages.not_an_estimate(path, "there is no such file")
    try:
        opened = np.load(path, allow_pickle=False)
        meta = json.loads(str(opened["meta"]))
    except (OSError, ValueError, KeyError, TypeError, BadZipFile):
        raise messages.not_an_estimate(path, "its content is something else") from None
    with opened as file:
        values = {key.removeprefix("value:"): file[key] for key in file.files if key.startswith("value:")}
        errors = {key.removeprefix("error:"): file[key] for key in file.files if key.startswith("error:")}
        coordinates = file["coordinates"]
    meta.pop("format")
    for name in ("findings", "boundary"):
        meta[name] = tuple(meta[name])
    meta["history"] = tuple((float(a), float(b)) for a, b in meta["history"])
    meta["dims"] = {name: tuple(dims) for name, dims in meta["dims"].items()}
    source = None if model is None else _source(model, meta, values, coordinates)
    return PointEstimate(values=values, std_errors=errors, coordinates=coordinates, source=source, **meta)


def _source(model: _Model, meta: dict[str, Any], values: dict[str, np.ndarray], coordinates: np.ndarray) -> Source:
    from scistan.inference.point.maximize import lower
    from scistan.inference.point.mode import Mode, measure
    from scistan.inference.point.options import Options
    from scistan.targets.torch import choose_target

    instance = model.instance()
    target = choose_target("cpu", meta["dtype"])
    objective = lower(instance, meta["kind"], Options(dtype=meta["dtype"]), target)
    shapes = {t.name: instance.shape(t.draw.shape) for t in instance.graph.latents}
    strange = [name for name, shape in shapes.items() if name not in values or values[name].shape != shape]
    if strange or objective.dimension != coordinates.size:
        raise messages.other_model(strange or list(shapes))
    q = objective.density.backend.constant(coordinates)
    free = objective.torch.ones(objective.dimension, dtype=objective.torch.bool)
    for block in objective.density.blocks:
        if block.term.name in meta["boundary"]:
            free[block.start : block.stop] = False
    value, gradient = objective.value_and_gradient(q[None])
    if abs(float(value[0]) - meta["log_density"]) > 1e-5 * (1 + abs(meta["log_density"])):
        raise messages.other_model([t.name for t in instance.graph.observed])
    mode = Mode(q, float(value[0]), gradient[0], free, measure(objective, q, free), 0.0, "done", meta["iterations"])
    return Source(instance, objective, mode)
