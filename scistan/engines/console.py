"""What CmdStan says while it samples: the proposals it rejected, counted by reason, before and after warm-up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from scistan.engines.protocol import Rejected

__all__ = ["count_rejections", "merge_rejections"]

_REJECTED = "Informational Message: The current Metropolis proposal is about to be rejected"
_SAMPLING = re.compile(r"^Iteration:.*\(Sampling\)")
_NUMBERS = re.compile(r"(?<=is )-?[\d.]+(e[-+]?\d+)?(?=, but must)|(?<=output time \()[^)]+(?=\))")


def count_rejections(console: Path) -> tuple[Rejected, ...]:
    """Count the rejections that a chain told of; reasons that differ in their numbers alone are one, the first.

    A chain says how far it is now and then, so that the border of warm-up is known to within a fiftieth of the run.
    """
    if not console.exists():
        return ()
    found: list[Rejected] = []
    sampling = expected = False
    with console.open(errors="replace") as lines:
        for line in lines:
            if expected:
                found.append(Rejected(line.strip(), 0 if sampling else 1, 1 if sampling else 0))
            sampling = sampling or bool(_SAMPLING.match(line))
            expected = line.startswith(_REJECTED)
    return merge_rejections(found)


def merge_rejections(parts: Iterable[Rejected]) -> tuple[Rejected, ...]:
    """Add up rejections of the same reason."""
    merged: dict[str, Rejected] = {}
    for one in parts:
        key = _NUMBERS.sub("#", one.said)
        known = merged.get(key, Rejected(one.said, 0, 0))
        merged[key] = Rejected(known.said, known.warmup + one.warmup, known.sampling + one.sampling)
    return tuple(merged.values())
