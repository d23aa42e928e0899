"""Read a saved fit, with the model it is of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scistan.engines.protocol import Chains, Draws
from scistan.errors import ScistanError
from scistan.graph.parse import UndeclaredError
from scistan.inference.certificate import Certificate
from scistan.inference.files import DAMAGE, shown_reason, why_unreadable
from scistan.inference.fit import Fit
from scistan.inference.groups import GENERATED
from scistan.inference.match import in_order_of
from scistan.inference.memory import check_fits
from scistan.inference.netcdf import engine_for, group_names
from scistan.inference.plan import Plan
from scistan.inference.record import Record, record_from_dataset
from scistan.inference.save import MODEL_GROUP, PLAN_GROUP, VARIABLE_ORDER
from scistan.inference.seal import check_seal
from scistan.inference.subject import Fitted, Subject
from scistan.inference.weighed import Weighed
from scistan.messages import fits as messages
from scistan.targets.scipy.streams import fresh_seed

__all__ = ["Restore", "load_fit"]

# What makes a model of a record; models live in a layer above this one.
Restore = Callable[[Record], Fitted]


def _ordered(dataset: Any) -> Any:
    """Bring variables back into the model's order, which Zarr forgets."""
    order = json.loads(dataset.attrs.pop(VARIABLE_ORDER, "[]"))
    if set(order) != set(dataset.data_vars):
        return dataset
    # Levels of a factor are labels that no array of the group need run along: picking variables would lose them.
    return dataset[order].assign_coords(dataset.coords)


def load_fit(path: Path, model: Any, restore: Restore) -> Fit:
    """Read a fit with the model that the file holds, or with the one given, whose labels order the draws."""
    kind = engine_for(path)
    if why := why_unreadable(path, folders=kind == "zarr"):
        raise messages.not_a_fit(path, why)
    try:
        check_seal(path)
        groups = _read(path, kind)
    except ScistanError:
        raise
    except DAMAGE as error:
        raise messages.not_a_fit(path, shown_reason(error)) from None
    attributes = groups["posterior"].attrs if "posterior" in groups else {}
    if "model_hash" not in attributes:
        raise messages.not_a_fit(path, "it has no posterior of SciStan's")
    held, planned = groups.pop(MODEL_GROUP, None), groups.pop(PLAN_GROUP, None)
    subject = None if model is not None or held is None else _held(path, held, restore)
    if model is not None:
        subject = _subject(model, str(attributes["model_hash"]))
        groups = in_order_of(subject, groups, path.name)
    try:
        plan = None if planned is None else Plan.from_dict(json.loads(record_from_dataset(planned).text))
        return _restored(groups, attributes, subject, plan)
    except ScistanError:
        raise
    except DAMAGE as error:
        raise messages.not_a_fit(path, f"what it says of its draws cannot be read ({error!r})") from None


def _held(path: Path, dataset: Any, restore: Restore) -> Subject:
    """Build the model that a file holds."""
    try:
        return Subject.restore(restore(record_from_dataset(dataset)))
    except UndeclaredError as error:
        raise messages.undeclared(path, error.kind, error.name) from None
    except ScistanError:
        raise
    except DAMAGE as error:
        raise messages.broken_record(path, shown_reason(error)) from None


def _read(path: Path, kind: str) -> dict[str, Any]:
    import xarray as xr

    names = group_names(path, kind)
    more: dict[str, Any] = {"consolidated": False} if kind == "zarr" else {}
    opened = {name: xr.open_dataset(path, group=name, engine=kind, **more) for name in names}
    try:
        sizes = {f"{n}/{k}": float(array.nbytes) for n, group in opened.items() for k, array in group.variables.items()}
        check_fits(sizes, 1, partial(messages.file_too_big, path))
        return {name: _ordered(dataset.load()) for name, dataset in opened.items()}
    finally:
        for dataset in opened.values():
            dataset.close()


def _subject(model: Any, saved: str) -> Subject:
    made: Callable[[], Subject] | None = getattr(model, "_subject", None)
    if made is None:
        raise messages.no_model_given(model)
    subject = made()
    if subject.hash != saved:
        raise messages.other_model(saved, subject.hash)
    return subject


def _restored(
    groups: Mapping[str, Any], attributes: Mapping[str, Any], subject: Subject | None, plan: Plan | None
) -> Fit:
    def arrays(name: str) -> dict[str, np.ndarray]:
        return {k: v.values for k, v in groups[name].data_vars.items()} if name in groups else {}

    absent = json.dumps(sorted(set(GENERATED) - set(groups)))  # in files that do not say what was left out
    warm = Chains(arrays("warmup_posterior"), arrays("warmup_sample_stats"))
    prefix, suffix = "seconds_", "_version"
    draws = Draws(
        Chains(arrays("posterior"), arrays("sample_stats")),
        str(attributes["engine"]),
        {k.removesuffix(suffix): str(v) for k, v in attributes.items() if k.endswith(suffix) and "scistan" not in k},
        {k.removeprefix(prefix): float(v) for k, v in attributes.items() if k.startswith(prefix)},
        tuple(int(n) for n in np.atleast_1d(attributes["chain_numbers"])),
        warm if warm.values else None,
    )
    return Fit(
        arrays("posterior"),
        draws,
        json.loads(attributes["settings"]),
        subject,
        str(attributes["model"]),
        str(attributes["model_hash"]),
        str(attributes["why"]),
        tuple(json.loads(attributes["notes"])),
        frozenset(json.loads(attributes.get("left_out", absent))),
        method=str(attributes["method"]),
        certificate=_certificate(attributes["certificate"]) if "certificate" in attributes else None,
        groups=dict(groups),
        plan=plan,
        _calls=fresh_seed(),  # two readers of one file must not share the noise of their predictions
    )


def _certificate(text: str) -> Certificate | Weighed:
    """Read what a fit was certified by: an engine's densities, or the weights of its draws."""
    found = json.loads(text)
    return Weighed.from_record(found) if "pareto_k" in found else Certificate.from_json(text)
