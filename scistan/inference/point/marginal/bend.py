"""The joint density about a point as a function of what is integrated: value, slope, products with its Hessian."""

from __future__ import annotations

from typing import Any

from scistan.inference.point.objective import Objective, is_out_of_memory

__all__ = ["Bend", "Split"]

Tensor = Any
_FEW = 8  # vectors up to which products are made one after the other: torch takes a second to load what takes several
_CHUNK = 4e6  # elements of the widest intermediate that products make at once


class Split:
    """The coordinates of everything as those that are maximized over, `outer`, and those integrated out, `inner`."""

    def __init__(self, joint: Objective, names: tuple[str, ...]) -> None:
        self.joint, self.torch = joint, joint.torch
        torch, device = joint.torch, joint.density.backend.device
        self.blocks = [block for block in joint.density.blocks if block.term.name in names]
        inside = torch.zeros(joint.dimension, dtype=torch.bool)
        for block in self.blocks:
            inside[block.start : block.stop] = True
        self.inner = inside.nonzero().flatten().to(device)
        self.outer = (~inside).nonzero().flatten().to(device)

    def join(self, theta: Tensor, u: Tensor) -> Tensor:
        """Give the coordinates of everything."""
        q = self._nothing(theta)
        return q.index_copy(-1, self.outer, theta).index_copy(-1, self.inner, u)

    def _nothing(self, like: Tensor) -> Tensor:
        return like.new_zeros((*like.shape[:-1], self.joint.dimension))

    def units(self) -> Tensor:
        """Give a unit vector of everything for each coordinate that is maximized over."""
        units = self.joint.density.backend.zeros(len(self.outer), self.joint.dimension)
        units[self.torch.arange(len(self.outer), device=self.outer.device), self.outer] = 1.0
        return units

    def log_density(self, theta: Tensor, u: Tensor) -> Tensor:
        """Give the joint density, of each row if there are rows; the way back to one part leaves the other alone."""
        nothing = self._nothing(theta)
        return self.joint.density.log_density(
            nothing.index_copy(-1, self.outer, theta), jacobian=self.joint.jacobian,
            likelihood_only=self.joint.likelihood_only, apart=nothing.index_copy(-1, self.inner, u),
        )


class Bend:
    """Value, slope in `u`, and products with the Hessian in `u`; with `both`, what derivatives in `theta` need."""

    def __init__(self, split: Split, theta: Tensor, u: Tensor, both: bool = False) -> None:
        self._torch = split.torch
        self.u = u.detach().clone().requires_grad_(True)
        self.theta = theta.detach().clone().requires_grad_(both)
        self._value = split.log_density(self.theta, self.u)
        self._chunk = max(1, int(_CHUNK / split.joint.width))
        self._slope = self._pulled(self._value, self.u, create_graph=True)

    @property
    def value(self) -> Tensor:
        return self._value.detach()

    @property
    def slope(self) -> Tensor:
        """The slope in what is integrated."""
        return self._slope.detach()

    def _pulled(self, total: Tensor, leaf: Tensor, vector: Tensor = None, create_graph: bool = False) -> Tensor:
        if not total.requires_grad or not leaf.requires_grad:
            return self._torch.zeros_like(leaf)
        keep = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
        return self._torch.autograd.grad(total, leaf, vector, create_graph=create_graph, **keep)[0]

    def slope_in_theta(self, vector: Tensor = None) -> Tensor:
        """Give the slope in `theta`, or the derivative in it of the slope in `u` along a vector."""
        total = self._value if vector is None else self._slope
        return self._pulled(total, self.theta, vector).detach()

    def products(self, vectors: Tensor) -> Tensor:
        """Give the product of the Hessian in `u` with each row."""
        parts = [self._rows(vectors[at : at + self._chunk]) for at in range(0, len(vectors), self._chunk)]
        return self._torch.cat([part.detach() for part in parts]) if parts else vectors

    def _rows(self, vectors: Tensor, create_graph: bool = False) -> Tensor:
        torch = self._torch
        if not self._slope.requires_grad:
            return torch.zeros_like(vectors)
        if len(vectors) > _FEW:
            keep = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
            try:
                return torch.autograd.grad(
                    self._slope, self.u, vectors, is_grads_batched=True, create_graph=create_graph, **keep
                )[0]
            except RuntimeError as error:
                if is_out_of_memory(error):
                    raise
        # Few, or an op whose second derivative cannot be vectorized.
        return torch.stack([self._pulled(self._slope, self.u, vector, create_graph) for vector in vectors])

    def slopes_of_trace(self, weights: Tensor, vectors: Tensor, constant: bool = False) -> tuple[Tensor, Tensor]:
        """Give the derivatives in `theta` and in `u` of the sum of `w' H v` over pairs of rows.

        That in `u` is 0 where the Hessian is `constant` in it.
        """
        in_theta, in_u = self._torch.zeros_like(self.theta), self._torch.zeros_like(self.u)
        for at in range(0, len(vectors), self._chunk):
            rows = self._rows(vectors[at : at + self._chunk], create_graph=True)
            total = (rows * weights[at : at + self._chunk]).sum()
            in_theta = in_theta + self._pulled(total, self.theta)
            if not constant:
                in_u = in_u + self._pulled(total, self.u)
        return in_theta.detach(), in_u.detach()
