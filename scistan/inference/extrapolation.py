"""What new inputs are beside those of the fit: which were given, which stayed, and which lie far outside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Data, is_applied
from scistan.graph.walk import topological
from scistan.inference.replaced import changed_data

__all__ = ["Far", "data_given", "far_outside"]

# Beyond the fitted range by more than its own width: there a model that fits well says little.
FAR = 1.0


@dataclass(frozen=True, slots=True)
class Far:
    """Values of one variable that lie far outside the range it was fitted on."""

    name: str
    count: int
    total: int
    least: float
    most: float
    worst: float


def data_given(fitted: Instance, instance: Instance) -> tuple[list[str], list[str]]:
    """List the named data that are not those of the fit, and those that are; what is observed is neither."""
    changed = set(changed_data(fitted, instance))
    observed = {t.value for t in instance.graph.observed}
    named = [(leaf, name) for leaf, name in instance.graph.data_names.items() if leaf not in observed]
    return [name for leaf, name in named if leaf in changed], [name for leaf, name in named if leaf not in changed]


def far_outside(fitted: Instance, instance: Instance) -> list[Far]:
    """Find new values far outside the fitted range, column by column of a table; positions are no such values."""
    positions = _positions(instance)
    found = []
    for leaf, name in instance.graph.data_names.items():
        old, new = fitted.values.get(leaf), instance.values.get(leaf)
        if old is None or new is None or old is new or leaf in positions or not old.size or not new.size:
            continue
        columns = old.ndim == new.ndim == 2 and old.shape[1] == new.shape[1]
        axis = 0 if columns else None
        least, most = old.min(axis=axis), old.max(axis=axis)
        width = np.maximum(most - least, 0)
        beyond = (new < least - FAR * width) | (new > most + FAR * width)
        if beyond.any():
            at = tuple(int(k) for k in np.argwhere(beyond)[0]) if new.ndim else ()
            column = at[1] if columns else ()
            ends = float(np.asarray(least)[column]), float(np.asarray(most)[column])
            found.append(Far(name, int(beyond.sum()), new.size, *ends, float(new[at])))
    return found


def _positions(instance: Instance) -> set[Data]:
    """List the data that are positions, or from which positions are computed."""
    indices = [node for node in instance.graph.nodes if is_applied(node, "index") or is_applied(node, "pick")]
    below = topological([position for node in indices for position in node.args[1:]])
    return {node for node in below if isinstance(node, Data)}
