"""The joint density split by groups: which events belong to which group, given the numbers that groups share."""

from __future__ import annotations

from typing import Any

from scistan.inference.point.elimination import Layout
from scistan.inference.point.marginal.bend import Split

__all__ = ["Groups", "find_groups"]

Tensor = Any
_CHECKS = 4
_SAME = 1e-9  # relative, within which the parts must add up to the density


class Groups:
    """The log density as one number for each group, and one for what belongs to none."""

    def __init__(self, split: Split, layout: Layout, owners: dict[str, Tensor]) -> None:
        self._split, self._owners, self.torch = split, owners, split.torch
        self.count = len(layout.locals)

    def log_densities(self, theta: Tensor, u: Tensor) -> tuple[Tensor, Tensor]:
        """Give the log density of each group (S, J), and of all else with the Jacobian (S,)."""
        density = self._split.joint.density
        with self._split.torch.no_grad():
            events, jacobian = density.events(self._split.join(theta, u))
            total = theta.new_zeros((len(theta), self.count + 1))
            for name, owner in self._owners.items():
                total.index_add_(1, owner, events[name])
        return total[:, : self.count], total[:, self.count] + jacobian


def find_groups(split: Split, layout: Layout, theta: Tensor, u: Tensor) -> Groups | None:
    """Find at one point which events move with which group; None where one moves with several.

    Groups are moved together, those whose number has a certain bit: what moves then spells the number.
    """
    torch = split.torch
    count = len(layout.locals)
    if not count or layout.steps:  # the steps of a chain are never apart
        return None
    number = torch.arange(count, device=u.device)
    bits = max(1, (count - 1).bit_length())
    generator = torch.Generator().manual_seed(3)
    picked = torch.randint(0, 2, (_CHECKS, count), generator=generator).bool().to(u.device)
    moved = torch.stack([torch.ones_like(number).bool(), *((number >> b) % 2 == 1 for b in range(bits)), *picked])
    by = (0.3 + 0.4 * torch.rand(layout.locals.shape, generator=generator, dtype=torch.float64)).to(u)
    rows = u.repeat(1 + len(moved), 1)
    for row, groups in enumerate(moved, 1):
        rows[row, layout.locals] += by * groups[:, None]
    with torch.no_grad():
        thetas = theta.repeat(len(rows), 1)
        events, _ = split.joint.density.events(split.join(thetas, rows))
    owners: dict[str, Tensor] = {}
    for name, values in events.items():
        changed = values[1:] != values[:1]
        inside = changed[0]
        spelled = sum((changed[1 + b].long() << b for b in range(bits)), torch.zeros_like(inside).long())
        spelled = spelled.clamp(max=count - 1)
        if not bool((changed[1 + bits :] == (picked[:, spelled] & inside)).all()):
            return None
        owners[name] = torch.where(inside, spelled, torch.full_like(spelled, count))
    found = Groups(split, layout, owners)
    parts, rest = found.log_densities(thetas[:1], rows[:1])
    whole = split.log_density(thetas[:1], rows[:1])
    adds_up = bool(((parts.sum(-1) + rest - whole).abs() <= _SAME * (1 + whole.abs())).all())
    return found if adds_up else None
