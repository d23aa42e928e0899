"""The public face of a distribution: `ss.Normal` and its kin bind arguments and options."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Signature
from typing import Any

from scistan.distributions.argument import check_relation, read_argument
from scistan.distributions.declaration import Distribution
from scistan.distributions.options import OPTIONS, set_options
from scistan.distributions.signatures import describe, signature_of
from scistan.distributions.unnamed import Unnamed
from scistan.distributions.within import check_bare_relation
from scistan.messages import arguments as messages
from scistan.messages import expressions, neighbours
from scistan.ops.unreadable import looks_like_numbers

__all__ = ["CONSTRUCTORS", "Constructor", "refuse_name_first"]

CONSTRUCTORS: dict[str, Any] = {}
"""Every public distribution by its name in `ss`."""


@dataclass(frozen=True, slots=True)
class Constructor:
    """The public face of a distribution: call it with arguments in Stan's names and order."""

    distribution: Distribution

    @property
    def __name__(self) -> str:
        return self.distribution.title

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        d = self.distribution
        return describe(d.doc, [(p.name, p.domain.words) for p in d.parameters], d)

    @property
    def __signature__(self) -> Signature:
        return signature_of(self.distribution)

    def __call__(self, *args: object, **options: Any) -> Unnamed:
        d = self.distribution
        given = _bind(d, args, options)
        nodes = tuple(read_argument(d, p, given[p.name]) for p in d.parameters)
        check_relation(d, nodes)
        check_bare_relation(d, nodes)
        made = Unnamed(d, nodes)
        set_options(made, {k: v for k, v in options.items() if k in OPTIONS and k not in given})
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise expressions.unknown_of_distribution(self.distribution.title, name, ())

    def __repr__(self) -> str:
        return f"ss.{self.distribution.signature}"


def refuse_name_first(title: str, args: tuple[object, ...], signature: str) -> None:
    """Refuse a text that stands where PyMC and NumPyro want a variable's name."""
    if args and isinstance(args[0], str) and not looks_like_numbers(args[:1]):
        raise neighbours.name_first(title, args[0], signature)


def _bind(d: Distribution, args: tuple[object, ...], options: dict[str, Any]) -> dict[str, object]:
    names = [p.name for p in d.parameters]
    refuse_name_first(d.title, args, d.signature)
    if len(args) > len(names):
        raise messages.too_many_arguments(d.title, len(args), d.signature)
    given: dict[str, object] = dict(zip(names, args, strict=False))
    for key, value in options.items():
        if key in OPTIONS and key not in names:
            continue
        if key not in names:
            raise messages.unknown_argument(d.title, key, [*names, *OPTIONS], d.signature)
        if key in given:
            raise messages.argument_twice(d.title, key)
        given[key] = value
    missing = [n for n in names if n not in given]
    if missing:
        raise messages.missing_argument(d.title, missing, d.signature)
    return given
