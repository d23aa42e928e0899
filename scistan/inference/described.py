"""How the model behind a fit shows itself, for reports: as mathematics, as a picture, and one definition a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Description"]


@dataclass(frozen=True, slots=True)
class Description:
    """LaTeX, SVG, and what each name means: `~ Normal(0, 5)`."""

    latex: str
    picture: str
    definitions: Mapping[str, str]
