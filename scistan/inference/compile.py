"""`m.compile()` and `ss.compile_models`: executables of models, from the cache or built now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

from scistan.errors import ScistanError
from scistan.inference.refusal import in_users_terms, refusal
from scistan.inference.subject import Subject
from scistan.targets.stan.program import StanProgram
from scistan.toolchain.build import compile_stan
from scistan.toolchain.errors import StancError
from scistan.toolchain.pool import compile_many

__all__ = ["compile_model", "compile_models"]

Result = Path | ScistanError
Key = TypeVar("Key")


def compile_model(subject: Subject, progress: bool) -> Path:
    """Give the executable of a model."""
    with in_users_terms(subject.program):
        return compile_stan(subject.program.text, progress=progress)


@overload
def compile_models(
    models: Mapping[Key, Any], workers: int | None = None, progress: bool = True
) -> dict[Key, Result]: ...
@overload
def compile_models(models: Sequence[Any], workers: int | None = None, progress: bool = True) -> list[Result]: ...
def compile_models(models: Any, workers: int | None = None, progress: bool = True) -> Any:
    """Build the executables of many models in parallel; a list or dict of paths, or of errors, as given."""
    if isinstance(models, Mapping):
        return dict(zip(models, compile_models(list(models.values()), workers, progress), strict=True))
    lowered = [_lowered(model) for model in models]
    texts = [made.text for made in lowered if isinstance(made, StanProgram)]
    built = iter(compile_many(texts, workers=workers, progress=progress) if texts else [])
    return [_told(next(built), made) if isinstance(made, StanProgram) else made for made in lowered]


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
