"""Columns of tables at new inputs: where a sum runs over them, all that were fitted must be there."""

from __future__ import annotations

from scistan.graph.beside import labels_along
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.labels import Labels
from scistan.graph.node import Apply, Variable
from scistan.graph.walk import topological
from scistan.messages import prediction as messages
from scistan.ops.flow import lengths_combined
from scistan.shapes import Size

__all__ = ["check_columns"]


def check_columns(fitted: Instance, instance: Instance) -> None:
    """Refuse a table without columns that a latent was fitted for: a sum over the others means something else."""
    summed = _summed(instance)
    along = _latents_along(instance)
    for leaf, name in instance.graph.data_names.items():
        for dim, size in list(zip(instance.dims[name], leaf.shape, strict=True))[1:]:
            reduced_size = instance.table.reduce(size)
            if not size.terms or reduced_size not in summed or reduced_size not in along:
                continue
            before, after = fitted.length(size), instance.length(size)
            old, new = labels_along(fitted, dim, before), labels_along(instance, dim, after)
            if old is not None and new is not None and not (old.implied or new.implied):
                missing, unknown = _apart(old, new), _apart(new, old)
                if missing:
                    raise messages.columns_missing(name, along[reduced_size].name, missing, unknown)
            elif before != after:
                raise messages.other_columns(name, along[reduced_size].name, before, after)


def _apart(these: Labels, those: Labels) -> list[object]:
    return [label for label, key in zip(these, these.keys, strict=True) if key not in those.places]


def _summed(instance: Instance) -> set[Size]:
    """List the lengths that a sum with latents in it runs over."""
    graph = instance.graph
    roots = [node for t in graph.terms for node in t.law.inputs] + list(graph.derived.values())
    latent: dict[object, bool] = {}
    found: set[Size] = set()
    for node in topological(roots):
        latent[node] = isinstance(node, Variable) or any(latent[arg] for arg in node.args)
        if latent[node] and isinstance(node, Apply) and node.op.name != "index":
            found.update(map(instance.table.reduce, lengths_combined(node)))
    return found


def _latents_along(instance: Instance) -> dict[Size, Term]:
    """Give a latent that runs along each length."""
    return {instance.table.reduce(size): t for t in instance.graph.latents for size in t.law.shape}
