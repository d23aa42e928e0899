"""Why no chain can start: the term that is not finite, found by evaluating the model term by term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import orjson

from scistan.distributions.declaration import Distribution
from scistan.distributions.density import pointwise
from scistan.engines.density import StanDensity
from scistan.errors import ScistanError
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.places import first_place
from scistan.messages import sampling as messages
from scistan.targets.evaluate import Evaluator, Value, aligned
from scistan.targets.scipy.evaluate import NUMPY
from scistan.targets.stan.program import StanProgram

__all__ = ["find_culprit"]

_POINTS = 20
_RADIUS = 2.0  # Stan's own starts: uniform on (-2, 2) in unconstrained coordinates


def find_culprit(
    instance: Instance, program: StanProgram, data: str, inits: tuple[str, ...] | None
) -> ScistanError | None:
    """Evaluate every term where chains would start; name the first that is finite nowhere."""
    found: dict[str, ScistanError] = {}
    hits: dict[str, int] = {}
    points = 0
    for latents in _starts(instance, program, data, inits):
        points += 1
        for term, error in _bad_terms(instance, latents):
            hits[term.name] = hits.get(term.name, 0) + 1
            found.setdefault(term.name, error)
    always = [name for name, count in hits.items() if count == points]
    return found[always[0]] if always else None


def _starts(
    instance: Instance, program: StanProgram, data: str, inits: tuple[str, ...] | None
) -> Iterator[dict[str, np.ndarray]]:
    try:
        density = StanDensity(program.text, data)
    except (RuntimeError, ValueError):
        return
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
        yield {
            t.name: drawn[t.name].reshape(instance.shape(t.draw.shape))
            for t in instance.graph.latents
            if t.name in drawn
        }


def _bad_terms(instance: Instance, latents: Mapping[str, np.ndarray]) -> Iterator[tuple[Term, ScistanError]]:
    evaluator = Evaluator(instance, NUMPY)
    for term in instance.graph.latents:
        if term.name in latents:
            evaluator.set(term.value, latents[term.name], batched=False)
    with np.errstate(all="ignore"):
        for term in instance.graph.terms:
            try:
                density = np.asarray(evaluator[pointwise(term)].array)
            except KeyError:
                continue
            if not np.isfinite(density).all():
                yield term, _describe(term, density, evaluator)


def _describe(term: Term, density: np.ndarray, evaluator: Evaluator) -> ScistanError:
    at = tuple(int(i) for i in np.argwhere(~np.isfinite(density))[0])
    d: Distribution = term.draw.distribution
    said = [f"{p.name} = {_shown(evaluator[node], len(node.shape), p.domain.event_rank, at)}"
            for p, node in zip(d.parameters, term.draw.args, strict=True)]
    value = _shown(evaluator[term.value], len(term.draw.shape), d.event_rank, at)
    details = f"at the value {value}" + (f" with {', '.join(said)}" if said else "")
    where = f"[{', '.join(map(str, at))}]" if at else ""
    return messages.not_finite(term.name, d.title, where, float(density[at]), details, first_place(term.value))


def _shown(value: Value, rank: int, event_rank: int, at: tuple[int, ...]) -> str:
    """Show the part of a value that belongs to one event."""
    array = np.asarray(aligned(value, rank, rank))
    batch = array.shape[: array.ndim - event_rank]
    own = at[len(at) - len(batch) :]
    part = array[tuple(0 if n == 1 else i for i, n in zip(own, batch, strict=True))]
    return f"{float(part):.4g}" if part.ndim == 0 else np.array2string(part, precision=3, threshold=6)
