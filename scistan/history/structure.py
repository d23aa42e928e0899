"""The structure of a model as a hash: what was learnt of one model serves others that are built alike."""

from __future__ import annotations

import hashlib

from scistan.graph.graph import Graph
from scistan.graph.text import structure_text

__all__ = ["structure_of"]


def structure_of(graph: Graph) -> str:
    """Hash a graph without names, data, lengths and numbers written in it: ops, distributions and who uses whom."""
    return hashlib.sha256(structure_text(graph).encode()).hexdigest()[:16]
