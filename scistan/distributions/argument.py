"""What is given for a parameter of a distribution, as a node: checked against the parameter's domain."""

from __future__ import annotations

import numpy as np

from scistan.distributions.declaration import Distribution, Parameter, constant_value
from scistan.distributions.within import check_bare_latent
from scistan.graph.node import Node, extent
from scistan.graph.walk import has_latents
from scistan.messages import arguments as messages
from scistan.messages.values import as_given
from scistan.ops.coerce import as_node
from scistan.shapes import GIVEN, Size, values_of

__all__ = ["check_relation", "read_argument"]


def read_argument(d: Distribution, parameter: Parameter, value: object) -> Node:
    """Give an argument as a node; numbers outside the domain, and latents that can leave it, are refused."""
    name, domain = parameter.name, parameter.domain
    if domain.structure == "size":
        return _size_argument(d, name, value)
    node = as_node(value)
    numbers = constant_value(node)
    if len(node.shape) < domain.event_rank or (domain.square and node.shape[-1].today != node.shape[-2].today):
        shape = f"of shape {values_of(node.shape)}"
        raise messages.illegal_constant(d.title, name, domain.words, shape, d.signature)
    if domain.integer and d.stan.name and not node.integer and has_latents(node):
        raise messages.illegal_constant(d.title, name, domain.words, "computed from latents", d.signature)
    if numbers is not None:
        bad = domain.violations(numbers)
        if bad.any():
            event = numbers[np.unravel_index(int(np.argmax(bad)), bad.shape)] if bad.ndim else numbers
            shown = np.array2string(np.asarray(event), threshold=6)
            raise messages.illegal_constant(d.title, name, domain.words, shown, d.signature)
    check_bare_latent(d, parameter, node)
    return node


def check_relation(d: Distribution, nodes: tuple[Node, ...]) -> None:
    """Refuse numbers that break what must hold between parameters."""
    numbers = d.named(tuple(map(constant_value, nodes)))
    if d.relation is None or any(n is None for n in numbers.values()):
        return
    if not np.all(d.relation.holds(*numbers.values())):
        shown = np.array2string(np.asarray(numbers[d.relation.parameter]), threshold=6)
        raise messages.illegal_constant(d.title, d.relation.parameter, d.relation.words, shown, d.signature)


def _size_argument(d: Distribution, name: str, value: object) -> Node:
    if isinstance(value, Size):
        size = value
    elif isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1:
        size = Size.new(int(value), rank=GIVEN)
    else:
        raise messages.illegal_constant(d.title, name, "a whole number above 0", as_given(value), d.signature)
    return extent(size)
