"""Where an expression breaks: the op whose arguments are fine and whose result is not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scistan.graph.node import Apply, Node
from scistan.graph.walk import has_latents
from scistan.inference.elements import matrix_fault, shown
from scistan.messages import causes as messages
from scistan.ops.declaration import Op
from scistan.targets.evaluate import Evaluator

__all__ = ["Breakage", "find_breakage"]


@dataclass(frozen=True, slots=True)
class Breakage:
    """An op that gives NaN or infinity, or that stops: with what it was given."""

    node: Apply
    op: Op
    given: tuple[np.ndarray, ...]
    result: np.ndarray | None  # None where it stops

    @property
    def raised(self) -> bool:
        return self.result is None

    @property
    def _called(self) -> str:
        return f"ss.{self.op.name}"

    @property
    def _leaves(self) -> bool:
        """Whether it was given what it does not take."""
        return self.op.takes is not None and bool(np.any(self.op.takes.violations(self.given[0])))

    @property
    def _divides_by_zero(self) -> bool:
        return self.op.name == "divide" and bool(self.given[1] == 0)

    @property
    def reason(self) -> str:
        """Say what the op was given and made of it."""
        listed = " and ".join(shown(part) for part in self.given)
        if self.op.takes is not None and (self._leaves or self.raised):
            given = (matrix_fault(self.given[0]) if self.op.takes.structure == "cov" else "") or shown(self.given[0])
            return messages.given_outside(self._called, self.op.takes.words, given)
        if self._divides_by_zero:
            return messages.divided_by_zero(shown(self.given[0]))
        if self.result is not None and np.isinf(self.result).any():
            return messages.overflows(self._called, listed)
        return messages.gives(self._called, listed, "nothing" if self.result is None else shown(self.result))

    def remedy(self, linked: str) -> str:
        """Say what to try; `linked` is the form of the family that takes the logarithm or the logit."""
        if self.op.takes is not None and (self._leaves or self.raised):
            return messages.within_op(f"`{self._called}`", self.op.takes)
        if self._divides_by_zero:
            return messages.away_from_zero(not has_latents(self.node.args[1]))
        if self.result is not None and np.isinf(self.result).any():
            return messages.smaller_numbers(linked if self.op.name == "exp" else "")
        return messages.look_at_expression()


def find_breakage(evaluator: Evaluator, root: Node) -> Breakage | None:
    """Go down from a value that is not finite to the first op whose arguments all are; None where it is finite."""
    node = root
    if not _is_broken(evaluator, node):
        return None
    while isinstance(node, Apply):
        below = next((arg for arg in node.args if _is_broken(evaluator, arg)), None)
        if below is None:
            break
        node = below
    if not isinstance(node, Apply) or not isinstance(node.op, Op):
        return None
    given = [np.asarray(evaluator[arg].array) for arg in node.args]
    try:
        result = np.asarray(evaluator[node].array)
    except np.linalg.LinAlgError:
        return Breakage(node, node.op, tuple(_first_matrix(g, node.op) for g in given), None)
    if not node.op.elementwise or not result.ndim:
        return Breakage(node, node.op, tuple(given), result)
    at = tuple(np.argwhere(~np.isfinite(result))[0])
    parts = tuple(np.asarray(np.broadcast_to(g, result.shape)[at]) for g in given)
    return Breakage(node, node.op, parts, np.asarray(result[at]))


def _first_matrix(given: np.ndarray, op: Op) -> np.ndarray:
    """Give the first matrix of a stack that an op does not take."""
    if op.takes is None or given.ndim <= op.takes.event_rank:
        return given
    flat = given.reshape(-1, *given.shape[-op.takes.event_rank :])
    bad = np.argwhere(op.takes.violations(flat))
    return np.asarray(flat[int(bad[0, 0]) if len(bad) else 0])


def _is_broken(evaluator: Evaluator, node: Node) -> bool:
    try:
        return not np.isfinite(np.asarray(evaluator[node].array, dtype=float)).all()
    except np.linalg.LinAlgError:
        return True
