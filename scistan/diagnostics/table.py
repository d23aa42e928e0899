"""The numbers of a posterior's table for thousands of elements at once: the definitions are ArviZ's.

ArviZ goes from element to element and takes milliseconds for each; here all go through the arithmetic together, in
blocks. Sizes of effective samples are Geyer's initial monotone sequence, with half of the first pair that is left out,
as ArviZ 0.x has it: so a table does not depend on who made it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scistan.diagnostics.ranks import rank

__all__ = ["DIAGNOSTICS", "tabulate"]

DIAGNOSTICS = ("mcse_mean", "mcse_sd", "ess_bulk", "ess_tail", "r_hat")
_BLOCK = 200_000  # numbers handled at once
_TAILS = (0.05, 0.95)
_CONSTANT = 1e-15  # range of what ArviZ takes for a constant


def tabulate(draws: np.ndarray, probability: float) -> np.ndarray:
    """Give mean, sd, the ends of the shortest interval and `DIAGNOSTICS` of draws (chains, draws, elements)."""
    parts = [_table(block, probability) for block in _blocks(draws)]
    return np.concatenate(parts) if parts else np.empty((0, 4 + len(DIAGNOSTICS)))


def _blocks(draws: np.ndarray) -> Iterator[np.ndarray]:
    """Cut elements into blocks (elements, chains, draws)."""
    chains, length, elements = draws.shape
    width = max(1, _BLOCK // (chains * length))
    for first in range(0, elements, width):
        yield np.ascontiguousarray(np.moveaxis(draws[:, :, first : first + width], 2, 0), dtype=float)


def _table(x: np.ndarray, probability: float) -> np.ndarray:
    flat = x.reshape(len(x), -1)
    size = flat.shape[1]
    rising = np.sort(flat, axis=1)
    mean = flat.mean(1)
    away = np.square(x - mean[:, None, None])
    squares = away.reshape(len(x), -1)
    variance = squares.mean(1)
    low, high = _shortest(rising, probability)
    with np.errstate(all="ignore"):
        unbiased = squares.sum(1) / (size - 1)
        mcse_mean = np.sqrt(unbiased / _ess(_halves(x)))
        of_variance = (np.square(squares).mean(1) - variance**2) / _ess(_halves(away))
        mcse_sd = np.sqrt(of_variance / variance / 4)
    bulk = _scores(_halves(x))
    tails = [_ess(_halves((x <= _quantile(rising, tail)[:, None, None]).astype(float))) for tail in _TAILS]
    folded = np.abs(x - np.median(flat, axis=1)[:, None, None])
    r_hat = np.full(len(x), np.nan)
    if x.shape[1] > 1:
        r_hat = np.maximum(_rhat(bulk), _rhat(_scores(_halves(folded))))
    columns = (mean, np.sqrt(unbiased), low, high, mcse_mean, mcse_sd, _ess(bulk), np.minimum(*tails), r_hat)
    return np.stack(columns, axis=1)


def _shortest(rising: np.ndarray, probability: float) -> tuple[np.ndarray, np.ndarray]:
    """Give the ends of the shortest interval that holds a probability."""
    size = rising.shape[1]
    span = min(int(np.floor(probability * size)), size - 1)
    first = np.argmin(rising[:, span:] - rising[:, : size - span], axis=1)
    rows = np.arange(len(rising))
    return rising[rows, first], rising[rows, first + span]


def _quantile(rising: np.ndarray, chance: float) -> np.ndarray:
    """Give the draw up to which as many lie as below the quantile."""
    found: np.ndarray = rising[:, int((rising.shape[1] - 1) * chance)]
    return found


def _halves(x: np.ndarray) -> np.ndarray:
    """Cut each chain in two; of an odd number of draws the middle one goes."""
    half = x.shape[2] // 2
    return np.concatenate([x[:, :, :half], x[:, :, -half:]], axis=1)


def _scores(x: np.ndarray) -> np.ndarray:
    return rank(x.reshape(len(x), -1)).bulk.reshape(x.shape)


def _rhat(x: np.ndarray) -> np.ndarray:
    n = x.shape[2]
    with np.errstate(all="ignore"):
        found: np.ndarray = np.sqrt((n * x.mean(2).var(1, ddof=1) / x.var(2, ddof=1).mean(1) + n - 1) / n)
    return found


def _ess(x: np.ndarray) -> np.ndarray:
    m, n = x.shape[1:]
    constant = np.ptp(x.reshape(len(x), -1), axis=1) < _CONSTANT
    means = x.mean(2)
    covariance = _autocovariance(x - means[:, :, None])
    with np.errstate(all="ignore"):
        within = covariance[:, 0] * n / (n - 1)
        total = covariance[:, 0] + (means.var(1, ddof=1) if m > 1 else 0.0)
        rho = 1 - (within[:, None] - covariance) / total[:, None]
    rho[:, 0] = 1.0
    count = max(1, -(-(n - 2) // 2))  # of the pairs that are looked at
    pairs = rho[:, 0 : 2 * count : 2] + rho[:, 1 : 2 * count : 2]
    stop = np.where((pairs <= 0).any(1), np.argmax(pairs <= 0, axis=1), count - 1)
    rows = np.arange(len(x))
    monotone = np.minimum.accumulate(pairs, axis=1)
    before = np.where(np.arange(count) < stop[:, None], monotone, 0.0).sum(1)
    last = rho[rows, 2 * stop]
    last = np.where((pairs[rows, stop] >= 0) | (last > 0), last, 0.0)
    time = np.maximum(-1 + 2 * before + last, 1 / np.log10(m * n))
    found: np.ndarray = np.where(constant, m * n, m * n / time)
    return found


def _autocovariance(x: np.ndarray) -> np.ndarray:
    """Give the autocovariances of chains around 0 (elements, lags), the mean over chains."""
    m, n = x.shape[1:]
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(x, n=size, axis=2)
    power = (spectrum.real**2 + spectrum.imag**2).sum(1)
    found: np.ndarray = np.fft.irfft(power, n=size, axis=1)[:, :n] / (n * m)
    return found
