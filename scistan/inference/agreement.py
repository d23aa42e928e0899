"""`m.verify()`: SciPy, torch and Stan are asked for the same densities and gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.distributions.density import total
from scistan.engines.density import StanDensity
from scistan.given import as_whole
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.inference.density import check_complete
from scistan.messages import inference as messages
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import joint_log_density
from scistan.targets.scipy.streams import use_seed
from scistan.targets.stan.parameter import Parameter
from scistan.targets.stan.program import StanProgram, lower_to_stan
from scistan.targets.stan.twin import flat_twin

if TYPE_CHECKING:
    from scistan.targets.torch import TorchDensity

__all__ = ["Agreement", "verify"]

# Densities are compared as differences between points, relative to their own size; gradients meet Stan's
# through a central difference of step 1e-5, which is good to about 1e-9 of the values' size.
DENSITY_TOLERANCE = 1e-8
GRADIENT_TOLERANCE = 1e-5
# Stan's own derivatives of cumulative probabilities are rational approximations or truncated series:
# `normal_lcdf` follows Abramowitz & Stegun 7.1.26, `gamma_lcdf` a series cut at 1e-6.
TRUNCATED_TOLERANCE = 1e-4
_STEP = 1e-5
_PATIENCE = 10  # how many times as many points as asked for are tried where the density is zero at some


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far apart the targets are: the largest relative errors over all points.

    `zeros` counts further points, at which every target says that the density is zero; `asked` is how many points
    with a density were wanted.
    """

    points: int
    scipy_torch_density: float
    scipy_stan_density: float
    torch_stan_gradient: float
    gradient_tolerance: float = GRADIENT_TOLERANCE
    zeros: int = 0
    asked: int = 1

    @property
    def max_density_error(self) -> float:
        return max(self.scipy_torch_density, self.scipy_stan_density)

    @property
    def max_gradient_error(self) -> float:
        return self.torch_stan_gradient

    @property
    def ok(self) -> bool:
        near = self.max_density_error < DENSITY_TOLERANCE and self.max_gradient_error < self.gradient_tolerance
        return near and self.points > 0

    def _rows(self) -> list[tuple[str, str, float, float]]:
        return [
            ("SciPy and torch", "log density", self.scipy_torch_density, DENSITY_TOLERANCE),
            ("SciPy and Stan", "log density", self.scipy_stan_density, DENSITY_TOLERANCE),
            ("torch and Stan", "gradient", self.torch_stan_gradient, self.gradient_tolerance),
        ]

    def __repr__(self) -> str:
        rows = self._rows()
        lines = [f"  {who:<16} {what:<12} {error:9.1e}  (allowed {most:.0e})" for who, what, error, most in rows]
        return "\n".join([self._head, *lines])

    @property
    def _head(self) -> str:
        """One line: the verdict and the points it rests on."""
        if not self.points:
            return messages.zero_everywhere(self.zeros)
        verdict = "agreement" if self.ok else "DISAGREEMENT"
        few = self.asked if self.points < self.asked else 0
        return messages.agreement_at(verdict, self.points, self.zeros, few)

    def _repr_html_(self) -> str:
        cells = "<tr><td>{}</td><td>{}</td><td>{:.1e}</td><td>{:.0e}</td></tr>"
        rows = "".join(cells.format(*row) for row in self._rows())
        head = "<tr><th>targets</th><th>what</th><th>largest relative error</th><th>allowed</th></tr>"
        return f"<p>{self._head}</p><table>{head}{rows}</table>"


def verify(instance: Instance, points: int, seed: int, **switches: Any) -> Agreement:
    """Compare the three targets at random points of the unconstrained space."""
    points, seed = as_whole("points", points), use_seed(seed)
    from scistan.targets.torch import TorchDensity

    check_complete(instance)
    program = lower_to_stan(instance.graph, log_lik=False, predictive=False, log_prior=False, **switches)
    data = program.data(instance)
    stan = StanDensity(program.text, data)
    twin = flat_twin(program)
    flat = StanDensity(twin.text, twin.data(data)) if twin is not None else None
    density = TorchDensity(instance)
    rng = np.random.default_rng(seed)
    found: list[tuple[float, float, float]] = []
    gradient_error, zeros = 0.0, 0
    while len(found) < points and len(found) + zeros < _PATIENCE * points:
        start = density.torch.as_tensor(rng.normal(size=density.dimension), dtype=density.torch.float64)
        with np.errstate(all="ignore"):
            compared = _compare(instance, program, density, stan, flat, start)
        if compared is None:
            zeros += 1
            continue
        found.append(compared[0])
        gradient_error = max(gradient_error, compared[1])
    truncated = any(term.draw.truncated for term in instance.graph.terms)
    tolerance = TRUNCATED_TOLERANCE if truncated else GRADIENT_TOLERANCE
    return Agreement(len(found), *_density_errors(np.array(found)), gradient_error, tolerance, zeros, int(points))


def _compare(
    instance: Instance,
    program: StanProgram,
    density: TorchDensity,
    stan: StanDensity,
    flat: StanDensity | None,
    start: Any,
) -> tuple[tuple[float, float, float], float] | None:
    """Give the densities of SciPy, torch and Stan at a point and the error of the gradient; None where all are zero."""
    evaluator, _, _ = density.constrain(start)
    values: dict[Node, np.ndarray] = {t.value: evaluator[t.value].array.numpy() for t in instance.graph.latents}
    inits = program.inits({t.name: values[t.value] for t in instance.graph.latents}, instance)
    by_torch, slopes = _torch_gradient(density, program.parameters, values, inits)
    by_scipy = joint_log_density(instance, values)
    q = stan.unconstrain(inits)
    try:
        stan_lp, stan_gradient = stan.log_density_gradient(q)
    except RuntimeError:  # Stan rejects a point where a term has no meaning
        if np.isfinite([by_scipy, by_torch]).any():
            raise
        return None
    flat_lp, flat_gradient = (0.0, np.zeros_like(q)) if flat is None else flat.log_density_gradient(q)
    densities = by_scipy, by_torch, stan_lp - flat_lp
    if not np.isfinite(densities).any():
        return None
    if not np.isfinite(densities).all():
        return densities, float("inf")
    expected = _through_constraint(stan, q, slopes)
    error = np.abs(stan_gradient - flat_gradient - expected) / np.maximum(1.0, _scale(expected))
    return densities, _or_inf(float(np.max(error, initial=0.0)))


def _scale(gradient: np.ndarray) -> float:
    return float(np.max(np.abs(gradient), initial=0.0))


def _or_inf(error: float) -> float:
    return error if np.isfinite(error) else float("inf")


def _density_errors(table: np.ndarray) -> tuple[float, float]:
    if not len(table):
        return 0.0, 0.0
    if not np.isfinite(table).all():
        apart_in_kind = np.isfinite(table[:, :1]) != np.isfinite(table[:, 1:])
        torch_off, stan_off = apart_in_kind.any(axis=0)
        return (float("inf") if torch_off else 0.0), (float("inf") if stan_off else 0.0)
    scipy, torch, stan = (np.array(c) for c in table.T)
    size = np.maximum(1.0, np.abs(scipy))
    apart = np.abs(scipy - torch) / size
    # Stan drops constants, so its densities are known up to one number.
    shifted = np.abs((stan - stan[0]) - (scipy - scipy[0])) / (size + size[0])
    return _or_inf(float(np.max(apart))), _or_inf(float(np.max(shifted)))


def _torch_gradient(
    density: TorchDensity, parameters: Iterable[Parameter], values: Mapping[Node, np.ndarray], inits: Mapping[str, Any]
) -> tuple[float, dict[str, np.ndarray]]:
    """Give the log density of the latents, and its gradient over what Stan has for them: standard ones where it does.

    Through the values of a latent whose covariance is almost singular, the gradient would lose its digits.
    """
    from scistan.targets.torch.support import guards, signs_of

    torch, evaluator = density.torch, Evaluator(density.instance, density.backend)
    leaves: dict[str, Any] = {}
    priors: dict[str, Term] = {}
    result = density.backend.zeros()
    for p in parameters:
        own = p.term.name if p.prior is None else p.free_name
        array = values[p.term.value] if p.prior is None else inits[own]
        leaf = leaves[own] = density.backend.constant(array).requires_grad_(True)
        affine = density.affine(p.term, evaluator) if p.prior is not None else None
        if p.prior is not None and affine is not None:
            evaluator.set(p.prior.value, leaf, batched=False)
            priors[p.term.name] = p.prior
            result = result - torch.log(affine.slope).expand_as(leaf).sum()
        evaluator.set(p.term.value, affine.value(leaf) if affine else leaf, batched=False)
    signs = signs_of(density.instance)
    for term in density.instance.graph.terms:
        result = result + evaluator[total(priors.get(term.name, term))].array
        for guard in guards(term, signs):
            result = result + evaluator[guard].array.sum()
    if not result.requires_grad:
        return float(result), {name: np.zeros(tuple(leaf.shape)) for name, leaf in leaves.items()}
    slopes = torch.autograd.grad(result, list(leaves.values()), allow_unused=True)
    zero = torch.zeros_like
    found = {n: (zero(t) if g is None else g).numpy() for (n, t), g in zip(leaves.items(), slopes, strict=True)}
    return float(result.detach()), found


def _through_constraint(stan: StanDensity, q: np.ndarray, slopes: dict[str, np.ndarray]) -> np.ndarray:
    """Carry the gradient over Stan's parameters to its coordinates, by differences of Stan's own transform."""
    result = np.zeros_like(q)
    for k in range(q.size):
        step = np.zeros_like(q)
        step[k] = _STEP
        ahead, behind = stan.constrain(q + step), stan.constrain(q - step)
        for name, slope in slopes.items():
            result[k] += float(np.sum((ahead[name] - behind[name]) / (2 * _STEP) * slope))
    return result
