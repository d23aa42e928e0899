"""Whether latents without a prior of their own are determined by the rest: else there is no integral over them."""

from __future__ import annotations

import numpy as np

from scistan.passes.integrate.statistics import Statistics
from scistan.passes.integrate.structure import Structure

__all__ = ["has_full_rank"]

MOST_ELEMENTS = 1500  # of a matrix that is factored once
LEAST = 1e-10  # of a pivot whose column has length 1


def has_full_rank(found: Statistics, structure: Structure) -> bool:
    """Tell by the numbers alone, whatever is sampled, whether the quadratic form bends in every direction."""
    if structure.kernel is not None:  # which is taken to leave every direction of its own
        return structure.count == 0
    blocks = structure.groups * structure.slots
    count = blocks + structure.count
    if count > MOST_ELEMENTS:
        return False
    groups, slots = structure.groups, structure.slots
    of_slot = np.array([slot for slot, _ in found.columns.slots], int)
    of_other = np.array([at for at, _ in found.columns.others], int)
    many = len(of_other)
    matrix = np.zeros((count, count))
    steps = np.arange(groups) * slots
    for products in found.products.values():
        for a, i in enumerate(of_slot):
            for b, k in enumerate(of_slot):
                np.add.at(matrix, (steps + i, steps + k), products.within[a, b])
                if structure.chained:
                    rows, columns, values = steps[1:] + i, steps[:-1] + k, products.before[a, b][1:]
                    np.add.at(matrix, (rows, columns), values)
                    np.add.at(matrix, (columns, rows), values)
            for m, at in enumerate(of_other):
                np.add.at(matrix, (steps + i, blocks + at), products.across[a][:, m])
                np.add.at(matrix, (blocks + at, steps + i), products.across[a][:, m])
        np.add.at(matrix, (blocks + of_other[:, None], blocks + of_other[None]), products.beside[:many, :many])
    if found.walk is not None:
        rows = np.zeros((groups - 1, count))
        rows[np.arange(groups - 1), np.arange(1, groups)] = found.walk.here.sum(axis=1)
        rows[np.arange(groups - 1), np.arange(groups - 1)] = found.walk.before.sum(axis=1)
        for m, at in enumerate(of_other):
            rows[:, blocks + at] += found.walk.beside[:, m]
        weights = np.sum(list(found.walk.weights.values()), axis=0)
        matrix += (rows * weights[:, None]).T @ rows
    scale = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
    if not (scale > 0).all():
        return False
    try:
        lower = np.linalg.cholesky(matrix / np.outer(scale, scale))
    except np.linalg.LinAlgError:
        return False
    return bool((lower.diagonal() ** 2 > LEAST).all())
