"""A wish for an executable: the program, the options and the toolchain, and the key they add up to."""

from __future__ import annotations

from dataclasses import dataclass

from scistan.toolchain.find import Toolchain
from scistan.toolchain.host import cpu_flags, platform_part
from scistan.toolchain.keys import Json, digest
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.source import Source

__all__ = ["EXECUTABLE", "BuildRequest", "loose_key", "machine_part"]

EXECUTABLE = "model"


def machine_part(options: BuildOptions) -> dict[str, Json]:
    """Say what of the machine decides the build."""
    native = options.march_native or any("native" in flag for flag in options.flags)
    return {"platform": platform_part(), "cpu": cpu_flags() if native else ""}


def loose_key(source: Source, options: BuildOptions) -> str:
    """Give the key of a program and its options alone: for machines that cannot build but have an import."""
    return digest(
        {
            "source": source.key_part(),
            "stanc": list(options.stanc_options),
            "cpp": list(options.cpp_options),
            "optimize": options.optimize,
            "threads": options.threads,
            "methods": options.methods,
            **machine_part(options),
        }
    )


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """All that decides an executable."""

    source: Source
    options: BuildOptions
    toolchain: Toolchain

    @property
    def parts(self) -> dict[str, Json]:
        """What the key is made of."""
        return {
            "kind": "executable",
            "source": self.source.key_part(),
            "stanc": list(self.options.stanc_options),
            **self.toolchain.key_part(self.options),
            **machine_part(self.options),
        }

    @property
    def key(self) -> str:
        """The content address of the executable."""
        return digest(self.parts)
