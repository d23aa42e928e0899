"""What the types of vectors ask of distributions: which arguments all elements of a vector share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scistan.graph.node import Node
from scistan.ops.expression import Expression
from scistan.shapes import ONE

if TYPE_CHECKING:
    from scistan.distributions.declaration import Distribution

__all__ = ["always_matters", "is_common", "of_each"]


def is_common(node: Node) -> bool:
    """Tell whether an argument is the same for all elements of a vector."""
    return not node.shape or node.shape[-1] == ONE


def of_each(node: Node) -> Expression:
    """Give an argument once for each vector where its elements share it, else element by element."""
    whole = Expression(node)
    return whole[..., 0] if node.shape and is_common(node) else whole


def always_matters(d: Distribution, parameter: str, node: Node) -> bool:
    """Let an unknown normalizer depend on every argument."""
    return True
