"""`m.log_density`: the joint log density at named, constrained values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

from scistan.distributions.resolve import value_domain
from scistan.distributions.rule import pieces_of
from scistan.graph.beside import labels_beside, order_beside
from scistan.graph.graph import Graph, Term
from scistan.graph.instance import Instance
from scistan.graph.labels import Labels, LabelsDiffer, order_of
from scistan.graph.node import Node
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.inference.summed import summed
from scistan.messages import data as data_messages
from scistan.messages import inference as messages
from scistan.messages import model as model_messages
from scistan.messages import observations as observations_messages
from scistan.messages import transforms as transforms_messages
from scistan.ops.coerce import Labelled, read_array
from scistan.ops.expression import Expression
from scistan.ops.turn import turned
from scistan.passes.states import discrete_latents
from scistan.passes.vectorize import vectorize
from scistan.shapes import SizeConflict
from scistan.targets.unsolved import telling_failures

__all__ = ["check_complete", "idle_latents", "latent_values", "log_density"]


def log_density(instance: Instance, values: Mapping[str, object], target: str) -> float:
    """Give the joint log density at `values` with the target `"scipy"` or `"torch"`."""
    given = values if isinstance(values, Mapping) else {}
    instance = summed(instance, [name for name in given if isinstance(name, str)])
    check_complete(instance)
    latents = latent_values(instance, values)
    if not isinstance(target, str):
        raise messages.unknown_target(target)
    for term in discrete_latents(instance.graph):
        first = pieces_of(term)[0].law  # all elements of a series have its states
        if value_domain(first).violations(latents[term.value]).any():
            return -inf  # a state that is none, which may be no position either
    with telling_failures():
        if target == "scipy":
            from scistan.targets.scipy import joint_log_density

            return joint_log_density(instance, latents)
        if target == "torch":
            from scistan.targets.torch import joint_log_density as torch_log_density

            return torch_log_density(instance, latents)
    raise messages.unknown_target(target)


def latent_values(instance: Instance, values: Mapping[str, object]) -> dict[Node, np.ndarray]:
    """Match values to latents by name and check their shapes."""
    latents = {term.name: term for term in instance.graph.latents}
    if not isinstance(values, Mapping):
        raise messages.no_mapping("the values of the latents", values, "{'mu': 0.5}")
    for name in values:
        if name not in latents:
            raise messages.unknown_latent(name, latents)
    missing = [name for name in latents if name not in values]
    if missing:
        raise messages.missing_latents(missing)
    found: dict[Node, np.ndarray] = {}
    for name, term in latents.items():
        if isinstance(values[name], Expression):
            raise transforms_messages.traced_latent(name)
        labelled = _named(read_array(values[name], name), name, instance.dims.get(name, ()))
        array = labelled.values.astype(float)
        expected = instance.shape(term.law.shape)
        if array.shape != expected:
            raise observations_messages.data_shape(name, expected, array.shape)
        found[term.value] = _in_order(instance, term, array, labelled.labels)
    return found


def _named(labelled: Labelled, name: str, dims: Sequence[str]) -> Labelled:
    """Put axes that are known by name into the model's order; some known and others strange are refused."""
    found = turned(labelled, name, dims)
    own = found.dims or ()
    if None not in own and set(own) & set(dims) and tuple(own) != tuple(dims):
        raise data_messages.dims_differ(name, dims, own)
    return found


def _in_order(
    instance: Instance, term: Term, array: np.ndarray, labels: tuple[Labels | None, ...]
) -> np.ndarray:
    """Put labelled values into the order that the model has along each axis, or the data beside it."""
    beside = labels_beside(instance) if any(own is not None and not own.implied for own in labels) else {}
    dims = instance.dims.get(term.name, ("",) * array.ndim)
    for axis, own in enumerate(labels):
        if own is None or own.implied:
            continue
        dim, size = dims[axis], term.law.shape[axis]
        named = instance.coords.get(dim)
        dim, known = (dim, Labels(named)) if named is not None else beside.get(instance.table.reduce(size), ("", None))
        try:
            order = None if known is None else order_of(known, own) if named is not None else order_beside(known, own)
        except LabelsDiffer as differ:
            raise data_messages.labels_differ(term.name, dim, "", differ, False, None) from None
        array = array if order is None else np.take(array, order, axis=axis)
    return array


def check_complete(instance: Instance) -> None:
    """Refuse a model with promised data that never came, or with latents that nothing uses."""
    if instance.missing:
        raise observations_messages.missing_values(instance.missing)
    graph = instance.graph if instance.whole is None else instance.whole.graph
    if not graph.observed:
        return
    idle = [term for term in idle_latents(graph) if term.name not in instance.idle]
    if idle:
        raise model_messages.unused_latents([t.name for t in idle], [first_place(t.value) for t in idle])
    _check_loops(instance)


def idle_latents(graph: Graph) -> list[Term]:
    """List the latents that nothing uses."""
    used = set(topological([node for term in graph.terms for node in term.law.inputs] + list(graph.derived.values())))
    return [term for term in graph.latents if term.value not in used]


def _check_loops(instance: Instance) -> None:
    """Refuse data that outgrew a loop: its terms run along an axis that they no longer fill."""
    if len(instance.graph.observed) == 1:
        return
    try:
        instance.on(vectorize(instance.graph))
    except SizeConflict:
        names = [t.name for t in instance.graph.observed]
        raise observations_messages.outgrown_loop(names) from None
