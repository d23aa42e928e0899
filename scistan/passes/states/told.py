"""What is said of discrete latents that were summed out, and at what cost."""

from __future__ import annotations

import math

from scistan.graph.instance import Instance
from scistan.messages import states as messages

__all__ = ["told_of_states"]


def told_of_states(instance: Instance) -> tuple[str, ...]:
    """Tell of each latent that was summed out: how many states it has, of how many rows, and the cells of its table."""
    found = []
    for group in instance.summed:
        for step in group.steps:
            one = step.hidden
            states = instance.length(one.size)
            rows = [instance.length(one.variable.shape[axis]) for axis in one.plates]
            cells = math.prod(instance.shape(step.table.shape))
            others = tuple(other.name for other in step.others)
            elements = math.prod(instance.length(one.variable.shape[axis]) for axis in one.joint) if one.joint else 0
            kind = group.pointwise, group.ahead
            found.append(messages.told(one.name, states, rows, others, cells, elements, group.children, *kind))
    return tuple(found)
