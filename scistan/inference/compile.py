"""`m.compile()` and `ss.compile_models`: executables of models, from the cache or built now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

from scistan.errors import ScistanError
from scistan.given import as_choice, as_switch, as_whole
from scistan.inference.models import as_models
from scistan.inference.planning.remember import after_compile
from scistan.inference.planning.start import Start
from scistan.inference.refusal import in_users_terms, refusal
from scistan.inference.subject import Subject
from scistan.targets.stan.program import StanProgram
from scistan.toolchain.build import BuildOptions, compile_stan
from scistan.toolchain.errors import StancError
from scistan.toolchain.options import Methods
from scistan.toolchain.pool import compile_many

__all__ = ["compile_model", "compile_models"]

Result = Path | ScistanError
Key = TypeVar("Key")


def compile_model(subject: Subject, progress: bool, methods: str = "core") -> Path:
    """Give the executable of a model."""
    start = Start.now("compile", "stan")
    options, progress = _options(methods), as_switch("progress", progress)
    with in_users_terms(subject.program):
        path = compile_stan(subject.program.text, options=options, progress=progress)
    after_compile(start)
    return path


def _options(methods: object) -> BuildOptions:
    wanted: Methods = "full" if as_choice("methods", methods, ("core", "full")) == "full" else "core"
    return BuildOptions(methods=wanted)


@overload
def compile_models(
    models: Mapping[Key, Any], workers: int | None = None, progress: bool = True, methods: str = "core"
) -> dict[Key, Result]: ...
@overload
def compile_models(
    models: Sequence[Any], workers: int | None = None, progress: bool = True, methods: str = "core"
) -> list[Result]: ...
def compile_models(models: Any, workers: int | None = None, progress: bool = True, methods: str = "core") -> Any:
    """Build the executables of many models in parallel; a list or dict of paths, or of errors, as given.

    `methods="full"` gives executables with every method of CmdStan's, not only what `engine="cmdstan"` runs.
    """
    options, progress = _options(methods), as_switch("progress", progress)
    workers = None if workers is None else as_whole("workers", workers)
    named, given = as_models("ss.compile_models", models)
    lowered = [_lowered(model) for model in given]
    texts = [made.text for made in lowered if isinstance(made, StanProgram)]
    built = iter(compile_many(texts, workers=workers, options=options, progress=progress) if texts else [])
    results = [_told(next(built), made) if isinstance(made, StanProgram) else made for made in lowered]
    return results if named is None else dict(zip(named, results, strict=True))


def _told(result: Result, program: StanProgram) -> Result:
    """Put an error in a model's place into the user's terms."""
    return refusal(result, program) if isinstance(result, StancError) else result


def _lowered(model: Any) -> StanProgram | ScistanError:
    """Give a model's program, or the reason why it has none."""
    try:
        program: StanProgram = model._subject().program
    except ScistanError as error:
        return error
    return program
