"""The engines by name, and which of them are installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from scistan.engines.protocol import Draws, Engine, Request
from scistan.messages import sampling as messages

__all__ = ["ENGINES", "engine_named", "engines_at_hand", "run_request"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an engine lives, which packages it needs, and how to get them.

    An `embedded` one interprets the program in this process, on stanli's kernels; the other runs compiled Stan itself.
    """

    place: str
    packages: tuple[str, ...]
    fix: str
    embedded: bool = True

    @property
    def missing(self) -> str:
        """Say what is not installed; an empty text when all is."""
        absent = [package for package in self.packages if find_spec(package) is None]
        return f"{' and '.join(absent)} not installed" if absent else ""

    def make(self) -> Engine:
        module, _, name = self.place.partition(":")
        build: Callable[[], Engine] = getattr(import_module(module), name)
        return build()


ENGINES: Mapping[str, Entry] = {
    "stanli": Entry("scistan.engines.stanli:StanliEngine", ("stanli",), "pip install stanli"),
    "nutpie": Entry(
        "scistan.engines.nutpie:NutpieEngine", ("nutpie", "stanli", "pyarrow"), "pip install 'scistan[nutpie]'"
    ),
    "cmdstan": Entry("scistan.engines.cmdstan:CmdStanEngine", ("cmdstanpy",), "pip install 'scistan[cmdstan]'", False),
}


def engines_at_hand() -> list[str]:
    """List the engines whose packages are installed."""
    return [name for name, entry in ENGINES.items() if not entry.missing]


def engine_named(name: object) -> Engine:
    """Give an engine by its name, or say which there are and what is missing."""
    if not isinstance(name, str) or name not in ENGINES:
        raise messages.unknown_engine(name, {known: entry.missing for known, entry in ENGINES.items()})
    entry = ENGINES[name]
    if entry.missing:
        raise messages.engine_missing(name, entry.missing, entry.fix)
    return entry.make()


def run_request(engine: str, request: Request) -> Draws:
    """Run a request: the task that an executor's worker gets, so it takes and gives plain data."""
    return engine_named(engine).sample(request)
