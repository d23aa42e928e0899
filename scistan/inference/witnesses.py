"""The three targets on one model and its data: what each says of a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scistan.distributions.density import total
from scistan.distributions.resolve import value_domain
from scistan.engines.density import StanDensity
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.inference.solver_error import SolverError
from scistan.inference.tolerance import EPSILON, NEIGHBOURS, NOISES, SMALL_STEP, STEP, TINY_STEP, noise_of
from scistan.messages import agreement as messages
from scistan.passes.branches import held_density
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import JointDensity
from scistan.targets.stan.program import lower_to_stan
from scistan.targets.stan.twin import flat_twin

__all__ = ["Seen", "Witnesses"]

_NEARER = 6  # how often a point that Stan has no coordinates for is moved half the way to the middle


@dataclass(frozen=True, slots=True)
class Seen:
    """A point and the log densities there, of the constrained values; `size` is how large their parts are.

    `gradient` is Stan's over its coordinates, `slopes` torch's over what Stan writes out.
    """

    q: np.ndarray
    latents: Mapping[str, np.ndarray]
    scipy: float
    size: float
    torch: float
    stan: float
    gradient: np.ndarray
    slopes: np.ndarray
    noise: float = 0.0  # what rounding was seen to do to the densities, and to a derivative
    slope_noise: float = 0.0
    solver: float = 0.0  # how far the tolerances of equations may move the density

    @property
    def densities(self) -> tuple[float, float, float]:
        return self.scipy, self.torch, self.stan


class Witnesses:
    """What is needed to ask the targets, made once for all points."""

    def __init__(self, instance: Instance, **switches: Any) -> None:
        from scistan.targets.support import guards, signs_of
        from scistan.targets.torch import TorchDensity

        self.instance = instance
        self.program = lower_to_stan(instance.graph, log_lik=False, predictive=False, log_prior=False, **switches)
        data = self.program.data(instance)
        self.stan = StanDensity(self.program.text, data)
        twin = flat_twin(self.program)
        self._flat = StanDensity(twin.text, twin.data(data)) if twin is not None else None
        self._joint = JointDensity(instance)
        self._solver = SolverError(instance)
        self._torch = TorchDensity(instance)
        self._priors = {p.term.name: p.prior for p in self.program.parameters if p.prior is not None}
        signs = signs_of(instance)
        self._nodes: list[Node] = []
        for term in self._torch.instance.graph.terms:  # whose branches are held
            self._nodes += [held_density(term, total(self._priors.get(term.name, term))), *guards(term, signs)]
        self._spread = self._spreads()

    # -- points -----------------------------------------------------------------------------------------
    def points(self, rng: np.random.Generator, radius: float, count: int) -> list[np.ndarray]:
        """Draw points well inside the domains, in Stan's coordinates.

        Each is followed by the one opposite: every coordinate is seen on both sides, and with it what hangs on a sign.
        """
        starts = [radius * rng.normal(size=self._torch.dimension) * self._spread for _ in range((count + 1) // 2)]
        return [self._point(side * start) for start in starts for side in (1.0, -1.0)][:count]

    def _point(self, start: np.ndarray) -> np.ndarray:
        torch = self._torch.torch
        for attempt in range(_NEARER):
            evaluator, _, _ = self._torch.constrain(torch.as_tensor(start * 0.5**attempt, dtype=torch.float64))
            values = {t.name: evaluator[t.value].array.numpy() for t in self.instance.graph.latents}
            try:
                return self.coordinates(values)
            except RuntimeError as error:
                refused = str(error)
        raise messages.no_coordinates(refused)

    def coordinates(self, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """Give Stan's coordinates of the latents' values."""
        return self.stan.unconstrain(self.program.inits(values, self.instance))

    def _spreads(self) -> np.ndarray:
        """Give how far each coordinate may lie from 0: less in a large matrix, which else were near singular."""
        found = [np.zeros(0)]
        for block in self._torch.blocks:
            shape = self.instance.shape(block.term.law.shape)
            found.append(np.full(block.stop - block.start, value_domain(block.term.law).spread(shape)))
        return np.concatenate(found)

    def with_solver_error(self, seen: Seen) -> Seen:
        """See what the tolerances of equations may do at a point."""
        return replace(seen, solver=self._solver.at(seen.latents, seen.scipy))

    # -- what they say ------------------------------------------------------------------------------------
    def at(self, q: np.ndarray) -> Seen:
        """Ask all three at a point."""
        return self.at_each([q])[0]

    def at_each(self, points: Sequence[np.ndarray]) -> list[Seen]:
        """Ask all three at points."""
        terms = self.instance.graph.latents
        drawn = [self.stan.constrain(q) for q in points]
        latents = [{t.name: self._shaped(here, t) for t in terms} for here in drawn]
        by_scipy = self._joint.at_each([{t.value: here[t.name] for t in terms} for here in latents])
        by_torch = self._torch_gradients(drawn, latents)
        return [self._seen(*all_of) for all_of in zip(points, latents, by_scipy, by_torch, strict=True)]

    def _seen(
        self,
        q: np.ndarray,
        latents: Mapping[str, np.ndarray],
        by_scipy: tuple[float, float],
        by_torch: tuple[float, np.ndarray],
    ) -> Seen:
        scipy, size = by_scipy
        by_stan, gradient = _asked(self.stan, q)
        if self._flat is not None:
            jacobian, of_jacobian = _asked(self._flat, q)
            by_stan, gradient, size = by_stan - jacobian, gradient - of_jacobian, size + abs(jacobian)
        return Seen(q, latents, scipy, size, by_torch[0], by_stan, gradient, by_torch[1])

    def _shaped(self, drawn: Mapping[str, np.ndarray], term: Term) -> np.ndarray:
        """Give a latent its own axes; one without elements has no columns."""
        lengths = self.instance.shape(term.law.shape)
        return drawn[term.name].reshape(lengths) if term.name in drawn else np.empty(lengths)

    def derivative(self, seen: Seen, direction: np.ndarray) -> tuple[float, float]:
        """Give torch's derivative along Stan's own transform, and how much of it rounding may have lost."""
        ahead, behind = (self.stan.constrain_flat(seen.q + sign * STEP * direction) for sign in (1, -1))
        moved = ahead != behind
        slopes = seen.slopes[moved]
        lost = EPSILON / STEP * float(np.abs(slopes) @ np.abs(ahead[moved]))
        return float(slopes @ (ahead - behind)[moved]) / (2 * STEP), lost

    def with_noise(self, seen: Seen, direction: np.ndarray) -> Seen:
        """See what rounding does near a point."""
        noise = np.zeros(5)
        for step, degree in ((TINY_STEP, 1), (SMALL_STEP, 3)):
            near = self.at_each([seen.q + k * step * direction for k in range(NEIGHBOURS)])
            slopes = [[float(s.gradient @ direction), self.derivative(s, direction)[0]] for s in near]
            table = np.array([[*s.densities, *pair] for s, pair in zip(near, slopes, strict=True)])
            if np.isfinite(table).all():
                noise = np.maximum(noise, NOISES * noise_of(table, degree))
        return replace(seen, noise=float(noise[:3].sum()), slope_noise=float(noise[3:].sum()))

    def _torch_gradients(
        self, drawn: Sequence[Mapping[str, np.ndarray]], latents: Sequence[Mapping[str, np.ndarray]]
    ) -> list[tuple[float, np.ndarray]]:
        """Give the log densities, and gradients over what Stan has for the latents: standard ones where it does.

        Through the values of a latent whose covariance is almost singular, the gradient would lose its digits.
        """
        density, columns = self._torch, self.stan.columns
        torch, evaluator = density.torch, Evaluator(density.instance, density.backend)
        leaves: dict[str, Any] = {}
        result = density.backend.zeros(len(drawn))
        for p in self.program.parameters:
            own = p.term.name if p.prior is None else p.free_name
            arrays = [
                each[own] if p.prior is None else here.get(own, each[p.term.name])
                for here, each in zip(drawn, latents, strict=True)
            ]
            leaf = leaves[own] = density.backend.constant(np.array(arrays)).requires_grad_(True)
            affine = density.affine(p.term, evaluator) if p.prior is not None else None
            value = affine.value(leaf) if affine else leaf
            if p.prior is not None and affine is not None:
                evaluator.set(p.prior.value, leaf, batched=True)
                result = result - _by_row(affine.log_slope(value).expand_as(leaf))
            evaluator.set(p.term.value, value, batched=True)
        slopes = np.zeros((len(drawn), columns.count))
        try:
            evaluator.compute(self._nodes)
        except torch.linalg.LinAlgError:  # a matrix without a factor is not positive definite
            if len(drawn) == 1:
                return [(-np.inf, slopes[0])]
            pairs = zip(drawn, latents, strict=True)
            return [self._torch_gradients([here], [each])[0] for here, each in pairs]
        for node in self._nodes:
            value = evaluator[node]
            result = result + (_by_row(value.array) if value.batched else value.array.sum())
        if result.requires_grad:
            found = torch.autograd.grad(result.sum(), list(leaves.values()), allow_unused=True)
            for name, slope in zip(leaves, found, strict=True):
                if slope is not None and name in columns.places:
                    slopes[:, columns.places[name]] = slope.numpy().reshape(len(drawn), -1)
        return list(zip(result.detach().tolist(), slopes, strict=True))


def _by_row(array: Any) -> Any:
    return array.reshape(len(array), -1).sum(-1)


def _asked(density: StanDensity, q: np.ndarray) -> tuple[float, np.ndarray]:
    """Ask Stan; where it rejects a point, a term has no meaning there: the density is zero."""
    try:
        return density.log_density_gradient(q)
    except RuntimeError:
        return -np.inf, np.full(q.shape, np.nan)
