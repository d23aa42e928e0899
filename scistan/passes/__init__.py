"""From graph to graph: each pass keeps the log density and is idempotent; the order and its reasons are here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.messages import inference as messages
from scistan.passes.equal_rows import merge_equal_rows
from scistan.passes.factor import use_cholesky_forms
from scistan.passes.gather import gather_predictors
from scistan.passes.glm import fuse_glm
from scistan.passes.lists import gather_lists
from scistan.passes.noncenter import noncenter
from scistan.passes.stable import use_stable_forms
from scistan.passes.sufficient import use_sufficient_statistics
from scistan.passes.vectorize import vectorize
from scistan.profiling import stage, staged

__all__ = ["DATA_PASSES", "PASSES", "DataPass", "Pass", "Stages", "run_data_passes", "run_passes", "trace_passes"]

Numbers = Callable[[Node], np.ndarray]


@dataclass(frozen=True, slots=True)
class Pass:
    """A rewriting of graphs with its name and the reason for its place."""

    name: str
    reason: str
    run: Callable[[Graph], Graph]


@dataclass(frozen=True, slots=True)
class DataPass:
    """A rewriting that looks at the data, so that the program it leads to is one for these data alone."""

    name: str
    reason: str
    run: Callable[[Instance, Numbers], Instance]


# Made before all others, and only where the program is run once and thrown away: executables serve any data.
DATA_PASSES = (
    DataPass("equal_rows", "first: what is merged is fewer rows for every later pass", merge_equal_rows),
)
PASSES = (
    Pass("stable_forms", "first: later passes look for the forms it makes, such as a logit", use_stable_forms),
    Pass("vectorize", "before what looks at vectors: a loop of scalars becomes one", vectorize),
    Pass("lists", "behind it: what a loop of observations shares is gathered with them", gather_lists),
    Pass("cholesky", "before non-centring, which measures vectors by the Cholesky factor", use_cholesky_forms),
    Pass("noncenter", "before fusion: it looks at location and scale as the user wrote them", noncenter),
    Pass("gather", "before fusion, which looks for one product; behind vectorize: it makes columns", gather_predictors),
    Pass("glm", "a fused term hides its linear predictor, so nothing that reads it may follow", fuse_glm),
    Pass("sufficient_statistics", "last: it takes what no GLM form took", use_sufficient_statistics),
)
_FUSING = ("gather", "glm", "sufficient_statistics")


@dataclass(frozen=True, slots=True)
class Stages:
    """The graph before fusion, from which observations are predicted, and after it, which gives the density."""

    plain: Graph
    fused: Graph


@staged("passes")
def run_passes(graph: Graph, **switches: bool) -> Stages:
    """Run every pass that is not switched off, in order."""
    graph = graph.without_draws()
    plain = fused = graph
    for step, _, after in trace_passes(graph, **switches):
        if step.name not in _FUSING:
            plain = after
        fused = after
    return Stages(plain, fused)


@staged("data passes")
def run_data_passes(instance: Instance, numbers: Numbers) -> Instance:
    """Run the passes that look at data; `numbers` gives the value of a node without latents."""
    for step in DATA_PASSES:
        with stage(step.name):
            instance = step.run(instance, numbers)
    return instance


def trace_passes(graph: Graph, **switches: bool) -> Iterator[tuple[Pass, Graph, Graph]]:
    """Run the passes and show the graph before and after each that is not switched off."""
    known = [step.name for step in PASSES]
    for name in switches:
        if name not in known:
            raise messages.unknown_pass(name, known)
    for step in PASSES:
        if switches.get(step.name, True):
            with stage(step.name):
                after = step.run(graph)
            yield step, graph, after
            graph = after
