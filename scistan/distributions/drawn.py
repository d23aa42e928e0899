"""`ss.Normal(m.mu, m.tau).draw()`: a random draw as a derived quantity, one for every draw of what it depends on."""

from __future__ import annotations

from typing import Any

from scistan.distributions.declaration import REGISTRY
from scistan.errors import InternalError
from scistan.graph.graph import Law
from scistan.graph.node import Apply, Node
from scistan.ops.declaration import Attributes, Gap, Never, declare
from scistan.shapes import Equality, Shape

__all__ = ["DRAWN", "law_of", "node_of"]


def _shape(_: tuple[Shape, ...], attributes: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
    shape: Any = attributes["inner"]
    tied: Any = attributes["tied"]
    return shape, tied


def _elsewhere(*_: Any, **__: Any) -> Any:
    raise InternalError("a random draw is made by SciPy, for draws of what it depends on")


DRAWN = declare(
    "drawn", "A random draw from a distribution.", arity=None, shape=_shape, public=False, binds=True, random=True,
    numpy="scistan.targets.scipy.derived_draws:draw", torch=_elsewhere,
    jax=Gap("random draws that follow from others are made by SciPy"),
    gradient=Never("a random draw has no slope"),
)  # fmt: skip


def node_of(name: str, law: Law) -> Apply:
    """Give the draw that a model calls `name`: two of one law are two."""
    return DRAWN.build(law.inputs, {
        "name": name, "distribution": law.distribution.name, "inner": law.shape, "tied": law.equalities,
        "has_lower": law.lower is not None, "has_upper": law.upper is not None, "constraint": law.constraint or "",
    })  # fmt: skip


def law_of(node: Apply) -> tuple[str, Law]:
    """Give the name of a draw, and what it is drawn from."""
    held: dict[str, Any] = dict(node.attributes)
    bounds: list[Node] = list(node.args[len(node.args) - held["has_lower"] - held["has_upper"] :])
    lower, upper = (bounds.pop(0) if held[side] else None for side in ("has_lower", "has_upper"))
    args = node.args[: len(node.args) - held["has_lower"] - held["has_upper"]]
    return held["name"], Law(
        REGISTRY[held["distribution"]], args, held["inner"], lower, upper, held["constraint"] or None,
        equalities=held["tied"],
    )  # fmt: skip
