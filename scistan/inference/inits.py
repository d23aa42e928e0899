"""Starting values for the chains: from the prior, an estimate, a fit, numbers, Pathfinder, or left to Stan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scistan.distributions.resolve import value_domain
from scistan.engines.data_file import DataText
from scistan.engines.encoding import to_json
from scistan.engines.pathfinder import pathfinder_points
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.inference.density import latent_values
from scistan.inference.summed import as_written
from scistan.messages import sampling as messages
from scistan.ops.coerce import read_any
from scistan.profiling import staged
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import ancestral_draws
from scistan.targets.scipy.evaluate import NUMPY
from scistan.targets.stan.program import StanProgram

__all__ = ["given_points", "starting_values"]

Point = Mapping[str, Any]


@staged("starts")
def starting_values(
    instance: Instance,
    program: StanProgram,
    inits: object,
    chains: int,
    seed: int,
    data: DataText,
    *,
    plain: bool = False,
) -> tuple[str, ...] | None:
    """Give each chain's start as the program's parameters in JSON; None leaves it to Stan's uniform draws.

    `plain` ones are the latents' values themselves, for an engine that runs no Stan program.
    """
    if inits is None:
        return None
    from_pathfinder = isinstance(inits, str) and inits == "pathfinder"
    if from_pathfinder:
        given: Sequence[Point] = pathfinder_points(program.text, data, chains, seed)
    else:
        given = given_points(instance, inits, chains, seed)
    if len(given) != chains:
        raise messages.inits_count(len(given), chains)
    fill = _Prior(as_written(instance) if instance.integrated else instance, chains, seed)
    names = [t.name for t in instance.graph.latents]
    gone = {name for made in instance.integrated for name in made.names}  # what has no start, for it is not sampled
    starts = []
    for chain, every in enumerate(given):
        point = {n: value for n, value in every.items() if n not in gone}
        whole = {**{n: fill(n, chain) for n in names if n not in point}, **point}
        _check_finite(point)
        wanted = {n: whole[n] for n in whole if n in names} if from_pathfinder else whole
        values = latent_values(instance, wanted)
        _check_support(instance, values)
        named = {t.name: np.asarray(values[t.value]) for t in instance.graph.latents}
        starts.append(to_json(named if plain else program.inits(named, instance)))
    return tuple(starts)


class _Prior:
    """Draws of the prior for what the user left open; made when first asked for."""

    def __init__(self, instance: Instance, chains: int, seed: int) -> None:
        self._make: Callable[[], dict[str, np.ndarray]] = lambda: ancestral_draws(instance, chains, seed)[0]
        self._drawn: dict[str, np.ndarray] | None = None

    def __call__(self, name: str, chain: int) -> np.ndarray:
        if self._drawn is None:
            self._drawn = self._make()
        found: np.ndarray = np.asarray(self._drawn[name][chain])
        return found


def given_points(instance: Instance, inits: object, chains: int, seed: int) -> Sequence[Point]:
    """Read where to start: a point for each chain, of the latents that were given."""
    names = [t.name for t in instance.graph.latents]
    if isinstance(inits, str):
        if inits != "prior":
            raise messages.unknown_inits(inits)
        return [{} for _ in range(chains)]
    posterior = getattr(inits, "posterior", None)
    if hasattr(posterior, "data_vars"):  # InferenceData: its arrays have labels
        return _from_dataset(posterior, names, chains, seed)
    if isinstance(inits, Mapping):
        return [inits] * chains
    if isinstance(posterior, Mapping):
        drawn = _from_draws({n: posterior[n] for n in names if n in posterior}, chains, seed)
        return [{n: _labelled(inits, n, v) for n, v in point.items()} for point in drawn]
    estimate = getattr(inits, "values", None)
    if isinstance(estimate, Mapping):
        return [{n: _labelled(inits, n, v) for n, v in estimate.items() if n in names}] * chains
    if isinstance(inits, list | tuple) and inits and all(isinstance(point, Mapping) for point in inits):
        return inits
    raise messages.unknown_inits(inits)


def _from_dataset(posterior: Any, names: Sequence[str], chains: int, seed: int) -> list[Point]:
    """Take a draw for each chain from a group of InferenceData."""
    shape = posterior.sizes["chain"], posterior.sizes["draw"]
    picks = _picks(*shape, chains, seed)
    return [{n: posterior[n][{"chain": c, "draw": d}] for n in names if n in posterior} for c, d in picks]


def _labelled(source: Any, name: str, value: np.ndarray) -> Any:
    """Give the labels that a fit or an estimate has to its values, so that they are matched by label."""
    import xarray as xr

    dims = tuple(source.dims.get(name, ()))
    if len(dims) != np.ndim(value) or len(set(dims)) < len(dims):
        return value
    known = zip(dims, np.shape(value), strict=True)
    coords = {dim: source.coords[dim] for dim, n in known if len(source.coords.get(dim, ())) == n}
    return xr.DataArray(value, dims=dims, coords=coords)


def _from_draws(posterior: Mapping[str, np.ndarray], chains: int, seed: int) -> list[Point]:
    """Take a draw for each chain, from as many different chains as there are."""
    had, draws = next(iter(posterior.values())).shape[:2] if posterior else (1, 1)
    picks = _picks(had, draws, chains, seed)
    return [{name: array[pick] for name, array in posterior.items()} for pick in picks]


def _picks(had: int, draws: int, chains: int, seed: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng([seed, chains])
    return [(k % had, int(rng.integers(draws))) for k in range(chains)]


def _check_finite(point: Point) -> None:
    for name, value in point.items():
        if isinstance(value, str):
            raise messages.init_outside(name, "", value, "a number")
        array = read_any(value).values
        if array.dtype.kind not in "iuf":
            continue  # told where values are read
        bad = ~np.isfinite(array)
        if bad.any():
            raise messages.init_outside(name, _index(bad), float(array[bad][0]), "finite")


def _check_support(instance: Instance, values: Mapping[Node, np.ndarray]) -> None:
    """Refuse a start outside a variable's support, bounds that depend on other variables included."""
    evaluator = Evaluator(instance, NUMPY)
    for leaf, array in values.items():
        evaluator.set(leaf, array, batched=False)
    for term in instance.graph.latents:
        value = values[term.value]
        domain = value_domain(term.law)
        bad = np.asarray(domain.violations(value))
        for bound, beyond in ((domain.lower, np.less), (domain.upper, np.greater)):
            if isinstance(bound, Node):
                bad = bad | beyond(value, evaluator[bound].array)
        if np.any(bad):
            raise _outside(term, value, bad, domain.words)


def _outside(term: Term, value: np.ndarray, bad: np.ndarray, words: str) -> Exception:
    at = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
    return messages.init_outside(term.name, _index(bad), float(np.ravel(value[at])[0]), words)


def _index(bad: np.ndarray) -> str:
    """Write where the first bad element is."""
    return f"[{', '.join(str(int(i)) for i in np.argwhere(bad)[0])}]" if bad.ndim else ""
