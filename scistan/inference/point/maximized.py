"""What an optimizer and an audit need of the function that is maximized."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.targets.torch import Batches, LatentBlock

if TYPE_CHECKING:
    from scistan.inference.point.mode import Mode
    from scistan.inference.point.objective import Objective

__all__ = ["Latents", "Maximized"]

Tensor = Any


class Latents(Protocol):
    """Which coordinates are whose, and the way from coordinates to values."""

    instance: Instance
    backend: Any
    torch: Any
    dimension: int
    blocks: list[LatentBlock]

    def constrain(self, q: Tensor, /) -> tuple[Any, Tensor, Tensor]:
        """Set every latent from coordinates."""
        ...

    def affine(self, term: Term, known: Any, /) -> Any:
        """Give the map that a non-centred latent comes by."""
        ...

    def coordinates(self, block: LatentBlock, q: Tensor, /) -> Tensor:
        """Cut a latent's coordinates out of the flat vector."""
        ...

    def term_density(self, term: Term, evaluator: Any, /) -> Tensor:
        """Give a term's log density."""
        ...


class Maximized(Protocol):
    """A function of rows of coordinates with its gradient and Hessian; counts its evaluations.

    `joint` is the density of everything that it comes from.
    """

    torch: Any
    dimension: int
    evaluations: int
    products: int
    width: int
    likelihood_only: bool
    batches: Batches | None
    written: Instance
    wrap: Callable[[Tensor], Tensor] | None

    @property
    def density(self) -> Latents: ...

    @property
    def joint(self) -> Objective: ...

    def value(self, q: Tensor, /) -> Tensor: ...

    def value_and_gradient(self, q: Tensor, /) -> tuple[Tensor, Tensor]: ...

    def hessian(self, q: Tensor, /) -> Tensor: ...

    def hessian_products(self, q: Tensor, vectors: Tensor, /) -> Tensor: ...

    def products_at(self, q: Tensor, /) -> Callable[[Tensor], Tensor]: ...

    def chosen(self, rows: Tensor, /) -> Tensor:
        """Give the coordinates that are maximized over, of rows of all of them."""
        ...

    def over_all(self, mode: Mode, /) -> Mode:
        """Give a mode, with its curvature, over the coordinates of everything."""
        ...
