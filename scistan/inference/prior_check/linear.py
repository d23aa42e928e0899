"""What each predictor contributes to a linear predictor, in the prior: read from the graph, measured on the draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scistan.graph.graph import Term
from scistan.graph.node import Apply, Data, Node
from scistan.graph.walk import has_latents, leaves
from scistan.ops.declaration import Op
from scistan.targets.scipy.redraw import Drawn
from scistan.targets.values import Value

__all__ = ["Contribution", "contributions"]

_PRODUCTS = ("multiply", "divide")
_SIGNED = {"add": 2, "subtract": 2, "negative": 1}


@dataclass(frozen=True, slots=True)
class Contribution:
    """How much a predictor moves the rows, in the middle of the prior: the sd over rows, its median over draws."""

    predictor: str
    size: float


def contributions(drawn: Drawn, term: Term) -> list[Contribution]:
    """List the contributions of data to what a variable's arguments are computed from; none where nothing is added."""
    found: list[Contribution] = []
    with np.errstate(all="ignore"):
        for arg in term.law.args:
            for part in _summands(_predictor(arg)):
                found += _of_part(drawn, part)
    return [c for c in found if np.isfinite(c.size) and c.size > 0]


def _predictor(node: Node) -> Node:
    """Go down through links such as `exp` to what they are applied to."""
    while isinstance(node, Apply) and isinstance(node.op, Op) and node.op.elementwise and len(node.args) == 1:
        if node.op.name in _SIGNED:
            break
        node = node.args[0]
    return node


def _summands(node: Node) -> list[Node]:
    waiting, found = [node], []
    while waiting:
        part = waiting.pop()
        if isinstance(part, Apply) and part.op.name in _SIGNED:
            waiting += reversed(part.args)
        else:
            found.append(part)
    return found


def _of_part(drawn: Drawn, part: Node) -> list[Contribution]:
    if not isinstance(part, Apply) or not part.shape or not has_latents(part):
        return []
    if part.op.name == "matmul":
        return _of_columns(drawn, part)
    free = [arg for arg in part.args if not has_latents(arg)] if part.op.name in _PRODUCTS else []
    if not any(arg.shape for arg in free):
        return []
    return [Contribution(_called(drawn, free), _over_rows(drawn.evaluator[part]))]


def _of_columns(drawn: Drawn, part: Apply) -> list[Contribution]:
    """Take `x @ beta` apart: each column's sd, times its coefficient's size."""
    x, beta = part.args
    if has_latents(x) or len(x.shape) != 2 or len(beta.shape) != 1:
        return []
    table, coefficients = np.asarray(drawn.evaluator[x].array), drawn.evaluator[beta]
    sizes = np.abs(np.atleast_2d(coefficients.array))
    labels = _columns(drawn, x, table.shape[1])
    return [
        Contribution(label, float(np.median(sizes[:, k]) * np.std(table[:, k]))) for k, label in enumerate(labels)
    ]


def _columns(drawn: Drawn, x: Node, count: int) -> list[str]:
    name = _called(drawn, [x])
    dims = drawn.instance.dims.get(name, ())
    coords = drawn.instance.coords.get(dims[-1], []) if dims else []
    labels = [str(label) for label in coords] if len(coords) == count else [str(k) for k in range(count)]
    return [f"{name}[:, {label}]" for label in labels]


def _over_rows(value: Value) -> float:
    array = np.asarray(value.array, dtype=float)
    rows = array.reshape(len(array), -1) if value.batched else array.reshape(1, -1)
    return float(np.median(rows.std(axis=1)))


def _called(drawn: Drawn, nodes: list[Node]) -> str:
    names = drawn.instance.graph.data_names
    known = [names[leaf] for leaf in leaves(nodes) if isinstance(leaf, Data) and leaf in names]
    return " * ".join(dict.fromkeys(known)) or "data without a name"
