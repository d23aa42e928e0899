"""Text from files that others wrote, as a terminal may show it: no escapes, no controls, no end of it."""

from __future__ import annotations

__all__ = ["shown"]

_LONGEST = 400


def shown(text: str) -> str:
    r"""Give a text with everything unprintable replaced, cut where it is long.

    >>> shown("a\x1b[2Jb")
    'a�[2Jb'
    """
    plain = "".join(sign if sign.isprintable() else "\ufffd" for sign in text[:_LONGEST])
    return plain if len(text) <= _LONGEST else f"{plain}…"
