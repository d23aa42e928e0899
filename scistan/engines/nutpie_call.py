"""The calls into nutpie's compiled library, the same for every version that is supported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from typing import Any

from scistan.engines.loading import let_rest, load_nutpie, load_stanli
from scistan.engines.protocol import Request
from scistan.engines.translate import with_program
from scistan.errors import ScistanError
from scistan.messages import sampling as messages
from scistan.profiling import staged
from scistan.surface import lacking

__all__ = ["is_panic", "make_sampler", "make_settings", "ready_model", "said_by_rust", "what_it_says"]

# What nutpie fills in and hands to our callback; its own bars go past Python's streams.
_TEMPLATE = (
    "{% for chain in chains %}{{ chain.finished_draws }} {{ chain.divergences }} {{ chain.step_size }};{% endfor %}"
)
_REPORTS_EVERY = 100  # milliseconds
# Arguments of `PySampler.from_stan` that nutpie 0.16.9 and later have, and what leaves them unused.
_UNUSED: Mapping[str, object] = {"extra_callback": None, "extra_callback_rate": 0}


@staged("loading")
def ready_model(request: Request) -> Any:
    """Make the program ready: it travels inside the data, under stanli's reserved key."""
    stanli, nutpie = load_stanli(), load_nutpie()
    try:
        library = nutpie.StanLibrary(str(stanli._runtime_lib_path()))
        let_rest(request.loaded)
        with with_program(request.text, request.data) as payload:
            return nutpie.StanModel(library, {}, {}, {}, request.seed, payload, None)
    except (RuntimeError, ValueError) as error:
        raise messages.program_refused("nutpie", what_it_says(error)) from None


def make_settings(metric: str, seed: int, **values: Any) -> Any:
    """Give the settings of a run with one chain; a setting that nutpie does not have is told."""
    nutpie = load_nutpie()
    kinds = {"low_rank": nutpie.PyNutsSettings.LowRank, "diag": nutpie.PyNutsSettings.Diag}
    settings = kinds[metric](seed)
    for name, value in {"num_chains": 1, **values}.items():
        try:
            setattr(settings, name, value)
        except AttributeError:
            raise lacking("nutpie", [f"PyNutsSettings.{name}"]) from None
    return settings


def make_sampler(settings: Any, model: Any, hear: Callable[[str], None] | None = None) -> Any:
    """Start a sampler of one chain; `hear` is told how far it is, now and then."""
    nutpie = load_nutpie()
    kind = nutpie.ProgressType
    known: dict[str, object] = {
        "settings": settings,
        "cores": 1,
        "model": model,
        "progress_type": kind.none() if hear is None else kind.template_callback(_REPORTS_EVERY, _TEMPLATE, 1, hear),
        "store": nutpie.PyStorage.arrow(),
        **_UNUSED,
    }
    return nutpie.PySampler.from_stan(**{name: known[name] for name in _arguments(nutpie)})


@cache
def _arguments(nutpie: Any) -> tuple[str, ...]:
    """List what `from_stan` takes, which differs between versions; refuse what is not known."""
    found = tuple(signature(nutpie.PySampler.from_stan).parameters)
    ours = {"settings", "cores", "model", "progress_type", "store"}
    unknown = set(found) - ours - set(_UNUSED)
    if unknown or ours - set(found):
        raise lacking("nutpie", [f"PySampler.from_stan({', '.join(sorted(ours))})"])
    return found


def said_by_rust(error: BaseException) -> bool:
    """Tell whether an error is nutpie's own: pyo3's PanicException is no Exception, and cannot be imported."""
    return is_panic(error) or (isinstance(error, RuntimeError | ValueError) and not isinstance(error, ScistanError))


def is_panic(error: BaseException) -> bool:
    """Tell whether Rust panicked."""
    return type(error).__name__ == "PanicException"


def what_it_says(error: BaseException) -> str:
    """Give what a Rust error says, without its stack."""
    text = str(error).split("Stack backtrace")[0]
    return " ".join(text.split())
