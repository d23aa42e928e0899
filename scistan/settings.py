"""What holds where a call says nothing: `ss.using`, `ss.set_default`, the environment, and what is built in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from html import escape
from typing import Any

from scistan.disabled import VARIABLE, disabled_names
from scistan.engines.registry import ENGINES
from scistan.given import Usual, is_switch
from scistan.messages import settings as messages
from scistan.targets.torch.devices import DTYPES

__all__ = [
    "SETTINGS",
    "Defaults",
    "Setting",
    "UnderSettings",
    "check_disabled",
    "defaults",
    "in_force",
    "said",
    "set_default",
    "setting",
    "under_settings",
    "using",
]

# Besides engines, what SCISTAN_DISABLE may name.
_PARTS = ("torch", "jax", "cuda", "mps")
_DEVICE = re.compile(r"auto|cpu|meta|mps|cuda(:\d+)?")
_SWITCHES = {"on": True, "1": True, "true": True, "yes": True, "off": False, "0": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Setting:
    """Something that every call can be given: its value where nobody says otherwise, and what it may be."""

    usual: object
    words: str
    holds: Callable[[Any], bool]
    doc: str
    switch: bool = False

    def read(self, text: str) -> object:
        """Read the value of an environment variable."""
        return _SWITCHES.get(text.strip().lower(), text) if self.switch else text.strip()


def _one_of(*names: str) -> tuple[str, Callable[[Any], bool]]:
    return " or ".join(map(repr, names)), lambda given: isinstance(given, str) and given in names


def _is_device(given: Any) -> bool:
    return isinstance(given, str) and _DEVICE.fullmatch(given) is not None


SETTINGS: Mapping[str, Setting] = {
    "engine": Setting("auto", *_one_of("auto", *ENGINES), "what runs a Stan program in `mcmc` and `sbc`"),
    "device": Setting(
        "cpu", "'cpu', 'cuda', 'cuda:1', 'mps' or 'auto'", _is_device, "where `map`, `mle` and transforms compute"
    ),
    "dtype": Setting("float64", *_one_of(*DTYPES), "the precision of `map`, `mle` and transforms"),
    "backend": Setting("numpy", *_one_of("numpy", "scipy", "torch", "jax"), "which arrays functions compute with"),
    "history": Setting(True, "True or False", is_switch, "whether what runs cost is remembered", switch=True),
    "background_compile": Setting(
        False, "True or False", is_switch, "whether a compilation that pays is made beside you", switch=True
    ),
}

# Of this thread or task; of this process.
_used: ContextVar[Mapping[str, object]] = ContextVar("scistan_settings")
_set: Mapping[str, object] = {}
_NOTHING: Mapping[str, object] = {}
_NOT_GIVEN = Usual()
_BUILT_IN = "built in"


def setting(name: str, given: object = _NOT_GIVEN) -> Any:
    """Give the value in force: the one that was given, unless it is a signature's own."""
    return _found(name)[0] if isinstance(given, Usual) else given


def said(name: str) -> Any:
    """Give the value that somebody set, by a block, a default or the environment; None where nobody did."""
    value, where = _found(name)
    return None if where == _BUILT_IN else value


def _found(name: str) -> tuple[Any, str]:
    used = _used.get(_NOTHING)
    if name in used:
        return used[name], "ss.using"
    if name in _set:
        return _set[name], "ss.set_default"
    variable = f"SCISTAN_{name.upper()}"
    if text := os.environ.get(variable, "").strip():
        known = SETTINGS[name]
        value = known.read(text)
        if not known.holds(value):
            raise messages.bad_setting(f"the environment variable {variable}", text, known.words)
        return value, variable
    return SETTINGS[name].usual, _BUILT_IN


@contextmanager
def using(**settings: Any) -> Iterator[None]:
    """Use other settings inside a `with` block, in this thread or async task alone: `engine=`, `device=`, `dtype=`, …

    Blocks nest; what was in force before comes back after the block, an error or not. None leaves a setting as it is.
    """
    wanted = _checked("ss.using", settings)
    token = _used.set({**_used.get(_NOTHING), **{name: v for name, v in wanted.items() if v is not None}})
    try:
        yield
    finally:
        _used.reset(token)


def set_default(**settings: Any) -> None:
    """Use other settings in the whole process from now on; None takes one back."""
    global _set
    both = {**_set, **_checked("ss.set_default", settings)}
    _set = {name: value for name, value in both.items() if value is not None}  # never changed, so threads may read


def _checked(verb: str, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    for name, value in settings.items():
        if name not in SETTINGS:
            raise messages.unknown_setting(verb, name, SETTINGS)
        if value is not None and not SETTINGS[name].holds(value):
            raise messages.bad_setting(f"`{name}` of `{verb}`", value, SETTINGS[name].words)
    return settings


def check_disabled() -> None:
    """Refuse a name in SCISTAN_DISABLE that is nothing of SciStan's: a typo would forbid nothing."""
    known = (*ENGINES, *_PARTS)
    for name in sorted(disabled_names()):
        if name not in known:
            raise messages.unknown_disabled(VARIABLE, name, known)


@dataclass(frozen=True, slots=True)
class Defaults:
    """Each setting, its value now, and where that comes from."""

    rows: tuple[tuple[str, object, str], ...]

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, Any]:
        """Give the values by name."""
        return {name: value for name, value, _ in self.rows}

    def __repr__(self) -> str:
        shown = [(name, str(value), source) for name, value, source in self.rows]
        wide = [max(len(row[k]) for row in shown) for k in (0, 1)]
        return "\n".join(f"{name:<{wide[0]}}  {value:<{wide[1]}}  {source}" for name, value, source in shown)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td>{escape(str(value))}</td><td>{escape(source)}</td>"
            f"<td>{escape(_doc(name))}</td></tr>"
            for name, value, source in self.rows
        )
        return f"<table><tr><th></th><th>value</th><th>from</th><th></th></tr>{rows}</table>"


def _doc(name: str) -> str:
    return SETTINGS[name].doc if name in SETTINGS else "what nothing may use, whoever asks"


def defaults() -> Defaults:
    """Show each setting, its value here and now, and where it comes from."""
    check_disabled()
    forbidden = ", ".join(sorted(disabled_names()))
    last = ("disable", forbidden or "nothing", VARIABLE if forbidden else "built in")
    return Defaults((*((name, *_found(name)) for name in SETTINGS), last))


def in_force() -> dict[str, object]:
    """Give the settings that are not built in, to be carried elsewhere."""
    found = {name: _found(name) for name in SETTINGS}
    return {name: value for name, (value, source) in found.items() if source != "built in"}


@dataclass(frozen=True, slots=True)
class UnderSettings:
    """A function with the settings under which it was asked for; it travels to threads, processes and clusters."""

    function: Callable[..., Any]
    settings: Mapping[str, object]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with using(**self.settings):
            return self.function(*args, **kwargs)


def under_settings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function that runs elsewhere under the settings in force here; itself where all are built in."""
    settings = in_force()
    return UnderSettings(function, settings) if settings else function
