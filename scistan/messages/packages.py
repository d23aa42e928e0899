"""Wording of what can go wrong at the seams to other packages."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import UnsupportedError
from scistan.graph.places import user_place


class OtherSurfaceError(UnsupportedError):
    """A package that has not what SciStan uses of it: no fault of the model's, so never passed over in silence."""


def other_surface(package: str, found: str, known: str, missing: Sequence[str]) -> OtherSurfaceError:
    shown = ", ".join(f"`{name}`" for name in missing[:4])
    more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
    return OtherSurfaceError(
        f"{package} {found} is installed, and what SciStan uses of it is not there: {shown}{more}.",
        remedy=f"{package} {known} is known to work: pip install '{package}{_specifier(known)}'",
        place=user_place(),
    )


def _specifier(known: str) -> str:
    first, _, last = known.partition(" to ")
    return f">={first},<={last}" if last else f"=={first}"


def compiler_cannot_start(package: str, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"{package}'s compiler cannot start in this process, where torch uses AMX, nor in one of its own: {why}.",
        remedy="sample once before torch is used, set ONEDNN_MAX_CPU_ISA=AVX512_CORE before Python starts,"
        " or use engine='cmdstan'",
        place=user_place(),
    )


def untried(package: str, known: str) -> str:
    return f"known to work: {package} {known}"


def pilot_failed(engine: str, why: str) -> str:
    return f"{engine}'s pilot run failed: {why}"


def target_missing(package: str, extra: str) -> UnsupportedError:
    return UnsupportedError(
        f"{package} is not installed.",
        remedy=f"pip install 'scistan[{extra}]'",
        place=user_place(),
    )


def target_disabled(package: str, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"{package} cannot be used: {why}.", remedy="take it out of that variable", place=user_place()
    )
