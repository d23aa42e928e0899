"""`fit.certificate` of `m.laplace()`: how its draws weigh against the exact joint density."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from scistan.diagnostics.approximate import PARETO_K
from scistan.messages import nested as messages

__all__ = ["Weighed"]


@dataclass(frozen=True, slots=True)
class Weighed:
    """The tails of importance weights, Pareto k: of all draws, and of each group given what groups share.

    `tried` draws were weighed and are worth `effective` independent ones; `corrected` says that those that are given
    were drawn again by weight. `groups` has the largest k of each set of latents that falls into groups, with the
    group's number; groups that were integrated by quadrature have `beyond` instead, the largest probability that one
    lies at its edge. `modes` are those that climbs from several starts ended at: the draws are about one of them.
    """

    pareto_k: float
    tried: int
    effective: float
    corrected: bool
    groups: tuple[tuple[str, int, float], ...] = ()
    beyond: float = 0.0
    modes: int = 1

    @property
    def worst_k(self) -> float:
        """The largest Pareto k of all."""
        return max([self.pareto_k, *(k for _, _, k in self.groups)])

    @property
    def ok(self) -> bool:
        """Whether the draws stand for the posterior."""
        return self.worst_k <= PARETO_K and self.modes == 1

    @property
    def shapes(self) -> dict[str, float]:
        """Pareto k by what it is of."""
        return {"": self.pareto_k, **{f"{names}[{number}]": k for names, number, k in self.groups}}

    def __repr__(self) -> str:
        return messages.weighed(
            self.ok, self.pareto_k, self.tried, self.effective, self.corrected,
            [(f"{names}[{number}]", k) for names, number, k in self.groups], self.modes,
        )

    def to_json(self) -> str:
        """Write it as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_record(cls, found: Mapping[str, object]) -> Weighed:
        """Read what `to_json` wrote."""
        groups = tuple((str(a), int(b), float(c)) for a, b, c in found["groups"])  # type: ignore[attr-defined]
        return cls(**{**found, "groups": groups})  # type: ignore[arg-type]
