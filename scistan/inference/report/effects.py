"""Which latents multiply which data in the predictors of the observations: coefficients, as the model has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scistan.graph.graph import Graph
from scistan.graph.node import Apply, Data, Literal, Node, Variable
from scistan.graph.walk import topological

__all__ = ["Coefficient", "coefficients"]

_MOST = 200


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A latent that multiplies data on the way to an observed variable.

    `through` are the functions between the sum and the distribution's argument, outermost first; `exact` tells whether
    it multiplies the data as they are, or an expression of them.
    """

    latent: str
    data: tuple[str, ...]
    observed: str
    argument: str
    through: tuple[str, ...]
    negative: bool
    exact: bool


def coefficients(graph: Graph) -> list[Coefficient]:
    """List the coefficients of every observed variable's arguments, each once."""
    names = {term.value: term.name for term in graph.latents}
    fixed = _without_latents(graph)
    found: dict[Coefficient, None] = {}
    for term in graph.observed:
        for parameter, argument in zip(term.law.distribution.parameters, term.law.args, strict=True):
            for latent, data, through, negative in _products(argument, fixed):
                leaves = [n for n in topological(data) if isinstance(n, Data)]
                used = tuple(dict.fromkeys(graph.data_names[n] for n in leaves if n in graph.data_names))
                if used and latent in names:
                    exact = len(data) == 1 and isinstance(data[0], Data)
                    own = Coefficient(names[latent], used, term.name, parameter.name, through, negative, exact)
                    found[own] = None
                if len(found) >= _MOST:
                    return list(found)
    return list(found)


def _without_latents(graph: Graph) -> set[Node]:
    fixed: set[Node] = set()
    for node in graph.nodes:  # arguments come before their users
        if not isinstance(node, Variable) and all(arg in fixed for arg in node.args):
            fixed.add(node)
    return fixed


def _products(root: Node, fixed: set[Node]) -> Iterator[tuple[Node, list[Node], tuple[str, ...], bool]]:
    """Give each latent that multiplies data in a sum: it, its factors, what the sum goes through, and the sign."""
    through: tuple[str, ...] = ()
    node = root
    while isinstance(node, Apply) and len(node.args) == 1 and node.op.name not in _SUMS | {"negative", "sum"}:
        through, node = (*through, node.op.name), node.args[0]
    waiting = [(node, False)]
    while waiting:
        node, negative = waiting.pop()
        if node in fixed or not isinstance(node, Apply):
            continue
        name = node.op.name
        if name == "negative":
            waiting.append((node.args[0], not negative))
        elif name in _SUMS:
            waiting.append((node.args[1], negative != (name == "subtract")))
            waiting.append((node.args[0], negative))
        else:
            split = _factors(node, fixed)
            if split is not None:
                latents, data, sign = split
                if len(latents) == 1 and data:
                    yield latents[0], data, through, negative != sign


_SUMS = {"add", "subtract"}


def _factors(root: Node, fixed: set[Node]) -> tuple[list[Node], list[Node], bool] | None:
    """Take a product apart into latents and what holds none; None where something else is in it."""
    latents: list[Node] = []
    data: list[Node] = []
    negative = False
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        name = node.op.name if isinstance(node, Apply) else ""
        if node in fixed:
            if isinstance(node, Literal):
                negative ^= node.value < 0
            data.append(node)
        elif isinstance(node, Variable):
            latents.append(node)
        elif name in ("multiply", "matmul") or (name == "divide" and node.args[1] in fixed):
            waiting += node.args
        elif name == "negative":
            negative = not negative
            waiting += node.args
        elif name in ("index", "sum", "transpose", "broadcast_to"):
            waiting.append(node.args[0])  # which of them, or all of them: positions are no factors
        else:
            return None
    return latents, data, negative
