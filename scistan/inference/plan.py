"""How a run is made: which engine with which options, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["Plan"]


@dataclass(frozen=True, slots=True)
class Plan:
    """An engine with its options and warm-up, and why."""

    engine: str
    options: Mapping[str, Any] = field(default_factory=dict)
    warmup: int = 1000
    why: str = ""
    after: Plan | None = None  # the run whose draws this one goes on from

    def described(self) -> str:
        """Name the engine and what is special about it."""
        parts = [f"{self.options[key]} metric" for key in ("metric",) if key in self.options]
        parts += [f"adapt_delta {self.options[key]:g}" for key in ("adapt_delta",) if key in self.options]
        return f"{self.engine} ({', '.join(parts)})" if parts else self.engine

    def with_options(self, **options: Any) -> Plan:
        return replace(self, options={**self.options, **options})
