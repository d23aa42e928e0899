"""What the checks may know: how elements are called, how latents are sampled, what was run, and the model's graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from scistan.diagnostics.ran import Ran
from scistan.errors import Place

if TYPE_CHECKING:
    from scistan.diagnostics.facts import Facts

__all__ = ["Context", "variable_of"]


def variable_of(element: str) -> str:
    """Give the variable that an element is of.

    >>> variable_of("theta[A, 3]")
    'theta'
    """
    return element.partition("[")[0]


@dataclass(frozen=True, slots=True)
class Context:
    """The model in the checks' terms.

    `noncentred` has, for each latent that is sampled non-centred whatever its data say, the latents its location and
    scale are made of;
    `remarks` are facts that a reader of the draws must not overlook. `facts` reads the graph when it is first asked; a
    fit that was loaded without its model has none.
    """

    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    coords: Mapping[str, Sequence[object]] = field(default_factory=dict)
    noncentred: Mapping[str, frozenset[str]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    ran: Ran = field(default_factory=Ran)
    facts: Facts | None = field(default=None, compare=False)

    def line(self, element: str) -> Place | None:
        """Give the user's line on which a variable, or the one an element is of, was written."""
        return None if self.facts is None else self.facts.line(variable_of(element))

    def element(self, name: str, at: tuple[int, ...], shape: tuple[int, ...]) -> str:
        """Call an element by the labels of its coords, as `summary()` does; by its position where there are none."""
        if not at:
            return name
        dims = self.dims.get(name, ())
        dims = dims if len(dims) == len(at) else ("",) * len(at)
        return f"{name}[{', '.join(self._label(*part) for part in zip(dims, at, shape, strict=True))}]"

    def elements(self, name: str, picked: np.ndarray) -> list[str]:
        """Call the elements that are picked, each as `element` does; there may be a hundred thousand."""
        if not picked.ndim:
            return [name] if picked else []
        dims = self.dims.get(name, ())
        dims = dims if len(dims) == picked.ndim else ("",) * picked.ndim
        columns = [
            [self._label(dim, position, length) for position in places.tolist()]
            for dim, length, places in zip(dims, picked.shape, np.nonzero(picked), strict=True)
        ]
        return [f"{name}[{', '.join(labels)}]" for labels in zip(*columns, strict=True)]

    def _label(self, dim: str, position: int, length: int) -> str:
        labels = self.coords.get(dim, ())
        return str(labels[position]) if len(labels) == length else str(position)

    def centring(self, elements: Sequence[str]) -> str:
        """Suggest centring where what is ill is a non-centred latent, or what its location or scale is made of."""
        ill = {variable_of(element) for element in elements}
        found = [name for name, parents in self.noncentred.items() if name in ill or parents & ill]
        if not found:
            return ""
        shown = ", ".join(f"`{name}`" for name in found[:3])
        return f"; where each group has much data, give {shown} `centred=True`: the default suits groups with little"
