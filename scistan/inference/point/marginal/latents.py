"""The latents that are maximized over, with their places among each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scistan.graph.graph import Term
from scistan.inference.point.marginal.bend import Split
from scistan.targets.torch import LatentBlock

__all__ = ["OuterLatents"]

Tensor = Any


class OuterLatents:
    """A view of the joint density's latents; `u` is where the integrated ones were last."""

    def __init__(self, split: Split) -> None:
        joint = split.joint.density
        self._split, self._joint = split, joint
        self.instance, self.backend, self.torch = joint.instance, joint.backend, joint.torch
        self.dimension = len(split.outer)
        self.u = joint.backend.zeros(len(split.inner))
        inside = {block.term.name for block in split.blocks}
        self.blocks: list[LatentBlock] = []
        start = 0
        for block in joint.blocks:
            if block.term.name not in inside:
                self.blocks.append(replace(block, start=start))
                start = self.blocks[-1].stop

    def constrain(self, q: Tensor) -> tuple[Any, Tensor, Tensor]:
        """Set every latent, the integrated ones where they were last."""
        rows = q if q.ndim == 2 else q[None]
        full = self.torch.stack([self._split.join(row, self.u) for row in rows])
        return self._joint.constrain(full if q.ndim == 2 else full[0])

    def affine(self, term: Term, known: Any) -> Any:
        """Give the map that a non-centred latent comes by."""
        return self._joint.affine(term, known)

    def coordinates(self, block: LatentBlock, q: Tensor) -> Tensor:
        """Cut a latent's coordinates out of the flat vector."""
        return self._joint.coordinates(block, q)

    def term_density(self, term: Term, evaluator: Any) -> Tensor:
        """Give a term's log density."""
        return self._joint.term_density(term, evaluator)
