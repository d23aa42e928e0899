"""The joint density at many points at once: its value, its slope and its Hessian's blocks in what is approximated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scistan.inference.point.elimination import Elimination, read_blocks
from scistan.inference.point.marginal.bend import Split
from scistan.inference.point.marginal.structure import Structure

__all__ = ["Curved", "Field"]

Tensor = Any
_CELLS = 4e6  # numbers of the widest intermediate that rows make at once


@dataclass(frozen=True, slots=True)
class Curved:
    """Values (S,), slopes (S, k) and negative Hessians, factored, at rows of points."""

    value: Tensor
    slope: Tensor
    precision: Elimination


class Field:
    """The joint density over rows of `theta` (S, D) and of `u` (S, k), whose Hessian has one layout everywhere."""

    def __init__(self, split: Split, structure: Structure) -> None:
        self.split, self.structure, self.torch = split, structure, split.torch
        layout = structure.layout
        tied = len(layout.globals) * (len(layout.globals) + layout.locals.numel())
        widest = max(split.joint.width, tied + layout.locals.numel() * max(1, layout.locals.shape[1]))
        self.rows_at_once = max(1, int(_CELLS / widest))

    @property
    def inner(self) -> int:
        """How many numbers are approximated."""
        return len(self.split.inner)

    def value(self, theta: Tensor, u: Tensor) -> Tensor:
        """Give the log density of each row."""
        with self.torch.no_grad():
            return self.split.log_density(theta, u)

    def curved(self, theta: Tensor, u: Tensor) -> Curved:
        """Give value, slope and curvature in `u` of each row."""
        leaf = u.detach().clone().requires_grad_(True)
        value = self.split.log_density(theta.detach(), leaf)
        slope = self._pulled(value.sum(), leaf, create_graph=True)
        rows = [self._pulled((slope * probe).sum(), leaf) for probe in self.structure.probes]
        products = self.torch.stack(rows) if rows else leaf.new_zeros((0, *leaf.shape))
        blocks = read_blocks(self.torch, self.structure.layout, -products.detach())
        return Curved(value.detach(), slope.detach(), Elimination(self.torch, self.structure.layout, *blocks))

    def _pulled(self, total: Tensor, leaf: Tensor, create_graph: bool = False) -> Tensor:
        if not total.requires_grad:
            return self.torch.zeros_like(leaf)
        keep = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
        return self.torch.autograd.grad(total, leaf, create_graph=create_graph, **keep)[0]
