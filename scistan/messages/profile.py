"""What users are told of profiles."""

from __future__ import annotations

from scistan.errors import ModelError

__all__ = ["not_ended", "used_twice"]


def used_twice() -> ModelError:
    return ModelError(
        "This profile has recorded a block already.", remedy="`with ss.profile() as p:` again makes another one"
    )


def not_ended() -> ModelError:
    return ModelError("Nothing has been recorded yet.", remedy="ask for the report after the `with` block")
