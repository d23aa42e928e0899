"""How a program is built: the options that enter the key of its executable."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Literal

from scistan.messages import toolchain as messages

__all__ = ["BuildOptions", "Methods"]

Methods = Literal["core", "full"]

_LOOPS_UNTIL = re.compile(r"\bwhile *\(")


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """Options of a build; equal options give the same executable.

    `cpp_options` holds compiler flags (`-DNAME`) and CmdStan's make variables (`STAN_NO_RANGE_CHECKS=true`).
    `precompiled_header`: None makes one where the disk allows it and SCISTAN_PRECOMPILED_HEADER does not refuse
    it, False never, True insists.
    `methods`: "core" links what a first `sample` needs, "full" every method of the runner.
    """

    # -fno-soa: with that pass Stan 2.35 takes the transpose out of `to_vector(M')` for parameters M, silently.
    stanc_options: tuple[str, ...] = ("--O1", "-fno-soa")
    cpp_options: tuple[str, ...] = ()
    optimize: int = 3
    march_native: bool = False
    threads: bool = True
    precompiled_header: bool | None = None
    methods: Methods = "core"

    def __post_init__(self) -> None:
        object.__setattr__(self, "stanc_options", tuple(self.stanc_options))
        object.__setattr__(self, "cpp_options", tuple(self.cpp_options))
        if self.optimize not in (0, 1, 2, 3):
            raise messages.bad_option("optimize", self.optimize, "0, 1, 2 or 3")
        if self.methods not in ("core", "full"):
            raise messages.bad_option("methods", self.methods, "'core' or 'full'")

    def for_stanc(self, text: str) -> tuple[str, ...]:
        """Give stanc's options for a program: its optimizer takes 20 s over functions that loop until they converge.

        They are written into each place that calls them and analysed there; without it stanc takes a tenth of a second.
        """
        return tuple(o for o in self.stanc_options if o != "--O1" or not _LOOPS_UNTIL.search(text))

    def full(self) -> BuildOptions:
        """Give the same options with every method linked."""
        return replace(self, methods="full")

    @property
    def header(self) -> bool | None:
        """The wish for a precompiled header: the option, else what SCISTAN_PRECOMPILED_HEADER says."""
        refused = os.environ.get("SCISTAN_PRECOMPILED_HEADER", "").lower() in ("0", "false", "no", "off")
        return False if self.precompiled_header is None and refused else self.precompiled_header

    @property
    def flags(self) -> tuple[str, ...]:
        """The compiler flags among `cpp_options`."""
        return tuple(option for option in self.cpp_options if option.startswith("-"))

    @property
    def variables(self) -> tuple[tuple[str, str], ...]:
        """The make variables among `cpp_options`, as name and value."""
        named = (option.partition("=") for option in self.cpp_options if not option.startswith("-"))
        return tuple((name, value or "true") for name, _, value in named)
