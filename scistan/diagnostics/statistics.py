"""R-hat, effective sample sizes and E-BFMI over many variables at once (Vehtari et al. 2021; Betancourt 2016).

Inside, arrays are (columns, chains, draws): each column's draws lie side by side, as sorting and Fourier want them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

__all__ = ["Health", "bulk_ess", "e_bfmi", "measure", "rhat", "tail_ess"]

# Numbers handled at once: what a processor's cache can hold.
_BLOCK = 100_000
_TAILS = (0.05, 0.95)


@dataclass(frozen=True, slots=True, eq=False)
class Health:
    """The statistics of one variable's elements, in its own shape."""

    rhat: np.ndarray
    bulk_ess: np.ndarray
    tail_ess: np.ndarray
    mean_gap: np.ndarray


def measure(posterior: Mapping[str, np.ndarray]) -> dict[str, Health]:
    """Measure every variable (chains, draws, …); elements of all of them go through the arithmetic together."""
    found: dict[str, list[np.ndarray]] = {name: [] for name in posterior}
    for names, block in _blocks(posterior):
        ranked = _rank_normalize(_split(block))
        statistics = np.stack([_rhat(block, ranked), _ess(ranked), _tail_ess(block), _mean_gap(block)])
        start = 0
        for name, width in names:
            found[name].append(statistics[:, start : start + width])
            start += width
    result = {}
    for name, parts in found.items():
        shape = posterior[name].shape[2:]
        r, bulk, tail, gap = (part.reshape(shape) for part in np.concatenate(parts, axis=1))
        result[name] = Health(r, bulk, tail, gap)
    return result


def rhat(x: np.ndarray) -> np.ndarray:
    """Give the rank-normalized split R-hat of `x` (chains, draws, …), the larger of bulk and folded."""
    return _each(x, lambda block: _rhat(block, _rank_normalize(_split(block))))


def bulk_ess(x: np.ndarray) -> np.ndarray:
    """Give the effective number of draws for the centre of the distribution."""
    return _each(x, lambda block: _ess(_rank_normalize(_split(block))))


def tail_ess(x: np.ndarray) -> np.ndarray:
    """Give the smaller effective number of draws for the 5 % and 95 % quantiles."""
    return _each(x, _tail_ess)


def e_bfmi(energy: np.ndarray) -> np.ndarray:
    """Give each chain's energy Bayesian fraction of missing information from `energy` (chains, draws)."""
    with np.errstate(all="ignore"):
        found: np.ndarray = np.square(np.diff(energy, axis=1)).mean(1) / energy.var(1, ddof=1)
    return found


def _each(x: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return statistic(_columns(x)).reshape(x.shape[2:])


def _columns(x: np.ndarray) -> np.ndarray:
    """Turn (chains, draws, …) into (columns, chains, draws)."""
    flat = x.reshape(*x.shape[:2], -1).astype(float, copy=False)
    return np.ascontiguousarray(np.moveaxis(flat, 2, 0))


def _blocks(posterior: Mapping[str, np.ndarray]) -> Iterator[tuple[list[tuple[str, int]], np.ndarray]]:
    """Cut all variables' elements into blocks: whose they are, and (columns, chains, draws)."""
    held: list[np.ndarray] = []
    names: list[tuple[str, int]] = []
    for name, array in posterior.items():
        flat = array.reshape(*array.shape[:2], -1)
        width = max(1, _BLOCK // max(1, flat.shape[0] * flat.shape[1]))
        for start in range(0, flat.shape[2], width):
            part = _columns(flat[:, :, start : start + width])
            if held and sum(len(p) for p in held) + len(part) > width:
                yield names, np.concatenate(held)
                held, names = [], []
            held.append(part)
            names.append((name, len(part)))
    if held:
        yield names, np.concatenate(held)


def _split(x: np.ndarray) -> np.ndarray:
    """Cut each chain in two halves; of an odd number of draws the middle one goes."""
    half = x.shape[2] // 2
    return np.concatenate([x[:, :, :half], x[:, :, -half:]], axis=1)


@lru_cache(maxsize=4)
def _normal_scores(count: int) -> np.ndarray:
    """Give the normal quantile of every rank of `count` numbers, at twice the rank: tied ranks may end in a half."""
    from scipy.special import ndtri

    scores: np.ndarray = ndtri((np.arange(2 * count + 1) / 2 - 0.375) / (count + 0.25))
    return scores


def _rank_normalize(x: np.ndarray) -> np.ndarray:
    """Replace draws by the normal scores of their ranks in the column; ties share the middle of their ranks."""
    flat = x.reshape(len(x), -1)
    order = np.argsort(flat, axis=1)
    rising = np.take_along_axis(flat, order, axis=1)
    places = np.arange(flat.shape[1], dtype=np.int32)
    new = np.diff(rising, axis=1, prepend=-np.inf) != 0
    last = np.concatenate([new[:, 1:], np.ones((len(flat), 1), dtype=bool)], axis=1)
    first_of = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    last_of = np.minimum.accumulate(np.where(last, places, places[-1])[:, ::-1], axis=1)[:, ::-1]
    found = np.empty_like(flat)
    np.put_along_axis(found, order, _normal_scores(flat.shape[1])[first_of + last_of + 2], axis=1)
    return found.reshape(x.shape)


def _rhat(x: np.ndarray, ranked: np.ndarray) -> np.ndarray:
    halves = _split(x)
    folded = np.abs(halves - np.median(halves, axis=(1, 2), keepdims=True))
    found: np.ndarray = np.maximum(_plain_rhat(ranked), _plain_rhat(_rank_normalize(folded)))
    return found


def _plain_rhat(x: np.ndarray) -> np.ndarray:
    n = x.shape[2]
    with np.errstate(all="ignore"):
        between = n * x.mean(2).var(1, ddof=1)
        within = x.var(2, ddof=1).mean(1)
        found: np.ndarray = np.sqrt((between / within + n - 1) / n)
    return found


def _mean_autocovariance(x: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Give the autocovariances (columns, lags), the mean over chains: spectra add up, so one way back serves all."""
    m, n = x.shape[1:]
    size = 2 ** int(np.ceil(np.log2(2 * n)))
    spectrum = np.fft.rfft(x - means[:, :, None], n=size, axis=2)
    power = (np.square(spectrum.real) + np.square(spectrum.imag)).sum(1)
    found: np.ndarray = np.fft.irfft(power, n=size, axis=1)[:, :n] / (n * m)
    return found


def _ess(x: np.ndarray) -> np.ndarray:
    """Estimate the effective sample size by Geyer's initial monotone sequence."""
    m, n = x.shape[1:]
    means = x.mean(2)
    covariance = _mean_autocovariance(x, means)
    within = covariance[:, :1] * n / (n - 1)
    total = within * (n - 1) / n + (means.var(1, ddof=1)[:, None] if m > 1 else 0.0)
    with np.errstate(all="ignore"):
        rho = 1 - (within - covariance) / total
    rho[:, 0] = 1.0
    pairs = rho[:, : n // 2 * 2].reshape(len(x), n // 2, 2).sum(2)
    positive = np.logical_and.accumulate(pairs > 0, axis=1)
    monotone = np.minimum.accumulate(np.where(positive, pairs, 0), axis=1)
    time = np.maximum(-1 + 2 * monotone.sum(1), 1 / np.log10(m * n))
    usable = np.isfinite(total[:, 0]) & (total[:, 0] > 0)
    return np.where(usable, m * n / time, np.nan)


def _tail_ess(x: np.ndarray) -> np.ndarray:
    ends = np.quantile(x, _TAILS, axis=(1, 2), keepdims=True)
    below, above = (_ess(_split((x <= end).astype(float))) for end in ends)
    found: np.ndarray = np.fmin(below, above)
    return found


def _mean_gap(x: np.ndarray) -> np.ndarray:
    """Give how far the chain farthest out lies from the middle of the chains, in sds within chains."""
    means = x.mean(2)
    with np.errstate(all="ignore"):
        distance = np.abs(means - np.median(means, axis=1, keepdims=True)).max(1)
        found: np.ndarray = distance / np.sqrt(x.var(2, ddof=1).mean(1))
    return found
