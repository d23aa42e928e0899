"""A suggestion that a machine can follow: options of another run, and changes to how latents are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Change"]


@dataclass(frozen=True, slots=True)
class Change:
    """What to do differently.

    `options` are arguments of `m.mcmc`. `variables` has, for each latent to change, what is set on it: `centred`,
    `constraint` or `lower`, as one writes them in the model; `None` takes a word back.

    >>> print(Change({"adapt_delta": 0.95}, {"theta": {"centred": None}}))
    adapt_delta=0.95, theta without centred
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __str__(self) -> str:
        words = [f"{name}={value!r}" for name, value in self.options.items()]
        for name, given in self.variables.items():
            words += [f"{name} without {k}" if v is None else f"{name} with {k}={v!r}" for k, v in given.items()]
        return ", ".join(words)

    def to_plain(self) -> dict[str, Any]:
        """Give it as dicts, for JSON."""
        return {"options": dict(self.options), "variables": {n: dict(given) for n, given in self.variables.items()}}
