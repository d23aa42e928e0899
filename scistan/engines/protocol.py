"""What every engine takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from scistan.engines.data_file import DataText
from scistan.messages import inference as messages

__all__ = ["Chains", "Draws", "Engine", "Rejected", "Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """A sampling run: program, data as JSON text (in a file where they are long), and settings.

    A chain's stream depends on `seed` and its number alone: `first_chain` lets a run of four chains be
    four runs of one chain each, on whatever machines there are, with the same draws.
    `inits` holds each chain's parameters as JSON text; None leaves them to the engine. `loaded` is stanli's model of
    the program on its data, where this process and thread have it already, and `begun` the first chains of this very
    run, where a race began them. `lowered` is the model itself on its data, for an engine of another target than
    Stan. A run that takes longer than `time_limit` seconds gives what it has by then.
    """

    text: str
    data: DataText
    draws: int
    warmup: int
    chains: int
    seed: int
    first_chain: int = 1
    inits: tuple[str, ...] | None = None
    progress: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    loaded: Any = field(default=None, repr=False, compare=False)
    lowered: Any = field(default=None, repr=False, compare=False)
    begun: Any = field(default=None, repr=False, compare=False)
    time_limit: float | None = None

    @property
    def iterations(self) -> int:
        """How many steps all chains take together."""
        return self.chains * (self.draws + self.warmup)


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Draws of every output of the program, and the sampler's statistics; axes: chain, draw, own."""

    values: Mapping[str, np.ndarray]
    statistics: Mapping[str, np.ndarray]

    @property
    def shape(self) -> tuple[int, int]:
        """How many chains, and draws in each."""
        for arrays in (self.statistics, self.values):
            for array in arrays.values():
                return array.shape[0], array.shape[1]
        return 0, 0


@dataclass(frozen=True, slots=True)
class Rejected:
    """Proposals that an engine rejected because it could not evaluate something: what it said, and how often."""

    said: str
    warmup: int
    sampling: int


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """What a run gave: the chains that can be kept, warm-up where it was asked for, and what happened.

    `numbers` says which chains these are, `notes` what a user should know, `complete` whether every chain
    came to its end; `native` is the engine's own object where it has one. `rejected` is there where the engine tells:
    CmdStan does; stanli and nutpie count what they cannot evaluate among the divergences.
    """

    kept: Chains
    engine: str
    versions: Mapping[str, str]
    timing: Mapping[str, float]
    numbers: tuple[int, ...] = ()
    warmup: Chains | None = None
    notes: tuple[str, ...] = ()
    complete: bool = True
    native: Any = None
    rejected: tuple[Rejected, ...] = ()

    def __call__(self, *_: object, **__: object) -> Any:
        """Say where the draws are: other packages have a method of this name."""
        raise messages.draws_are_held()

    @property
    def values(self) -> Mapping[str, np.ndarray]:
        return self.kept.values

    @property
    def statistics(self) -> Mapping[str, np.ndarray]:
        return self.kept.statistics


class Engine(Protocol):
    """Something that runs a Stan program."""

    name: str

    def sample(self, request: Request) -> Draws: ...
