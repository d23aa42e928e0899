"""Save a point estimate to one file and read it back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from scistan.errors import ScistanError
from scistan.graph.instance import Instance
from scistan.graph.parse import UndeclaredError
from scistan.inference.files import DAMAGE, sealing, shown_reason, why_unreadable
from scistan.inference.memory import check_fits
from scistan.inference.paths import as_path
from scistan.inference.plan import Plan
from scistan.inference.point.estimate import PointEstimate, Source
from scistan.inference.record import Record
from scistan.inference.seal import BrokenSealError, check_seal
from scistan.inference.summed import summed
from scistan.messages import fits as fit_messages
from scistan.messages import point as messages

if TYPE_CHECKING:
    from scistan.inference.subject import Fitted

__all__ = ["load_estimate", "save_estimate", "source_of"]

_PLAIN = (
    "log_density", "converged", "reason", "findings", "boundary", "gradient_norm", "iterations", "evaluations",
    "starts", "starts_agreeing", "history", "timing", "kind", "device", "dtype", "seed", "dims", "coords",
    "integrated", "maximized", "exact",
)
_FORMAT = 1


class _Model(Protocol):
    """What an estimate needs of a model: its graph with the numbers at hand."""

    def instance(self) -> Instance: ...


def save_estimate(estimate: PointEstimate, path: str | Path) -> Path:
    """Write arrays and the rest, as JSON, to an `.npz` file."""
    path = as_path("save", path)
    if not path.name:
        raise fit_messages.cannot_save(path, "it is a folder")
    path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
    arrays = {f"value:{name}": array for name, array in estimate.values.items()}
    arrays |= {f"error:{name}": array for name, array in estimate.std_errors.items()}
    arrays |= {f"interval:{name}": array for name, array in estimate.intervals.items()}
    rest = {name: getattr(estimate, name) for name in _PLAIN}
    rest["plan"] = None if estimate.plan is None else estimate.plan.to_dict()
    record = estimate.model.record() if estimate.model is not None else None
    if record is not None:
        rest["record"] = record.digest
        arrays |= {"record": np.array(record.text)}
        arrays |= {f"record:{name}": array for name, array in record.arrays.items()}
    text = json.dumps({"format": _FORMAT, **rest}, default=_plain)
    with sealing(path) as beside, beside.open("wb") as file:
        np.savez_compressed(file, meta=np.array(text), coordinates=estimate.coordinates, **arrays)  # type: ignore[arg-type]
    return path


def _plain(thing: Any) -> Any:
    return thing.item() if isinstance(thing, np.generic) else str(thing)


def load_estimate(
    path: str | Path, model: _Model | None = None, restore: Callable[[Record], Fitted] | None = None
) -> PointEstimate:
    """Read an estimate, for the model given or with the one that `restore` makes of what is in the file."""
    path = as_path("load", path)
    if why := why_unreadable(path):
        raise messages.not_an_estimate(path, why)
    try:
        check_seal(path)
        found, record = _read(path, model is None and restore is not None)
    except BrokenSealError as error:
        raise messages.not_an_estimate(path, str(error)) from None
    except ScistanError:
        raise
    except DAMAGE:
        raise messages.not_an_estimate(path, "its content is something else") from None
    if record is not None and restore is not None:
        found = replace(found, model=_held(path, record, restore))
    return found if model is None else replace(found, source=source_of(found, summed(model.instance())))


def _read(path: Path, with_record: bool) -> tuple[PointEstimate, Record | None]:
    with np.load(path, allow_pickle=False) as file:
        sizes = {part.filename.removesuffix(".npy"): float(part.file_size) for part in file.zip.infolist()}
        check_fits(sizes, 1, partial(fit_messages.file_too_big, path))
        meta = json.loads(str(file["meta"]))
        values = {key.removeprefix("value:"): file[key] for key in file.files if key.startswith("value:")}
        errors = {key.removeprefix("error:"): file[key] for key in file.files if key.startswith("error:")}
        # A file from before intervals were kept has none: they cannot be told from standard errors alone.
        unknown = {name: np.full((2, *np.shape(value)), np.nan) for name, value in values.items()}
        ends = {key.removeprefix("interval:"): file[key] for key in file.files if key.startswith("interval:")}
        coordinates = file["coordinates"]
        digest = meta.pop("record", None)
        record = _record_in(path, file, digest) if digest is not None and with_record else None
    meta.pop("format")
    planned = meta.pop("plan", None)  # which files of before have not
    meta["plan"] = None if planned is None else Plan.from_dict(planned)
    for name in ("findings", "boundary", "integrated", "maximized"):
        meta[name] = tuple(meta.get(name, ()))
    meta["history"] = tuple((float(a), float(b)) for a, b in meta["history"])
    meta["dims"] = {name: tuple(dims) for name, dims in meta["dims"].items()}
    arrays = {"values": values, "std_errors": errors, "intervals": unknown | ends, "coordinates": coordinates}
    return PointEstimate(model=None, **arrays, **meta), record


def _record_in(path: Path, file: Any, digest: str) -> Record:
    names = [key for key in file.files if key.startswith("record:")]
    text = str(file["record"]) if "record" in file.files else ""
    found = Record(text, {key.removeprefix("record:"): file[key] for key in names})
    if found.digest != digest:
        raise messages.broken_record(path, "it has been changed since it was written")
    return found


def _held(path: Path, record: Record, restore: Callable[[Record], Fitted]) -> Fitted:
    """Build the model that a file holds."""
    try:
        return restore(record)
    except UndeclaredError as error:
        raise fit_messages.undeclared(path, error.kind, error.name) from None
    except ScistanError:
        raise
    except DAMAGE as error:
        raise messages.broken_record(path, shown_reason(error)) from None


def source_of(estimate: PointEstimate, instance: Instance) -> Source:
    """Lower a model as it was when an estimate was made with it, and check that it is the one."""
    from scistan.inference.point.marginal.effects import choose_integrated
    from scistan.inference.point.maximize import integrated, lower
    from scistan.inference.point.mode import Mode, measure
    from scistan.inference.point.options import Options
    from scistan.targets.torch import choose_target

    target = choose_target("cpu", estimate.dtype)
    verb = "map" if estimate.kind.endswith("map") else "mle"
    integrate = "reml" if estimate.kind == "reml" else estimate.integrated or False
    options = Options(dtype=estimate.dtype, integrate=integrate)
    joint = lower(instance, verb, options, target)
    shapes = {t.name: instance.shape(t.law.shape) for t in instance.graph.latents}
    values, best = estimate.values, estimate.log_density
    strange = [name for name, shape in shapes.items() if name not in values or values[name].shape != shape]
    if strange or joint.dimension != estimate.coordinates.size:
        raise messages.other_model(strange or list(shapes))
    rows = joint.density.backend.constant(estimate.coordinates)[None]
    objective = integrated(joint, choose_integrated(instance, integrate, verb), rows)
    q = objective.chosen(rows)[0]
    free = objective.torch.ones(objective.dimension, dtype=objective.torch.bool)
    for block in objective.density.blocks:
        if block.term.name in estimate.boundary:
            free[block.start : block.stop] = False
    value, gradient = objective.value_and_gradient(q[None])
    if abs(float(value[0]) - best) > 1e-5 * (1 + abs(best)):
        raise messages.other_model([t.name for t in instance.graph.observed])
    curvature = measure(objective, q, free)
    mode = Mode(q, float(value[0]), gradient[0], free, curvature, 0.0, "done", estimate.iterations)
    return Source(instance, objective, mode, objective.over_all(mode))
