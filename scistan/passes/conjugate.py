"""Latents whose distribution given all else is of their prior's own family: told to the user, from the graph alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scistan.graph.graph import Graph, Term
from scistan.graph.node import Apply, Literal, Node
from scistan.graph.walk import topological
from scistan.messages import model as messages

__all__ = ["Conjugacy", "conjugacies"]


@dataclass(frozen=True, slots=True)
class Conjugacy:
    """A latent, the terms that it is an argument of, and what its family's parameters become given all else."""

    latent: str
    family: str
    terms: tuple[str, ...]
    posterior: str

    def __str__(self) -> str:
        return messages.conjugate(self.latent, self.family, self.terms, self.posterior)


# prior's family, the likelihood's, and the parameter that the latent is -> the parameters given all else; sums run over
# the observations that share an element of the latent.
_PAIRS: dict[tuple[str, str, str], str] = {
    ("Normal", "Normal", "mu"): "precision 1/sigma0² + Σ 1/sigma², mean (mu0/sigma0² + Σ y/sigma²) / precision",
    ("Beta", "Bernoulli", "theta"): "alpha + Σ y, beta + Σ (1 - y)",
    ("Beta", "Binomial", "theta"): "alpha + Σ y, beta + Σ (N - y)",
    ("Gamma", "Poisson", "lambda_"): "alpha + Σ y, beta + n",
    ("Gamma", "Exponential", "beta"): "alpha + n, beta + Σ y",
    ("Dirichlet", "Categorical", "theta"): "alpha + the count of each outcome",
    ("Dirichlet", "Multinomial", "theta"): "alpha + Σ y",
    ("InvGamma", "Normal", "sigma²"): "alpha + n/2, beta + Σ (y - mu)²/2",
}
_MOVES = frozenset({"index", "broadcast_to", "reshape", "transpose"})
_WHOLE = frozenset({"Dirichlet"})  # its elements belong together, so it must be the argument as it is


def conjugacies(graph: Graph) -> tuple[Conjugacy, ...]:
    """Find the latents that are conjugate to every term that depends on them."""
    return tuple(found for term in graph.latents if (found := _conjugacy(graph, term)) is not None)


def _conjugacy(graph: Graph, latent: Term) -> Conjugacy | None:
    law = latent.law
    if law.truncated or law.constraint is not None:
        return None
    users = [term for term in graph.terms if latent.value in topological(list(term.law.inputs))]
    roles = [_role(latent, term) for term in users]
    told = list(dict.fromkeys(role for role in roles if role))
    if not users or not all(roles) or len(told) > 1:
        return None
    return Conjugacy(latent.name, law.distribution.title, tuple(term.name for term in users), told[0])


def _role(latent: Term, term: Term) -> str:
    """Give what a term makes of the latent's family; an empty text where it leads out of it."""
    law = term.law
    if law.truncated or law.constraint is not None:
        return ""
    reads = [(p.name, arg) for p, arg in zip(law.distribution.parameters, law.args, strict=True)
             if latent.value in topological([arg])]
    if len(reads) != 1:
        return ""
    name, arg = reads[0]
    family = latent.law.distribution.name
    for parameter, bare in _readings(name, arg):
        moved = bare if family in _WHOLE else _unmoved(bare)
        if moved is latent.value:
            return _PAIRS.get((family, law.distribution.name, parameter), "")
    return ""


def _readings(name: str, arg: Node) -> Iterator[tuple[str, Node]]:
    """Give the parameter as it is and, of a standard deviation that is a square root, the variance."""
    yield name, arg
    inner = _unmoved(arg)
    if name == "sigma" and isinstance(inner, Apply) and _is_root(inner):
        yield "sigma²", inner.args[0]


def _is_root(node: Apply) -> bool:
    half = node.args[-1]
    return node.op.name == "sqrt" or (node.op.name == "power" and isinstance(half, Literal) and half.value == 0.5)


def _unmoved(node: Node) -> Node:
    """Look through ops that move elements: each observation still reads one element."""
    while isinstance(node, Apply) and node.op.name in _MOVES:
        node = node.args[0]
    return node
