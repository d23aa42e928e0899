"""Random streams: one per variable, keyed by the seed and the variable's own name."""

from __future__ import annotations

import hashlib

import numpy as np

from scistan.given import as_whole, is_whole
from scistan.messages import inference as messages

__all__ = ["fresh_seed", "stream", "use_seed"]


def fresh_seed() -> int:
    """Draw a seed from the system's entropy, for a call that was given none."""
    return int(np.random.SeedSequence().entropy) % 2**32  # type: ignore[arg-type]


def use_seed(seed: object, most: int | None = None) -> int:
    """Check a seed that was given, or draw one; `most` is the largest that whoever uses it can take."""
    if seed is None:
        return fresh_seed()
    if not is_whole(seed, 0, None):
        raise messages.bad_seed(seed)
    return as_whole("seed", seed, 0, most)


def stream(seed: int, name: str) -> np.random.Generator:
    """Give the generator of the variable `name`; nothing else in the model changes it."""
    digest = hashlib.sha256(name.encode()).digest()
    words = [int.from_bytes(digest[k : k + 4], "little") for k in range(0, 16, 4)]
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence([seed, *words])))
