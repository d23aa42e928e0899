"""`m.explain(stage)`: what a model is at each stage on its way to draws, as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape

import numpy as np

from scistan.engines.encoding import to_json
from scistan.engines.registry import engines_at_hand
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.text import graph_text
from scistan.inference.summed import as_written
from scistan.messages import inference as messages
from scistan.passes import DATA_PASSES, PASSES, trace_passes
from scistan.targets.evaluate import Evaluator
from scistan.targets.stan.program import lower_to_stan
from scistan.targets.values import NUMPY

__all__ = ["STAGES", "ShownStage", "show_stage"]


@dataclass(frozen=True, slots=True)
class ShownStage:
    """A stage of the pipeline by its name, and what the model is there."""

    name: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


def show_stage(instance: Instance, stage: object, switches: Mapping[str, bool]) -> ShownStage:
    """Run the pipeline up to a stage and show what is there."""
    if not isinstance(stage, str) or stage not in STAGES:
        raise messages.unknown_stage(stage, STAGES)
    return ShownStage(stage, STAGES[stage](instance, switches))


def _graph(instance: Instance, switches: Mapping[str, bool]) -> str:
    return graph_text(as_written(instance).graph)


def _states(instance: Instance, switches: Mapping[str, bool]) -> str:
    return graph_text(instance.graph)


def _after_data_pass(name: str) -> Callable[[Instance, Mapping[str, bool]], str]:
    def show(instance: Instance, switches: Mapping[str, bool]) -> str:
        numbers = Evaluator(instance, NUMPY)
        for step in DATA_PASSES:
            instance = step.run(instance, lambda node: np.asarray(numbers[node].array))
            if step.name == name:
                break
        return graph_text(instance.graph)

    return show


def _after_pass(name: str) -> Callable[[Instance, Mapping[str, bool]], str]:
    def show(instance: Instance, switches: Mapping[str, bool]) -> str:
        last: Graph = instance.graph
        for step, _, after in trace_passes(instance.graph, **switches):
            last = after
            if step.name == name:
                break
        return graph_text(last)

    return show


def _program(instance: Instance, switches: Mapping[str, bool]) -> str:
    return lower_to_stan(instance.graph, **switches).text


def _data(instance: Instance, switches: Mapping[str, bool]) -> str:
    read = lower_to_stan(instance.graph, **switches).data(instance)
    lines = []
    for name, given in read.items():
        array = np.asarray(given)
        kind = "whole numbers" if array.dtype.kind in "biu" else "reals"
        shape = " × ".join(map(str, array.shape))
        shown = np.array2string(array.ravel()[:6], precision=4, separator=", ").strip("[]")
        more = ", …" if array.size > 6 else ""
        lines.append(f"{name} = {array}" if array.ndim == 0 else f"{name}: {shape} {kind}, {shown}{more}")
    return "\n".join(lines) or "the program reads no data"


def _request(instance: Instance, switches: Mapping[str, bool]) -> str:
    program = lower_to_stan(instance.graph, **switches)
    latents = [f"{t.name} {_shape(instance, t.name)}".strip() for t in instance.graph.latents]
    return "\n".join(
        [
            f"program: {len(program.text.splitlines())} lines",
            f"data: {len(to_json(program.data(instance)))} bytes of JSON",
            f"latents: {', '.join(latents) or 'none'}",
            f"engines at hand: {', '.join(engines_at_hand())}",
            "starts: the engine's own, unless `inits=` gives some",
            "draws, warmup, chains, seed and options: as given to `m.mcmc`",
        ]
    )


def _shape(instance: Instance, name: str) -> str:
    shape = next(instance.shape(t.law.shape) for t in instance.graph.latents if t.name == name)
    return f"[{', '.join(map(str, shape))}]" if shape else ""


STAGES: dict[str, Callable[[Instance, Mapping[str, bool]], str]] = {
    "graph": _graph,
    "states": _states,
    **{step.name: _after_data_pass(step.name) for step in DATA_PASSES},
    **{step.name: _after_pass(step.name) for step in PASSES},
    "program": _program,
    "data": _data,
    "request": _request,
}
"""The stages in order: the model as written, after each pass, and what an engine is given."""
