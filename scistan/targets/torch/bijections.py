"""From unconstrained coordinates to values of a domain and back, with log Jacobians, one row per structure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scistan.targets.torch.devices import import_torch

__all__ = ["STRUCTURES", "Bijection", "bounded"]

Tensor = Any


@dataclass(frozen=True, slots=True)
class Bijection:
    """`constrain` gives the value and the log Jacobian of each event, `plain` the value alone where that is less work.

    `free` counts coordinates per event.
    """

    free: Callable[[tuple[int, ...]], tuple[int, ...]]
    constrain: Callable[[Tensor], tuple[Tensor, Tensor]]
    unconstrain: Callable[[Tensor], Tensor]
    plain: Callable[[Tensor], Tensor] | None = None

    def value(self, u: Tensor) -> Tensor:
        """Give the value at coordinates."""
        return self.constrain(u)[0] if self.plain is None else self.plain(u)


def _same(event: tuple[int, ...]) -> tuple[int, ...]:
    return event


def bounded(lower: Tensor | None, upper: Tensor | None) -> Bijection:
    """Give the bijection onto an interval, elementwise; Stan Reference Manual, "Constraint transforms"."""
    torch = import_torch()
    logsigmoid = torch.nn.functional.logsigmoid

    def plain(u: Tensor) -> Tensor:
        if lower is not None and upper is not None:
            return lower + (upper - lower) * torch.sigmoid(u)
        if lower is not None:
            return lower + torch.exp(u)
        return u if upper is None else upper - torch.exp(u)

    def constrain(u: Tensor) -> tuple[Tensor, Tensor]:
        if lower is not None and upper is not None:
            return plain(u), torch.log(upper - lower) + logsigmoid(u) + logsigmoid(-u)
        unbounded = lower is None and upper is None
        return plain(u), torch.zeros_like(u) if unbounded else u

    def unconstrain(x: Tensor) -> Tensor:
        if lower is not None and upper is not None:
            return torch.log(x - lower) - torch.log(upper - x)
        if lower is not None:
            return torch.log(x - lower)
        return x if upper is None else torch.log(upper - x)

    return Bijection(_same, constrain, unconstrain, plain)


def _one_less(event: tuple[int, ...]) -> tuple[int, ...]:
    return (event[0] - 1,)


def _stick_offsets(torch: Any, n: int, like: Tensor) -> Tensor:
    return torch.log(torch.arange(n, 0, -1, dtype=like.dtype, device=like.device))


def _simplex(u: Tensor) -> tuple[Tensor, Tensor]:
    # Break a stick: each piece is a share of what is left; equal shares at u = 0.
    torch = import_torch()
    logsigmoid = torch.nn.functional.logsigmoid
    v = u - _stick_offsets(torch, u.shape[-1], u)
    taken, kept = logsigmoid(v), logsigmoid(-v)
    left = torch.cumsum(kept, -1)
    before = torch.nn.functional.pad(left, (1, 0))[..., :-1]
    x = torch.exp(torch.cat([before + taken, left[..., -1:]], -1))
    return x, (before + taken + kept).sum(-1)


def _from_simplex(x: Tensor) -> Tensor:
    torch = import_torch()
    rest = torch.flip(torch.cumsum(torch.flip(x, (-1,)), -1), (-1,))[..., 1:]
    return torch.log(x[..., :-1]) - torch.log(rest) + _stick_offsets(torch, x.shape[-1] - 1, x)


def _log_simplex(u: Tensor) -> tuple[Tensor, Tensor]:
    # Log ratios to the last; the density is that of the first K - 1 logarithms, so |J| = exp(x_K).
    torch = import_torch()
    x = torch.log_softmax(torch.nn.functional.pad(u, (0, 1)), -1)
    return x, x[..., -1]


def _ordered(u: Tensor) -> tuple[Tensor, Tensor]:
    torch = import_torch()
    x = torch.cumsum(torch.cat([u[..., :1], torch.exp(u[..., 1:])], -1), -1)
    return x, u[..., 1:].sum(-1)


def _from_ordered(x: Tensor) -> Tensor:
    torch = import_torch()
    return torch.cat([x[..., :1], torch.log(torch.diff(x, dim=-1))], -1)


def _positive_ordered(u: Tensor) -> tuple[Tensor, Tensor]:
    torch = import_torch()
    return torch.cumsum(torch.exp(u), -1), u.sum(-1)


def _from_positive_ordered(x: Tensor) -> Tensor:
    torch = import_torch()
    return torch.log(torch.diff(x, dim=-1, prepend=torch.zeros_like(x[..., :1])))


def _helmert(torch: Any, n: int, like: Tensor) -> Tensor:
    """Give an orthonormal basis (rows) of the vectors of length `n` that sum to zero."""
    k = torch.arange(1, n, dtype=like.dtype, device=like.device)
    basis = torch.tril(torch.ones(n - 1, n, dtype=like.dtype, device=like.device))
    basis = basis - torch.diag_embed(k, offset=1)[:-1]  # row k: k ones, then -k
    return basis / torch.sqrt(k * (k + 1))[:, None]


def _sum_to_zero(u: Tensor) -> tuple[Tensor, Tensor]:
    torch = import_torch()
    return u @ _helmert(torch, u.shape[-1] + 1, u), torch.zeros_like(u[..., 0])


def _from_sum_to_zero(x: Tensor) -> Tensor:
    return x @ _helmert(import_torch(), x.shape[-1], x).T


def _triangle(event: tuple[int, ...]) -> tuple[int, ...]:
    return (event[0] * (event[0] - 1) // 2,)


def _full_triangle(event: tuple[int, ...]) -> tuple[int, ...]:
    return (event[0] * (event[0] + 1) // 2,)


def _order(triangle: int) -> int:
    """Give K from K (K - 1) / 2."""
    k: int = round((1 + (1 + 8 * triangle) ** 0.5) / 2)
    return k


def _fill_lower(torch: Any, u: Tensor, k: int, offset: int) -> Tensor:
    rows, columns = torch.tril_indices(k, k, offset, device=u.device)
    full = torch.zeros(*u.shape[:-1], k * k, dtype=u.dtype, device=u.device)
    filled = torch.scatter(full, -1, (rows * k + columns).expand(u.shape), u)
    return filled.reshape(*u.shape[:-1], k, k)


def _take_lower(torch: Any, x: Tensor, offset: int) -> Tensor:
    k = x.shape[-1]
    rows, columns = torch.tril_indices(k, k, offset, device=x.device)
    return x[..., rows, columns]


def _cholesky_corr(u: Tensor) -> tuple[Tensor, Tensor]:
    # Row i: canonical partial correlations z = tanh(u), each scaled by what the ones before leave of the unit length.
    torch = import_torch()
    k = _order(u.shape[-1])
    z = _fill_lower(torch, torch.tanh(u), k, -1)
    log_left = 0.5 * torch.log1p(-z * z)
    before = torch.cumsum(log_left, -1) - log_left
    L = torch.exp(before) * (z + torch.eye(k, dtype=u.dtype, device=u.device))
    L = torch.tril(L)
    jacobian = torch.tril(before, -1).sum((-1, -2)) + 2 * torch.tril(log_left, -1).sum((-1, -2))
    return L, jacobian


def _from_cholesky_corr(L: Tensor) -> Tensor:
    torch = import_torch()
    left = 1 - torch.cumsum(L * L, -1) + L * L
    return torch.atanh(_take_lower(torch, L, -1) / torch.sqrt(_take_lower(torch, left, -1)))


def _down_from(torch: Any, k: int, like: Tensor) -> Tensor:
    return torch.arange(k - 1, -1, -1, dtype=like.dtype, device=like.device)


def _corr(u: Tensor) -> tuple[Tensor, Tensor]:
    torch = import_torch()
    L, jacobian = _cholesky_corr(u)
    diagonal = torch.log(torch.diagonal(L, dim1=-2, dim2=-1))
    return L @ L.mT, jacobian + (_down_from(torch, L.shape[-1], L) * diagonal).sum(-1)


def _from_corr(x: Tensor) -> Tensor:
    return _from_cholesky_corr(import_torch().linalg.cholesky(x))


def _cholesky_cov(u: Tensor) -> tuple[Tensor, Tensor]:
    torch = import_torch()
    k = _order(u.shape[-1]) - 1
    free = _fill_lower(torch, u, k, 0)
    diagonal = torch.diagonal(free, dim1=-2, dim2=-1)
    return torch.tril(free, -1) + torch.diag_embed(torch.exp(diagonal)), diagonal.sum(-1)


def _from_cholesky_cov(L: Tensor) -> Tensor:
    torch = import_torch()
    logs = torch.log(torch.diagonal(L, dim1=-2, dim2=-1))
    return _take_lower(torch, torch.tril(L, -1) + torch.diag_embed(logs), 0)


def _cov(u: Tensor) -> tuple[Tensor, Tensor]:
    torch = import_torch()
    L, jacobian = _cholesky_cov(u)
    k = L.shape[-1]
    diagonal = torch.log(torch.diagonal(L, dim1=-2, dim2=-1))
    more = ((_down_from(torch, k, L) + 1) * diagonal).sum(-1) + k * math.log(2)
    return L @ L.mT, jacobian + more


def _from_cov(x: Tensor) -> Tensor:
    return _from_cholesky_cov(import_torch().linalg.cholesky(x))


STRUCTURES: dict[str, Bijection] = {
    "simplex": Bijection(_one_less, _simplex, _from_simplex),
    "log_simplex": Bijection(_one_less, _log_simplex, lambda x: x[..., :-1] - x[..., -1:]),
    "ordered": Bijection(_same, _ordered, _from_ordered),
    "positive_ordered": Bijection(_same, _positive_ordered, _from_positive_ordered),
    "sum_to_zero": Bijection(_one_less, _sum_to_zero, _from_sum_to_zero),
    "cholesky_corr": Bijection(_triangle, _cholesky_corr, _from_cholesky_corr),
    "cholesky_cov": Bijection(_full_triangle, _cholesky_cov, _from_cholesky_cov),
    "corr": Bijection(_triangle, _corr, _from_corr),
    "cov": Bijection(_full_triangle, _cov, _from_cov),
}
