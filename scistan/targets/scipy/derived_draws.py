"""Random draws that follow from others: one for every draw of what they depend on, by the stream of their name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.targets.drawing import Drawing
from scistan.targets.scipy.draws import draw_term
from scistan.targets.scipy.streams import stream
from scistan.targets.values import Value

__all__ = ["draw"]


def draw(instance: Instance, term: Term, values: Mapping[Node, Value], asked: Drawing) -> np.ndarray:
    """Draw once for each of the draws at hand."""
    lookup: Any = values
    return draw_term(instance, term, asked.draws, stream(asked.seed, term.name), lookup)
