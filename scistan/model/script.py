"""The models of a script, which is run as far as its first fit."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from scistan.errors import Place, ScistanError
from scistan.messages import prior_check as messages
from scistan.model.model import Model

__all__ = ["models_of"]

_VERBS = ("compile", "laplace", "map", "mcmc", "mle", "pathfinder", "variational", "verify")


class _FirstFit(BaseException):
    """Leaves a script where it begins to fit; no `except Exception` of the user's stops it."""


def models_of(path: Path, name: str = "") -> dict[str, Model]:
    """Run a script and give its models, or the one that is called `name` or that the function `name` gives."""
    try:
        code = compile(path.read_bytes(), str(path), "exec")
    except OSError as error:
        raise messages.no_script(path, error.strerror or str(error)) from None
    except (SyntaxError, ValueError) as error:
        raise messages.no_script(path, str(error)) from None
    namespace: dict[str, Any] = {"__name__": "__scistan__", "__file__": str(path), "__builtins__": __builtins__}
    with _as_a_script(path), _until_the_first_fit():
        try:
            exec(code, namespace)
        except (_FirstFit, SystemExit):
            pass
        except ScistanError:
            raise
        except Exception as error:  # whatever a script stops with is told, with its line
            raise messages.script_failed(path, error, _line_of(error, path)) from error
        return _named(path, namespace, name) if name else _found(path, namespace)


def _found(path: Path, namespace: dict[str, Any]) -> dict[str, Model]:
    models: dict[str, Model] = {}
    for name, value in namespace.items():
        if isinstance(value, Model) and not name.startswith("_") and not any(value is m for m in models.values()):
            models[name] = value
    if not models:
        raise messages.no_models(path)
    return models


def _named(path: Path, namespace: dict[str, Any], name: str) -> dict[str, Model]:
    value = namespace.get(name)
    if not isinstance(value, Model) and callable(value):
        try:
            value = value()
        except ScistanError:
            raise
        except Exception as error:
            raise messages.script_failed(path, error, _line_of(error, path)) from error
    if not isinstance(value, Model):
        raise messages.no_such_model(path, name, [n for n, v in namespace.items() if isinstance(v, Model)])
    return {name: value}


def _line_of(error: BaseException, path: Path) -> Place | None:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return Place(str(path), lines[-1]) if lines and lines[-1] is not None else None


@contextmanager
def _as_a_script(path: Path) -> Iterator[None]:
    """Let a script import its neighbours and read its own arguments, as Python does; then put all back."""
    before, arguments = list(sys.path), list(sys.argv)
    sys.path.insert(0, str(path.resolve().parent))
    sys.argv = [str(path)]
    try:
        yield
    finally:
        sys.path[:], sys.argv = before, arguments


@contextmanager
def _until_the_first_fit() -> Iterator[None]:
    """Let verbs that fit leave the script: its models are written by then, and a fit can take hours."""

    def leave(*_: object, **__: object) -> NoReturn:
        raise _FirstFit

    kept = {verb: getattr(Model, verb) for verb in _VERBS}
    for verb in _VERBS:
        setattr(Model, verb, leave)
    try:
        yield
    finally:
        for verb, method in kept.items():
            setattr(Model, verb, method)
