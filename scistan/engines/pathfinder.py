"""Starting points from one Pathfinder approximation, by stanli: milliseconds, no compiler."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from scistan.engines.data_file import DataText
from scistan.engines.density import StanDensity
from scistan.engines.loading import has_tape, load_model, load_stanli, text_for_stanli
from scistan.engines.translate import program_for_stanli
from scistan.messages import sampling as messages

__all__ = ["pathfinder_points"]


def pathfinder_points(text: str, data: DataText, chains: int, seed: int) -> list[dict[str, np.ndarray]]:
    """Give each chain a start: the program's parameters and what it transforms them to."""
    stanli = load_stanli()
    if not has_tape():
        raise messages.pathfinder_failed("stanli can find them in the main thread only")
    try:
        model = load_model(stanli, program_for_stanli(text_for_stanli(text)), data, seed)
        points = _draw(stanli, model, chains, seed)
    except (RuntimeError, ValueError) as error:
        raise messages.pathfinder_failed(str(error)) from None
    density = StanDensity(text, data)
    return [density.constrain(q) for q in points]


def _draw(stanli: Any, model: Any, chains: int, seed: int) -> np.ndarray:
    """Make the call that `Model.sample(pathfinder_init={})` makes before it samples."""
    options = stanli._PATHFINDER_INIT_DEFAULTS
    found = np.empty((chains, model.n_unconstrained))
    message = ctypes.create_string_buffer(4096)
    code = stanli._lib.stanli_pathfinder_inits(
        model._m,
        seed,
        1,
        chains,
        options["num_iterations"],
        options["num_elbo_draws"],
        options["history_size"],
        options["init_radius"],
        stanli._dptr(found),
        None,
        None,
        message,
        len(message),
    )
    if code != 0:
        raise RuntimeError(message.value.decode(errors="replace"))
    return found
