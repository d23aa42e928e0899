"""Wording of what cannot be done with the history."""

from __future__ import annotations

from pathlib import Path

from scistan.errors import DataError, ModelError
from scistan.graph.places import user_place
from scistan.messages.values import as_given


def no_export(path: object) -> ModelError:
    return ModelError(
        f"`ss.history.export` writes a file that ends in .csv or .json, and was given {as_given(path)}.",
        remedy='write `ss.history.export("history.csv")`',
        place=user_place(),
    )


def cannot_export(path: Path, why: str) -> DataError:
    return DataError(
        f"the history cannot be written to {path}: {why}.", remedy="choose another place", place=user_place()
    )
