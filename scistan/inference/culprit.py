"""Why no chain can start: the term that is not finite, found by evaluating the model term by term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import orjson

from scistan.distributions.declaration import Distribution
from scistan.distributions.density import pointwise
from scistan.engines.data_file import DataText
from scistan.engines.density import StanDensity
from scistan.engines.encoding import to_json
from scistan.errors import ScistanError
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.inference.cause import Cause, evaluator_at, find_causes
from scistan.inference.elements import part_of, shown
from scistan.messages import equations
from scistan.messages import sampling as messages
from scistan.targets.evaluate import Evaluator
from scistan.targets.stan.program import StanProgram, lower_to_stan
from scistan.targets.unsolved import collecting_failures

__all__ = ["find_culprit"]

_POINTS = 20
_RADIUS = 2.0  # Stan's own starts: uniform on (-2, 2) in unconstrained coordinates


def find_culprit(
    instance: Instance, program: StanProgram, data: DataText, inits: tuple[str, ...] | None, *, certain: bool = False
) -> ScistanError | None:
    """Evaluate every term where chains would start; name the first that is finite nowhere.

    With `certain`, a term that only the engine finds not finite must have an argument at the end of its range.
    """
    try:
        density = StanDensity(program.text, data)
    except (RuntimeError, ValueError):
        return None
    found: dict[str, Cause] = {}
    hits: dict[str, int] = {}
    points = bad = 0
    with collecting_failures() as unsolved:
        for q, latents in _starts(instance, density, inits):
            points += 1
            last = q, latents
            here = list(find_causes(instance, latents))
            bad += bool(here)
            for cause in here:
                hits[cause.term.name] = hits.get(cause.term.name, 0) + 1
                found.setdefault(cause.term.name, cause)
    if points and bad == points:  # at every start; the term that is at fault most often
        cause = found[max(hits, key=hits.__getitem__)]
        if unsolved:
            told = equations.unsolved_error(unsolved[0], cause.place)
            return messages.cannot_start(told.what.rstrip("."), hits[cause.term.name], points, told.remedy, cause.place)
        return messages.cannot_start(cause.fact, hits[cause.term.name], points, cause.remedy, cause.place)
    where, steep = _steep(instance, density, *last) if points else (None, None)
    if steep is not None or where is None or certain:
        return steep
    title = where.law.distribution.title
    return messages.steep(where.name, title, "", "", "", instance.graph.place_of(where))


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
            return term, _describe_steep(instance, term, evaluator_at(instance, latents))
    return None, None


def _finite(density: StanDensity, q: np.ndarray) -> bool:
    try:
        value, gradient = density.log_density_gradient(q)
    except (RuntimeError, ValueError):
        return True  # a refusal has its own words
    return bool(np.isfinite(value) and np.isfinite(gradient).all())


def _describe_steep(instance: Instance, term: Term, evaluator: Evaluator) -> ScistanError | None:
    """Point at the first observation with an argument at the end of its range, where slopes are infinite."""
    d: Distribution = term.law.distribution
    place, events = instance.graph.place_of(term), np.asarray(evaluator[pointwise(term)].array)
    for p, node in zip(d.parameters, term.law.args, strict=True):
        array = np.asarray(evaluator[node].array)
        if p.domain.event_rank or term.law.constraint is not None:
            continue
        bounds = [float(b) for b in (p.domain.lower, p.domain.upper) if isinstance(b, int | float)]
        ends = ~np.isfinite(array) | np.isin(array, bounds)
        if ends.any():
            at = tuple(int(i) for i in np.argwhere(np.broadcast_to(ends, events.shape))[0])
            given = f"`{p.name}` = {shown(part_of(evaluator[node], len(node.shape), 0, at))}"
            return messages.steep(term.name, d.title, *_details(term, at, evaluator), given, place)
    return None


def _details(term: Term, at: tuple[int, ...], evaluator: Evaluator) -> tuple[str, str]:
    """Say which event it is, and its value and arguments."""
    d: Distribution = term.law.distribution
    said = []
    for p, node in zip(d.parameters, term.law.args, strict=True):
        tied = min(len(node.shape), int(term.law.constraint is not None))
        part = part_of(evaluator[node], len(node.shape), p.domain.event_rank or tied, at)
        said.append(f"{p.name} = {shown(part)}")
    value = shown(part_of(evaluator[term.value], len(term.law.shape), term.law.event_rank, at))
    where = f"[{', '.join(map(str, at))}]" if at else ""
    return where, f"at the value {value}" + (f" with {', '.join(said)}" if said else "")
