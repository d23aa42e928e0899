"""Draw a series: element after element, each from the law that those before it give; all draws together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.distributions.rule import Rule, rule_of, taken_apart
from scistan.errors import InternalError
from scistan.graph.graph import Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.messages import series as messages
from scistan.targets.bound import runner_of
from scistan.targets.evaluate import Evaluator
from scistan.targets.ready_body import ReadyBody
from scistan.targets.scipy.arguments import check_drawn_arguments
from scistan.targets.scipy.plain_draws import draw_plain
from scistan.targets.values import NUMPY, Value, aligned

__all__ = ["draw_series"]


class _Running:
    """A series under way: its values so far, first axis draws, second axis time."""

    def __init__(self, instance: Instance, term: Term, draws: int, evaluator: Evaluator) -> None:
        rule = rule_of(term.law)
        if rule is None:
            raise InternalError(f"`{term.name}` is no series")
        self.rule: Rule = rule
        self.instance, self.term, self.draws, self.evaluator = instance, term, draws, evaluator
        self.taken = taken_apart(term.law)
        shape = instance.shape(term.law.shape)
        self.length, self.element = shape[0], shape[1:]
        self.values = np.empty((draws, *shape), dtype=np.int64 if rule.element.discrete else float)
        self.over = [evaluator[node] for node in self.taken.over]
        self.free = [evaluator[node] for node in self.taken.free]
        flags = [True] * (rule.states + len(rule.lags)) + [v.batched for v in (*self.over, *self.free)]
        self.steps = ReadyBody(instance, NUMPY, rule.body, flags, runner_of)
        self.states = [self._wide(evaluator[node]) for node in self.taken.states]

    def _wide(self, value: Value) -> np.ndarray:
        array = np.asarray(value.array)
        return array if value.batched else np.broadcast_to(array, (self.draws, *array.shape))

    def start(self, rng: np.random.Generator, known: int) -> None:
        """Draw the first elements that are not known."""
        for k, (d, args) in enumerate(zip(self.rule.starts, self.taken.starts, strict=True)):
            if k >= known:
                values = [self.evaluator[node] for node in args]
                self.values[:, k] = self._drawn(rng, d, args, values)

    def advance(self, t: int) -> list[Value]:
        """Let the state be that of time `t`, and give the arguments of its element."""
        rule = self.rule
        before = [self.values[:, t - k] for k in rule.lags]
        over = [v.array[:, t] if v.batched else v.array[t] for v in self.over]
        results = self.steps.results([*self.states, *before, *over, *(v.array for v in self.free)])
        pairs = [Value(array, own) for array, own in zip(results, self.steps.over_draws, strict=True)]
        self.states = [self._wide(value) for value in pairs[: rule.states]]
        return pairs[rule.states :]

    def draw(self, rng: np.random.Generator, t: int) -> None:
        """Draw the element at time `t`."""
        nodes = self.rule.body.results[self.rule.states :]
        self.values[:, t] = self._drawn(rng, self.rule.element, nodes, self.advance(t))

    def _drawn(
        self, rng: np.random.Generator, d: Distribution, nodes: tuple[Node, ...], values: list[Value]
    ) -> np.ndarray:
        size = (self.draws, *self.element[: len(self.element) - d.event_rank])
        args = [
            aligned(value, len(node.shape), len(size) - 1 + p.domain.event_rank)
            for value, node, p in zip(values, nodes, d.parameters, strict=True)
        ]
        element = replace(self.term, law=Law(d, nodes, self.term.law.shape[1:]))
        check_drawn_arguments(self.instance.graph, element, dict(zip(nodes, values, strict=True)), args)
        return draw_plain(rng, size, self.element[len(size) - 1 :], element, args)


def draw_series(
    instance: Instance, term: Term, draws: int, rng: np.random.Generator, evaluator: Evaluator,
    known: np.ndarray | None = None,
) -> np.ndarray:
    """Draw a series for every draw of its arguments; what is `known`, its first elements, is kept and gone on from.

    Elements that are conditioned on are what was observed.
    """
    running = _Running(instance, term, draws, evaluator)
    first = 0
    if known is not None:
        first = known.shape[1]
        running.values[:, :first] = known
    elif running.rule.given:
        first = running.rule.given
        if term.value not in instance.values:
            raise messages.nothing_given(term.name)
        running.values[:, :first] = instance.values[term.value][:first]  # type: ignore[index]
    running.start(rng, first)
    for t in range(running.rule.lead, running.length):
        if t < first:
            running.advance(t)
        else:
            running.draw(rng, t)
    return running.values
