"""Arrays by the names of the model's variables; a name that is not there is told as one."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from scistan.messages import inference as messages

__all__ = ["Named"]


class Named(dict[str, np.ndarray]):
    """A dict whose missing names are errors that suggest the nearest."""

    def __getitem__(self, name: str) -> np.ndarray:
        if not isinstance(name, str):  # what cannot be hashed is no name either
            self.__missing__(name)
        return super().__getitem__(name)

    def __missing__(self, name: object) -> NoReturn:
        raise messages.unknown_result(name, self)
