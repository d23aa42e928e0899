"""A latent in the program: its declaration, and how it comes from a free variable if it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scistan.graph.graph import Term
from scistan.targets.evaluate import Evaluator
from scistan.targets.stan.syntax import Declare, Statement

__all__ = ["DeclaredLatent"]


@dataclass(frozen=True, slots=True)
class DeclaredLatent:
    """What the parameters block declares for a latent.

    `to_free` gives the free variable's value from the latent's own and those of other nodes. `prior` is the free
    variable's term where it stands in the model for the latent's; `volume` is then what the change of variables
    adds to the log density of the latent, which only the flat twin wants.
    """

    term: Term
    declaration: Declare
    jacobian: tuple[Statement, ...] = ()
    free_name: str = ""
    to_free: Callable[[np.ndarray, Evaluator], np.ndarray] | None = None
    prior: Term | None = None
    volume: tuple[Statement, ...] = ()
