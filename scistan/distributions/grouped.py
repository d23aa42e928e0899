"""Groups of outcomes with equal arguments: what a family becomes on their counts and sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

import numpy as np

from scistan.distributions.declaration import REGISTRY, Distribution, Parameter
from scistan.domains import POSITIVE, REAL, VECTOR
from scistan.graph.node import Data, Node
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression

__all__ = ["Groups", "counts_by_log_rate", "counts_by_rate", "normal_groups", "successes", "waiting_times"]

log, square, total = (FUNCTIONS[n] for n in ("log", "square", "sum"))
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


class Groups(Protocol):
    """The groups of one variable's outcomes, and what makes data of them."""

    name: str

    @property
    def group(self) -> np.ndarray:
        """Each outcome's group."""

    @property
    def counts(self) -> np.ndarray:
        """How many outcomes each group has."""

    def sums(self, array: np.ndarray) -> np.ndarray:
        """Sum over the outcomes of each group; whole numbers stay whole."""

    def data(self, array: np.ndarray, wish: str = "") -> Data:
        """Make data of one value for each group, or of one number for all, called as wished if nothing else is."""


# Groups, outcomes and arguments on the groups -> the value, its distribution, its arguments.
Form = tuple[Data, Distribution, tuple[Node, ...]]


def normal_groups(make: Groups, y: np.ndarray, mu: Node, sigma: Node) -> Form:
    counts = make.counts
    means = make.sums(np.asarray(y, float)) / counts
    within = make.sums(np.square(y - means[make.group]))
    value = make.data(means, f"{make.name}_mean")
    n = make.data(counts.astype(float), f"{make.name}_count")
    spread = make.data(within if sigma.shape else within.sum(), f"{make.name}_within")
    size = n if sigma.shape else make.data(np.asarray(float(len(y))), f"{make.name}_rows")
    return value, _group_means(len(mu.shape), len(sigma.shape)), (n, spread, size, mu, sigma)


@cache
def _group_means(mu_rank: int, sigma_rank: int) -> Distribution:
    """Derive the distribution of groups' means and of the squares within groups."""

    def log_density(mean: Any, n: Any, within: Any, size: Any, mu: Any, sigma: Any) -> Any:
        if sigma_rank:
            squares = (within + n * square(mean - mu)) / square(sigma)
            return -0.5 * total(squares) - total(size * (log(sigma) + LOG_SQRT_2PI))
        squares = within + total(n * square(mean - mu))
        return -0.5 * squares / square(sigma) - size * (log(sigma) + LOG_SQRT_2PI)

    spread = VECTOR if sigma_rank else REAL
    return REGISTRY["Normal"].form(
        "NormalMeans",
        parameters=(
            Parameter("n", VECTOR),
            Parameter("within", spread),
            Parameter("size", spread),
            Parameter("mu", VECTOR if mu_rank else REAL),
            Parameter("sigma", VECTOR if sigma_rank else POSITIVE),
        ),
        support=VECTOR,
        log_density=log_density,
        remark="Normal: the means of rows with equal predictors",
    )


def successes(family: str) -> Callable[..., Form]:
    def form(make: Groups, y: np.ndarray, chance: Node) -> Form:
        value = make.data(make.sums(np.asarray(y, np.int64)), f"{make.name}_sum")
        return value, REGISTRY[family], (make.data(make.counts, f"{make.name}_count"), chance)

    return form


def counts_by_rate(make: Groups, y: np.ndarray, rate: Node) -> Form:
    value = make.data(make.sums(np.asarray(y, np.int64)), f"{make.name}_sum")
    n = make.data(make.counts.astype(float), f"{make.name}_count")
    return value, REGISTRY["Poisson"], ((Expression(n) * Expression(rate))._scistan_node_,)


def counts_by_log_rate(make: Groups, y: np.ndarray, alpha: Node) -> Form:
    value = make.data(make.sums(np.asarray(y, np.int64)), f"{make.name}_sum")
    log_n = make.data(np.log(make.counts), f"{make.name}_log_count")
    return value, REGISTRY["PoissonLog"], ((Expression(log_n) + Expression(alpha))._scistan_node_,)


def waiting_times(make: Groups, y: np.ndarray, beta: Node) -> Form:
    value = make.data(make.sums(np.asarray(y, float)), f"{make.name}_sum")
    return value, _waiting_sums(), (make.data(make.counts.astype(float), f"{make.name}_count"), beta)


@cache
def _waiting_sums() -> Distribution:
    """Derive the distribution of groups' sums; Gamma's own density would refuse a sum of 0."""

    def log_density(summed: Any, n: Any, beta: Any) -> Any:
        return total(n * log(beta) - beta * summed)

    return REGISTRY["Exponential"].form(
        "ExponentialSums",
        parameters=(Parameter("n", VECTOR), Parameter("beta", VECTOR)),
        support=VECTOR,
        log_density=log_density,
        remark="Exponential: the sums of rows with equal predictors",
    )
