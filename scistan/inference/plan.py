"""How a run is made: what runs it with which options, why, and what it is expected to cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from scistan.inference.planning.machine import Machine
from scistan.inference.planning.show import as_html, as_text, shown_seconds
from scistan.inference.planning.workload import Workload

__all__ = ["Choice", "Plan"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to do the work: its seconds as expected, or None with the reason why it cannot be taken."""

    name: str
    seconds: float | None
    reason: str = ""

    def __str__(self) -> str:
        told = "not possible" if self.seconds is None else shown_seconds(self.seconds)
        return f"{self.name} {told}{f' ({self.reason})' if self.reason else ''}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A run as decided: `engine` with its `options` and warm-up, and why.

    `m.mcmc(plan=fit.plan, seed=fit.seed)` makes the run again. `engine` is "auto" where the race between engines is
    still to come. `starts`, `inv_metric` and `centring` are what a run goes on from, and `after` the run whose draws
    it goes on from; `merged` whether observations of
    equal rows enter by their sums, `integrated` the latents that were integrated out, `chosen` whether `auto` decided.
    `seconds` is what the whole call is expected to
    take, `costs` the parts of it, `learnt` in how many runs that was seen.
    """

    engine: str
    options: Mapping[str, Any] = field(default_factory=dict)
    warmup: int = 1000
    why: str = ""
    task: str = "mcmc"
    target: str = "stan"
    draws: int = 1000
    chains: int = 4
    device: str = "cpu"
    dtype: str = "float64"
    threads: int = 1
    batch_size: int | None = None
    compiled: bool = False
    chosen: bool = False
    merged: bool | None = None
    integrated: tuple[str, ...] | None = None
    starts: tuple[str, ...] | None = field(default=None, repr=False)
    inv_metric: Any = field(default=None, repr=False, compare=False)
    centring: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    after: Plan | None = field(default=None, repr=False, compare=False)
    seconds: float | None = None
    costs: Mapping[str, float] = field(default_factory=dict)
    alternatives: tuple[Choice, ...] = ()
    advice: str = ""
    learnt: int = 0
    workload: Workload | None = None
    machine: Machine | None = None

    @property
    def metric(self) -> str:
        """The metric that was decided on; an empty text leaves it to the engine."""
        return str(self.options.get("metric") or "")

    def described(self) -> str:
        """Name the engine and what is special about it."""
        parts = [f"{self.options[key]} metric" for key in ("metric",) if key in self.options]
        parts += [f"adapt_delta {self.options[key]:g}" for key in ("adapt_delta",) if key in self.options]
        return f"{self.engine} ({', '.join(parts)})" if parts else self.engine

    def with_options(self, **options: Any) -> Plan:
        return replace(self, options={**self.options, **options})

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data, which JSON can hold; `Plan.from_dict` reads it."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Plan:
        """Read what `to_dict` gave; what it does not say is as usual."""
        known = {f.name for f in fields(cls)}
        given = {name: _read(value) for name, value in found.items() if name in known}
        for name, kind in (("workload", Workload), ("machine", Machine), ("after", cls)):
            if given.get(name) is not None:
                given[name] = kind.from_dict(given[name])  # type: ignore[attr-defined]
        for name in ("starts", "integrated"):
            if given.get(name) is not None:
                given[name] = tuple(given[name])
        given["alternatives"] = tuple(Choice(**choice) for choice in given.get("alternatives", ()))
        return cls(**given)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


_ARRAY = "array of"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {_ARRAY: value.dtype.str, "values": value.tolist()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Plan | Workload | Machine):
        return value.to_dict()
    if isinstance(value, Choice):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _read(value: Any) -> Any:
    if isinstance(value, Mapping):
        if _ARRAY in value:
            return np.array(value["values"], dtype=value[_ARRAY])
        return {key: _read(part) for key, part in value.items()}
    return [_read(part) for part in value] if isinstance(value, list) else value
