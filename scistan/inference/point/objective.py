"""What is maximized: values, gradients and products with the Hessian, over all observations or batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from scistan.graph.instance import Instance
from scistan.messages import point as messages
from scistan.messages.foreign import is_memory
from scistan.targets.torch import Batches, TorchDensity

if TYPE_CHECKING:
    from scistan.inference.point.mode import Mode

__all__ = ["Objective", "guard_memory", "is_out_of_memory"]

Tensor = Any
_CHUNK = 2e6  # elements of the widest intermediate that products with the Hessian make at once: more is slower
_SMALL = 2e6  # elements up to which products are made with a copy of the point for each


class Objective:
    """The log density or log likelihood of rows of coordinates; counts its evaluations."""

    def __init__(
        self,
        density: TorchDensity,
        *,
        likelihood_only: bool = False,
        jacobian: bool = False,
        batches: Batches | None = None,
        observations: int = 1,
        widest: int = 1,
        compiled: bool = False,
        written: Instance | None = None,
    ) -> None:
        self.density = density
        self.written = written or density.instance  # the model before any pass, for what users are told
        self.likelihood_only = likelihood_only
        self.jacobian = jacobian  # whether the density is one of the coordinates, not of the values that follow
        self.batches = batches
        self.torch = density.torch
        self.dimension = density.dimension
        self.evaluations = 0
        self.products = 0  # with the Hessian
        self._observations = max(1, observations)
        self.width = max(observations, widest) + self.dimension  # numbers in the largest value on the way, about
        self._makes_matrices = widest > observations
        self._function = self._compiled() if compiled else None
        self.wrap: Callable[[Tensor], Tensor] | None = None

    def _compiled(self) -> Callable[[Tensor], Tensor]:
        density, only = self.density, self.likelihood_only
        with self.torch.no_grad():  # lowered now, or torch would compile the lowering as well
            density.log_density(density.backend.zeros(self.dimension), likelihood_only=only)
        return self.torch.compile(  # type: ignore[no-any-return]
            lambda q: density.log_density(q, likelihood_only=only), dynamic=False
        )

    def _parts(self, q: Tensor, *, twice: bool = False) -> Iterator[Tensor]:
        """Give the parts of the density; compiled code has no second derivatives, so not where those are wanted."""
        if self.wrap is not None:
            q = self.wrap(q)
        if self.batches is not None:
            yield from self.batches.log_density(q, likelihood_only=self.likelihood_only)
        elif self._function is not None and not twice:
            yield self._function(q)
        else:
            yield self.density.log_density(q, jacobian=self.jacobian, likelihood_only=self.likelihood_only)

    @property
    def joint(self) -> Objective:
        """The density of everything: itself."""
        return self

    def chosen(self, rows: Tensor) -> Tensor:
        """Give the coordinates that are maximized over: all."""
        return rows

    def over_all(self, mode: Mode) -> Mode:
        """Give a mode over the coordinates of everything: itself."""
        return mode

    def value(self, q: Tensor) -> Tensor:
        """Give the log density of each row."""
        self.evaluations += 1
        try:
            with self.torch.no_grad(), self._memory():
                return sum(self._parts(q))
        except self.torch.linalg.LinAlgError:
            if q.ndim == 1:
                return q.new_tensor(float("nan"))
            return self.torch.stack([self.value(row) for row in q])

    def value_and_gradient(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """Give the log density of each row (S,) and its gradient (S, D); NaN where linear algebra fails."""
        self.evaluations += 1
        try:
            return self._value_and_gradient(q.detach())
        except self.torch.linalg.LinAlgError:
            if len(q) == 1:
                return q.new_full((1,), float("nan")), self.torch.full_like(q, float("nan"))
            each = [self.value_and_gradient(q[k : k + 1]) for k in range(len(q))]
            return self.torch.cat([value for value, _ in each]), self.torch.cat([slope for _, slope in each])

    def _value_and_gradient(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        single = rows.shape[0] == 1
        leaf = (rows[0] if single else rows).clone().requires_grad_(True)
        value: Tensor = None
        gradient: Tensor = None
        with self._memory():
            for part in self._parts(leaf):
                slope = self._gradient(part.sum(), leaf)
                value = part.detach() if value is None else value + part.detach()
                gradient = slope if gradient is None else gradient + slope
        return (value.reshape(1), gradient.reshape(1, -1)) if single else (value, gradient)

    def _gradient(self, total: Tensor, leaf: Tensor, create_graph: bool = False) -> Tensor:
        if not total.requires_grad:
            return self.torch.zeros_like(leaf)
        (slope,) = self.torch.autograd.grad(total, leaf, create_graph=create_graph, allow_unused=True)
        return self.torch.zeros_like(leaf) if slope is None else slope

    def hessian_products(self, q: Tensor, vectors: Tensor) -> Tensor:
        """Give `H v` at one point for each row `v`, exactly, by differentiating the gradient."""
        self.products += len(vectors)
        if len(vectors) * self.width <= _SMALL:
            with self._memory():
                return self._products_of_rows(q, vectors)
        return self._products_along(q, self.torch.arange(len(q), device=q.device), vectors)

    def _products_along(self, q: Tensor, moving: Tensor, vectors: Tensor) -> Tensor:
        """Give the products over the coordinates `moving`; the others are held, and what hangs on them alone."""
        leaf = q.detach()[moving].requires_grad_(True)
        result = self.torch.zeros_like(vectors)
        # A matrix computed on the way is work enough by itself; and torch takes a second to load what takes several.
        chunk = 1 if self._makes_matrices else max(1, int(_CHUNK / self.width))
        with self._memory():
            for part in self._parts(q.detach().index_copy(0, moving, leaf), twice=True):
                slope = self._gradient(part, leaf, create_graph=True)
                if not slope.requires_grad:
                    continue
                for start in range(0, len(vectors), chunk):
                    result[start : start + chunk] += self._products(slope, leaf, vectors[start : start + chunk])
        return result

    def products_at(self, q: Tensor) -> Callable[[Tensor], Tensor]:
        """Give what multiplies a vector, or rows of them, by the Hessian at one point, whose gradient is kept for it.

        Batches are gone through for each product: kept, they would be all observations at once.
        """
        leaf = q.detach().clone().requires_grad_(True)
        slope: Tensor = None
        if self.batches is None:
            with self._memory():
                slope = self._gradient(next(self._parts(leaf, twice=True)), leaf, create_graph=True)

        def multiply(vectors: Tensor) -> Tensor:
            rows = vectors.reshape(-1, vectors.shape[-1])
            if slope is None:
                return self.hessian_products(q, rows).reshape(vectors.shape)
            self.products += len(rows)
            if not slope.requires_grad:
                return self.torch.zeros_like(vectors)
            with self._memory():
                each = [self._gradient_of(slope, leaf, row) for row in rows]
            return self.torch.stack(each).reshape(vectors.shape)

        return multiply

    def _gradient_of(self, slope: Tensor, leaf: Tensor, vector: Tensor) -> Tensor:
        keep = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
        return self.torch.autograd.grad(slope, leaf, vector, **keep)[0].detach()

    def hessian(self, q: Tensor) -> Tensor:
        """Give the whole matrix of second derivatives at one point, exactly.

        Short runs of coordinates come first and are then held: the rest of the matrix does without them. So effects
        `L z` cost no second derivative of what factors their covariance into `L`, but for the few numbers it is of.
        """
        torch = self.torch
        eye = torch.eye(self.dimension, dtype=q.dtype, device=q.device)
        if self.dimension * self.width <= _SMALL:
            products = self.hessian_products(q, eye)
            return 0.5 * (products + products.mT)
        result = torch.zeros_like(eye)
        ahead = torch.arange(self.dimension, device=q.device)
        for start, stop in sorted(self.density.runs, key=lambda run: run[1] - run[0]):
            mine = (ahead >= start) & (ahead < stop)
            rows, unit = ahead[mine], eye[: len(ahead), : len(ahead)][mine]
            block = self._products_along(q, ahead, unit)
            result[rows[:, None], ahead] = block
            result[ahead[:, None], rows] = block.mT
            result[rows[:, None], rows] = 0.5 * (block[:, mine] + block[:, mine].mT)
            ahead = ahead[~mine]
        return result

    def _products_of_rows(self, q: Tensor, vectors: Tensor) -> Tensor:
        """Give the products with a copy of the point for each: more work, but torch loads nothing new for it."""
        rows = q.detach().repeat(len(vectors), 1).requires_grad_(True)
        result = self.torch.zeros_like(vectors)
        for part in self._parts(rows, twice=True):
            slope = self._gradient(part.sum(), rows, create_graph=True)
            if slope.requires_grad:
                result = result + self._gradient((slope * vectors).sum(), rows)
        return result

    def _products(self, slope: Tensor, leaf: Tensor, vectors: Tensor) -> Tensor:
        grad = self.torch.autograd.grad
        keep = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
        if len(vectors) == 1:
            return grad((slope * vectors[0]).sum(), leaf, **keep)[0].detach()[None]  # type: ignore[no-any-return]
        try:
            (rows,) = grad(slope, leaf, vectors, is_grads_batched=True, **keep)
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise
            # An op whose second derivative cannot be vectorized: one vector at a time.
            return self.torch.stack([self._gradient_of(slope, leaf, v) for v in vectors])
        return rows.detach()

    def _memory(self) -> AbstractContextManager[None]:
        batch = self.batches.size // 2 if self.batches else self._observations // 4
        return guard_memory(self.density.backend.device, batch)


@contextmanager
def guard_memory(device: str, batch_size: int) -> Iterator[None]:
    """Turn a complaint about memory, torch's or NumPy's, into an error that says which batch size to try."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if isinstance(error, messages.OutOfMemoryError) or not is_out_of_memory(error):
            raise
        raise messages.out_of_memory(device, batch_size or None) from None


def is_out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError" or is_memory(str(error))
