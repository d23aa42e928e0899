"""Labels that users give along a dim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from scistan.messages import data as data_messages
from scistan.ops.coerce import labels_of

__all__ = ["read_labels"]


def read_labels(dim: str, labels: object) -> list[object]:
    """List the labels along a dim; a text is one label, not one per letter."""
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise data_messages.bad_labels(dim, labels)
    plain = labels if isinstance(labels, list | tuple | range) or not hasattr(labels, "dtype") else labels_of(labels)
    known = list(plain)
    counts = Counter(label for label in known if isinstance(label, Hashable))
    repeated = [label for label, count in counts.items() if count > 1]
    if repeated:
        raise data_messages.repeated_labels(dim, repeated)
    return known
