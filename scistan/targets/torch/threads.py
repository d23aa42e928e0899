"""One thread for small work: what torch's threads cost in waiting for each other is more than they gain there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["threads_for"]

_SMALL = 100_000  # numbers in the largest value on the way; torch itself splits sums from about a third of this on


@contextmanager
def threads_for(torch: Any, numbers: int) -> Iterator[None]:
    """Let torch have one thread while values are small; on a busy machine others would spin in vain."""
    before = torch.get_num_threads()
    if numbers > _SMALL or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
