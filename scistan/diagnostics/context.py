"""What the checks may know of the model: how its elements are called, and how its latents are sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Context"]


@dataclass(frozen=True, slots=True)
class Context:
    """The model in the checks' terms.

    `noncentred` has, for each latent that is sampled non-centred, the latents its location and scale are made of;
    `remarks` are facts that a reader of the draws must not overlook.
    """

    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    coords: Mapping[str, Sequence[object]] = field(default_factory=dict)
    noncentred: Mapping[str, frozenset[str]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def element(self, name: str, at: tuple[int, ...], shape: tuple[int, ...]) -> str:
        """Call an element by the labels of its coords, as `summary()` does; by its position where there are none."""
        if not at:
            return name
        dims = self.dims.get(name, ())
        dims = dims if len(dims) == len(at) else ("",) * len(at)
        return f"{name}[{', '.join(self._label(*part) for part in zip(dims, at, shape, strict=True))}]"

    def _label(self, dim: str, position: int, length: int) -> str:
        labels = self.coords.get(dim, ())
        return str(labels[position]) if len(labels) == length else str(position)

    def centring(self, elements: Sequence[str]) -> str:
        """Suggest centring where what is ill is a non-centred latent, or what its location or scale is made of."""
        ill = {element.partition("[")[0] for element in elements}
        found = [name for name, parents in self.noncentred.items() if name in ill or parents & ill]
        if not found:
            return ""
        shown = ", ".join(f"`{name}`" for name in found[:3])
        return f"; where each group has much data, give {shown} `centred=True`: the default suits groups with little"
