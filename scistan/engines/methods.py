"""What an approximation of the posterior is asked for with, whichever engine makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scistan.engines.data_file import DataText

__all__ = ["MethodRequest"]


@dataclass(frozen=True, slots=True)
class MethodRequest:
    """A method that is no sampler: program, data as JSON text, and settings.

    `start` holds the parameters to start from as JSON text; None leaves them to Stan's uniform draws. `constant` is
    what Stan may drop of the log density: an engine that cannot keep it by itself adds it. `loaded` is stanli's model
    of the program on its data, where this process and thread have it already.
    """

    method: str
    text: str
    data: DataText
    draws: int
    seed: int
    start: str | None = None
    progress: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    constant: float = 0.0
    loaded: Any = field(default=None, repr=False, compare=False)
