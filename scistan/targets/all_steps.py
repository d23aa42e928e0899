"""All steps of a recurrence of one number at once, by an array library; the steps run along the last axis."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from scistan.ops.libraries import fixed
from scistan.targets.values import Array

__all__ = ["extremes", "linear", "products"]


def linear(xp: Any, start: Array, a: Array, b: Array) -> Array:
    """Give the states of all steps of `state -> a * state + b`.

    Steps are joined in pairs, pairs of pairs and so on: two of them are one, with `a` of both multiplied.
    """
    b = xp.concatenate([a[..., :1] * start[..., None] + b[..., :1], b[..., 1:]], -1)
    joined = 1
    while joined < b.shape[-1]:
        b = xp.concatenate([b[..., :joined], a[..., joined:] * b[..., :-joined] + b[..., joined:]], -1)
        a = xp.concatenate([a[..., :joined], a[..., joined:] * a[..., :-joined]], -1)
        joined *= 2
    return b


def products(xp: Any, start: Array, a: Array) -> Array:
    """Give the states of all steps of `state -> a * state`."""
    if xp is np:
        return np.multiply.accumulate(np.concatenate([start[..., None], a], -1), axis=-1)[..., 1:]
    return linear(xp, start, a, xp.zeros_like(a))


def extremes(xp: Any, kind: str, start: Array, x: Array) -> Array:
    """Give the states of all steps of `state -> maximum(state, x)`, or of the minimum.

    Slopes are those of a loop, at ties too: each step hands on the slope of its state, which is 1, 0, or a half where
    both are equal. So they are those of a linear recurrence, here of values that are 0 and move with the arguments.
    """
    values = xp.concatenate([start[..., None], x], -1)
    best = _running(xp, kind, fixed(xp, values))
    if xp is np:
        return best[..., 1:]
    before, now = best[..., :-1], fixed(xp, x)
    ahead = before > now if kind == "maximum" else before < now
    share = xp.where(before == now, xp.full_like(now, 0.5), xp.where(ahead, xp.ones_like(now), xp.zeros_like(now)))
    finite = xp.where(xp.isfinite(values), values, xp.zeros_like(values))
    moved = finite - fixed(xp, finite)
    return best[..., 1:] + linear(xp, moved[..., 0], share, (1 - share) * moved[..., 1:])


def _running(xp: Any, kind: str, values: Array) -> Array:
    if xp is np:
        return getattr(np, kind).accumulate(values, axis=-1)
    if xp.__name__ == "torch":
        return (xp.cummax if kind == "maximum" else xp.cummin)(values, -1).values
    lax = import_module("jax.lax")
    return (lax.cummax if kind == "maximum" else lax.cummin)(values, axis=values.ndim - 1)
