"""Why no chain can start: the term that is not finite, found by evaluating the model term by term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import orjson

from scistan.distributions.declaration import Distribution
from scistan.distributions.density import pointwise
from scistan.distributions.resolve import batch_rank
from scistan.engines.density import StanDensity
from scistan.engines.encoding import to_json
from scistan.errors import ScistanError
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.places import first_place
from scistan.messages import sampling as messages
from scistan.targets.evaluate import Evaluator, Value, aligned
from scistan.targets.scipy.evaluate import NUMPY
from scistan.targets.stan.program import StanProgram, lower_to_stan

__all__ = ["find_culprit"]

_POINTS = 20
_RADIUS = 2.0  # Stan's own starts: uniform on (-2, 2) in unconstrained coordinates


def find_culprit(
    instance: Instance, program: StanProgram, data: str, inits: tuple[str, ...] | None, *, certain: bool = False
) -> ScistanError | None:
    """Evaluate every term where chains would start; name the first that is finite nowhere.

    With `certain`, a term that only the engine finds not finite must have an argument at the end of its range.
    """
    try:
        density = StanDensity(program.text, data)
    except (RuntimeError, ValueError):
        return None
    found: dict[str, ScistanError] = {}
    hits: dict[str, int] = {}
    points = 0
    for q, latents in _starts(instance, density, inits):
        points += 1
        last = q, latents
        for term, error in _bad_terms(instance, latents):
            hits[term.name] = hits.get(term.name, 0) + 1
            found.setdefault(term.name, error)
    always = [name for name, count in hits.items() if count == points]
    if always:
        return found[always[0]]
    where, steep = _steep(instance, density, *last) if points else (None, None)
    if steep is not None or where is None or certain:
        return steep
    return messages.steep(where.name, where.law.distribution.title, "", "", "", first_place(where.value))


def _starts(
    instance: Instance, density: StanDensity, inits: tuple[str, ...] | None
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    rng = np.random.default_rng(0)
    for k in range(len(inits) if inits else _POINTS):
        try:
            if inits:
                q = density.unconstrain(orjson.loads(inits[k]))
            else:
                q = rng.uniform(-_RADIUS, _RADIUS, density.dimension)
            drawn = density.constrain(q)
        except (RuntimeError, ValueError):
            continue
        yield (
            q,
            {
                t.name: drawn[t.name].reshape(instance.shape(t.law.shape))
                for t in instance.graph.latents
                if t.name in drawn
            },
        )


def _evaluator(instance: Instance, latents: Mapping[str, np.ndarray]) -> Evaluator:
    evaluator = Evaluator(instance, NUMPY)
    for term in instance.graph.latents:
        if term.name in latents:
            evaluator.set(term.value, latents[term.name], batched=False)
    return evaluator


def _bad_terms(instance: Instance, latents: Mapping[str, np.ndarray]) -> Iterator[tuple[Term, ScistanError]]:
    evaluator = _evaluator(instance, latents)
    with np.errstate(all="ignore"):
        for term in instance.graph.terms:
            try:
                density = np.asarray(evaluator[pointwise(term)].array)
            except KeyError:
                continue
            except np.linalg.LinAlgError:  # a matrix without a factor: no event has a density
                density = np.full(instance.shape(term.law.shape[: batch_rank(term.law)]), -np.inf)
            if not np.isfinite(density).all():
                yield term, _describe(term, density, evaluator)


def _steep(
    instance: Instance, density: StanDensity, q: np.ndarray, latents: Mapping[str, np.ndarray]
) -> tuple[Term | None, ScistanError | None]:
    """Where every density is finite, find the observed term whose density or gradient is not in Stan, and why."""
    if _finite(density, q):
        return None, None
    for term in instance.graph.observed:
        alone = replace(instance, graph=replace(instance.graph, terms=(*instance.graph.latents, term)))
        program = lower_to_stan(alone.graph, log_lik=False, predictive=False, log_prior=False)
        if _finite(StanDensity(program.text, to_json(program.data(alone))), q):
            continue
        with np.errstate(all="ignore"):
            return term, _describe_steep(term, _evaluator(instance, latents))
    return None, None


def _finite(density: StanDensity, q: np.ndarray) -> bool:
    try:
        value, gradient = density.log_density_gradient(q)
    except (RuntimeError, ValueError):
        return True  # a refusal has its own words
    return bool(np.isfinite(value) and np.isfinite(gradient).all())


def _describe_steep(term: Term, evaluator: Evaluator) -> ScistanError | None:
    """Point at the first observation with an argument at the end of its range, where slopes are infinite."""
    d: Distribution = term.law.distribution
    place, events = first_place(term.value), np.asarray(evaluator[pointwise(term)].array)
    for p, node in zip(d.parameters, term.law.args, strict=True):
        array = np.asarray(evaluator[node].array)
        if p.domain.event_rank or term.law.constraint is not None:
            continue
        bounds = [float(b) for b in (p.domain.lower, p.domain.upper) if isinstance(b, int | float)]
        ends = ~np.isfinite(array) | np.isin(array, bounds)
        if ends.any():
            at = tuple(int(i) for i in np.argwhere(np.broadcast_to(ends, events.shape))[0])
            given = f"`{p.name}` = {_shown(evaluator[node], len(node.shape), 0, at)}"
            return messages.steep(term.name, d.title, *_details(term, at, evaluator), given, place)
    return None


def _describe(term: Term, density: np.ndarray, evaluator: Evaluator) -> ScistanError:
    at = tuple(int(i) for i in np.argwhere(~np.isfinite(density))[0])
    where, details = _details(term, at, evaluator)
    title = term.law.distribution.title
    return messages.not_finite(term.name, title, where, float(density[at]), details, first_place(term.value))


def _details(term: Term, at: tuple[int, ...], evaluator: Evaluator) -> tuple[str, str]:
    """Say which event it is, and its value and arguments."""
    d: Distribution = term.law.distribution
    said = []
    for p, node in zip(d.parameters, term.law.args, strict=True):
        try:
            tied = min(len(node.shape), int(term.law.constraint is not None))
            shown = _shown(evaluator[node], len(node.shape), p.domain.event_rank or tied, at)
        except np.linalg.LinAlgError:
            shown = "a matrix that cannot be computed"
        said.append(f"{p.name} = {shown}")
    value = _shown(evaluator[term.value], len(term.law.shape), term.law.event_rank, at)
    where = f"[{', '.join(map(str, at))}]" if at else ""
    return where, f"at the value {value}" + (f" with {', '.join(said)}" if said else "")


def _shown(value: Value, rank: int, event_rank: int, at: tuple[int, ...]) -> str:
    """Show the part of a value that belongs to one event."""
    array = np.asarray(aligned(value, rank, rank))
    batch = array.shape[: array.ndim - event_rank]
    own = at[len(at) - len(batch) :]
    part = array[tuple(0 if n == 1 else i for i, n in zip(own, batch, strict=True))]
    return f"{float(part):.4g}" if part.ndim == 0 else np.array2string(part, precision=3, threshold=6)
