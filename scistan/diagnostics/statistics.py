"""R-hat, effective sample sizes and E-BFMI over many variables at once (Vehtari et al. 2021; Betancourt 2016)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

__all__ = ["Health", "bulk_ess", "e_bfmi", "measure", "rhat", "tail_ess"]

# Numbers handled at once: what a cache can hold, and no more memory than the draws themselves.
_BLOCK = 2_000_000


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
        halves = _split(block)
        ranked = _rank_normalize(halves)
        folded = np.abs(halves - np.median(halves, axis=(0, 1)))
        r = np.maximum(_plain_rhat(ranked), _plain_rhat(_rank_normalize(folded)))
        statistics = np.stack([r, _ess(ranked), tail_ess(block), mean_gap(block)])
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


def _blocks(posterior: Mapping[str, np.ndarray]) -> Iterator[tuple[list[tuple[str, int]], np.ndarray]]:
    """Cut all variables' elements into blocks of columns: whose they are, and (chains, draws, columns)."""
    held: list[np.ndarray] = []
    names: list[tuple[str, int]] = []
    for name, array in posterior.items():
        flat = array.reshape(*array.shape[:2], -1)
        width = max(1, _BLOCK // max(1, flat.shape[0] * flat.shape[1]))
        for start in range(0, flat.shape[2], width):
            part = flat[:, :, start : start + width]
            if held and sum(p.shape[2] for p in held) + part.shape[2] > width:
                yield names, np.concatenate(held, axis=2)
                held, names = [], []
            held.append(part)
            names.append((name, part.shape[2]))
    if held:
        yield names, np.concatenate(held, axis=2)


def _split(x: np.ndarray) -> np.ndarray:
    """Cut each chain (axis 0) of `x` (chains, draws, …) in two halves."""
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]], axis=0)


def _rank_normalize(x: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri
    from scipy.stats import rankdata

    flat = x.reshape(-1, *x.shape[2:])
    ranks = rankdata(flat, axis=0)
    normal: np.ndarray = ndtri((ranks - 0.375) / (flat.shape[0] + 0.25)).reshape(x.shape)
    return normal


def _plain_rhat(x: np.ndarray) -> np.ndarray:
    n = x.shape[1]
    with np.errstate(all="ignore"):
        between = n * x.mean(1).var(0, ddof=1)
        within = x.var(1, ddof=1).mean(0)
        found: np.ndarray = np.sqrt((between / within + n - 1) / n)
    return found


def rhat(x: np.ndarray) -> np.ndarray:
    """Give the rank-normalized split R-hat of `x` (chains, draws, …), the larger of bulk and folded."""
    halves = _split(x)
    folded = np.abs(halves - np.median(halves, axis=(0, 1)))
    found: np.ndarray = np.maximum(_plain_rhat(_rank_normalize(halves)), _plain_rhat(_rank_normalize(folded)))
    return found


def _autocovariance(x: np.ndarray) -> np.ndarray:
    n = x.shape[1]
    size = 2 ** int(np.ceil(np.log2(2 * n)))
    centred = x - x.mean(1, keepdims=True)
    spectrum = np.fft.rfft(centred, n=size, axis=1)
    found: np.ndarray = np.fft.irfft(spectrum * np.conj(spectrum), n=size, axis=1)[:, :n] / n
    return found


def _ess(x: np.ndarray) -> np.ndarray:
    """Estimate the effective sample size by Geyer's initial monotone sequence."""
    m, n = x.shape[:2]
    shape = x.shape[2:]
    x = x.reshape(m, n, -1)
    covariance = _autocovariance(x)
    within = covariance[:, 0].mean(0) * n / (n - 1)
    total = within * (n - 1) / n + (x.mean(1).var(0, ddof=1) if m > 1 else 0.0)
    with np.errstate(all="ignore"):
        rho = 1 - (within - covariance.mean(0)) / total
    rho[0] = 1.0
    pairs = rho[: n // 2 * 2].reshape(n // 2, 2, -1).sum(1)
    positive = np.minimum.accumulate(np.where(pairs > 0, 1, 0), axis=0) > 0
    monotone = np.minimum.accumulate(np.where(positive, pairs, 0), axis=0)
    time = np.maximum(-1 + 2 * np.where(positive, monotone, 0).sum(0), 1 / np.log10(m * n))
    result = m * n / time
    return np.where(np.isfinite(total) & (total > 0), result, np.nan).reshape(shape)


def bulk_ess(x: np.ndarray) -> np.ndarray:
    """Give the effective number of draws for the centre of the distribution."""
    return _ess(_rank_normalize(_split(x)))


def tail_ess(x: np.ndarray) -> np.ndarray:
    """Give the smaller effective number of draws for the 5 % and 95 % quantiles."""
    low, high = np.quantile(x, [0.05, 0.95], axis=(0, 1))
    below, above = _ess(_split((x <= low).astype(float))), _ess(_split((x <= high).astype(float)))
    found: np.ndarray = np.fmin(below, above)
    return found


def mean_gap(x: np.ndarray) -> np.ndarray:
    """Give how far the chain farthest out lies from the middle of the chains, in sds within chains."""
    means = x.mean(1)
    with np.errstate(all="ignore"):
        found: np.ndarray = np.abs(means - np.median(means, axis=0)).max(0) / np.sqrt(x.var(1, ddof=1).mean(0))
    return found


def e_bfmi(energy: np.ndarray) -> np.ndarray:
    """Give each chain's energy Bayesian fraction of missing information from `energy` (chains, draws)."""
    with np.errstate(all="ignore"):
        found: np.ndarray = np.square(np.diff(energy, axis=1)).mean(1) / energy.var(1, ddof=1)
    return found
