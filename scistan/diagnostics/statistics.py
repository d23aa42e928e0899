"""R-hat, effective sample sizes and E-BFMI over many variables at once (Vehtari et al. 2021; Betancourt 2016).

Inside, arrays are (columns, chains, draws): each column's draws lie side by side, as sorting and Fourier want them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scistan.diagnostics.ranks import rank

__all__ = ["Health", "bulk_ess", "e_bfmi", "measure", "rhat", "tail_ess"]

# Numbers handled at once, and the bytes that all arrays of such a block take, and some more.
_BLOCK = 100_000
_KEPT = 16_000_000
_TAILS = (0.05, 0.95)
# Lags looked at first, at least and as a part of the draws: most chains forget sooner, and short transforms are cheap.
_FEW_LAGS = 32
_PART_OF_LAGS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Health:
    """The statistics of one variable's elements, in its own shape."""

    rhat: np.ndarray
    bulk_ess: np.ndarray
    tail_ess: np.ndarray
    mean_gap: np.ndarray


def measure(posterior: Mapping[str, np.ndarray]) -> dict[str, Health]:
    """Measure every variable (chains, draws, …); elements of all of them go through the arithmetic together."""
    if not posterior:
        return {}
    _keep_memory()
    found = np.concatenate([_measured(parts) for parts in _blocks(posterior)], axis=1)
    result, start = {}, 0
    for name, array in posterior.items():
        shape = array.shape[2:]
        stop = start + math.prod(shape)
        result[name] = Health(*found[:, start:stop].reshape(-1, *shape))
        start = stop
    return result


def _keep_memory() -> None:
    """Have glibc keep what a block frees for the next one; new pages would cost a third of the time.

    It returns to the system what is free beyond twice the largest array that was ever freed: this one.
    """
    np.empty(_KEPT, dtype=np.uint8)


def rhat(x: np.ndarray) -> np.ndarray:
    """Give the rank-normalized split R-hat of `x` (chains, draws, …), the larger of bulk and folded."""
    return measure({"x": x})["x"].rhat


def bulk_ess(x: np.ndarray) -> np.ndarray:
    """Give the effective number of draws for the centre of the distribution."""
    return measure({"x": x})["x"].bulk_ess


def tail_ess(x: np.ndarray) -> np.ndarray:
    """Give the smaller effective number of draws for the 5 % and 95 % quantiles."""
    return measure({"x": x})["x"].tail_ess


def e_bfmi(energy: np.ndarray) -> np.ndarray:
    """Give each chain's energy Bayesian fraction of missing information from `energy` (chains, draws)."""
    with np.errstate(all="ignore"):
        found: np.ndarray = np.square(np.diff(energy, axis=1)).mean(1) / energy.var(1, ddof=1)
    return found


def _blocks(posterior: Mapping[str, np.ndarray]) -> Iterator[list[np.ndarray]]:
    """Cut all variables' elements, one after the other, into blocks: parts to stack as (columns, chains, draws)."""
    chains, draws = next(iter(posterior.values())).shape[:2]
    width = max(1, _BLOCK // (chains * draws))
    held: list[np.ndarray] = []
    free = width
    for array in posterior.values():
        columns = np.moveaxis(array.reshape(chains, draws, -1), 2, 0)
        while len(columns):
            held.append(columns[:free])
            columns, free = columns[free:], free - len(held[-1])
            if not free:
                yield held
                held, free = [], width
    if held:
        yield held


def _measured(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Give R-hat, bulk ESS, tail ESS and the gap between chains of every column: (4, columns)."""
    x = np.concatenate(parts, out=np.empty((sum(map(len, parts)), *parts[0].shape[1:])))
    halves = _split(x)
    shape, rows = halves.shape, halves.reshape(len(x), -1)
    ranked = rank(rows)
    rising = ranked.rising if rows.size == x.size else np.sort(x.reshape(len(x), -1), axis=1)
    series = np.empty((3, *shape))
    series[0] = ranked.bulk.reshape(shape)
    for k, tail in enumerate(_TAILS, 1):
        # Not above the quantile: not above the last draw that is not.
        series[k] = halves <= rising[:, int((rising.shape[1] - 1) * tail), None, None]
    chains = _Chains.of(series.reshape(-1, *shape[1:]))
    r = np.maximum(_rhat(chains.first(len(x))), _rhat(_Chains.of(ranked.folded.reshape(shape))))
    bulk, below, above = _ess(chains).reshape(3, -1)
    return np.stack([r, bulk, np.fmin(below, above), _mean_gap(_Chains.of(x))])


def _split(x: np.ndarray) -> np.ndarray:
    """Cut each chain in two halves; of an odd number of draws the middle one goes."""
    columns, chains, draws = x.shape
    half = draws // 2
    even = x if draws % 2 == 0 else np.concatenate([x[:, :, :half], x[:, :, -half:]], axis=2)
    return even.reshape(columns, 2 * chains, half)


@dataclass(frozen=True, slots=True, eq=False)
class _Chains:
    """Chains by their means (columns, chains) and what is left without them (columns, chains, draws)."""

    means: np.ndarray
    rest: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray) -> _Chains:
        """Take `x` over: its means are taken off in place."""
        means = x.mean(2)
        x -= means[:, :, None]
        return cls(means, x)

    def first(self, columns: int) -> _Chains:
        return _Chains(self.means[:columns], self.rest[:columns])

    def variance_within(self) -> np.ndarray:
        """Give the mean of the chains' variances."""
        squares = np.einsum("cmn,cmn->cm", self.rest, self.rest)
        found: np.ndarray = squares.mean(1) / (self.rest.shape[2] - 1)
        return found


def _rhat(chains: _Chains) -> np.ndarray:
    n = chains.rest.shape[2]
    with np.errstate(all="ignore"):
        between = n * chains.means.var(1, ddof=1)
        found: np.ndarray = np.sqrt((between / chains.variance_within() + n - 1) / n)
    return found


def _mean_gap(chains: _Chains) -> np.ndarray:
    """Give how far the chain farthest out lies from the middle of the chains, in sds within chains."""
    means = chains.means
    with np.errstate(all="ignore"):
        distance = np.abs(means - np.median(means, axis=1, keepdims=True)).max(1)
        found: np.ndarray = distance / np.sqrt(chains.variance_within())
    return found


def _ess(chains: _Chains) -> np.ndarray:
    """Estimate the effective sample size by Geyer's initial monotone sequence."""
    m, n = chains.rest.shape[1:]
    between = chains.means.var(1, ddof=1)
    time, late = _correlation_time(chains.rest, between, min(n, max(_FEW_LAGS, n // _PART_OF_LAGS)))
    if len(late):
        time[late] = _correlation_time(chains.rest[late], between[late], n)[0]
    found: np.ndarray = m * n / np.maximum(time, 1 / np.log10(m * n))
    return found


def _correlation_time(x: np.ndarray, between: np.ndarray, lags: int) -> tuple[np.ndarray, np.ndarray]:
    """Sum the autocorrelations of chains around 0; give the sums, NaN of constants, and which do not end by `lags`."""
    n = x.shape[2]
    covariance = _mean_autocovariance(x, lags)
    total = covariance[:, 0] + between
    with np.errstate(all="ignore"):
        rho = 1 - (covariance[:, :1] * n / (n - 1) - covariance) / total[:, None]
    rho[:, 0] = 1.0
    pairs = rho[:, 0 : lags // 2 * 2 : 2] + rho[:, 1 : lags // 2 * 2 : 2]
    positive = np.logical_and.accumulate(pairs > 0, axis=1)
    monotone = np.minimum.accumulate(np.where(positive, pairs, 0), axis=1)
    usable = np.isfinite(total) & (total > 0)
    return np.where(usable, -1 + 2 * monotone.sum(1), np.nan), np.flatnonzero(positive[:, -1])


def _mean_autocovariance(x: np.ndarray, lags: int) -> np.ndarray:
    """Give the autocovariances (columns, lags), the mean over chains: spectra add up, so one way back serves all."""
    m, n = x.shape[1:]
    size = _quick_length(n + lags)
    padded = np.zeros((*x.shape[:2], size))  # NumPy would pad too, and take longer
    padded[:, :, :n] = x
    squares = np.fft.rfft(padded, axis=2).view(float)
    np.square(squares, out=squares)
    sums = squares.sum(1)
    found: np.ndarray = np.fft.irfft(sums[:, ::2] + sums[:, 1::2], n=size, axis=1)[:, :lags] / (n * m)
    return found


@lru_cache(maxsize=16)
def _quick_length(least: int) -> int:
    """Give the next product of twos, threes and fives: Fourier transforms of such lengths are quick."""
    length = least
    while True:
        rest = length
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return length
        length += 1
