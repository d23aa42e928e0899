"""Distributions with a parameter that can be given in several ways: one public name, one declaration per way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Signature
from typing import Any

from scistan.distributions.declaration import Distribution
from scistan.distributions.multivariate import normal_by_chol, normal_by_cov, normal_by_prec
from scistan.distributions.signatures import describe, signature_of
from scistan.distributions.unnamed import OPTIONS, Constructor, Unnamed, refuse_name_first
from scistan.messages import arguments as messages
from scistan.messages import expressions

__all__ = ["ALTERNATIVES", "Alternatives"]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The public face of several declarations that differ in their last parameter, one of which is given."""

    name: str
    doc: str
    forms: Mapping[str, Distribution]

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        first = next(iter(self.forms.values()))
        rows = [(p.name, p.domain.words) for p in first.parameters[:-1]]
        rows += [(key, f"{d.parameters[-1].domain.words}, or one of the others") for key, d in self.forms.items()]
        return describe(self.doc, rows, first)

    @property
    def __signature__(self) -> Signature:
        return signature_of(next(iter(self.forms.values())), tuple(self.forms))

    @property
    def signature(self) -> str:
        shared = next(iter(self.forms.values())).parameters[:-1]
        names = [p.name for p in shared] + [" | ".join(f"{key}=" for key in self.forms)]
        return f"{self.name}({', '.join(names)})"

    def __call__(self, *args: object, **options: Any) -> Unnamed:
        """Choose the declaration by the keyword given; by position, the first."""
        refuse_name_first(self.name, args, self.signature)
        first = next(iter(self.forms))
        by_position = len(args) == len(self.forms[first].parameters)
        given = [key for key in self.forms if key in options] + [first] * by_position
        if len(given) > 1:
            raise messages.given_several_ways(self.name, given, self.signature)
        known = {p.name for d in self.forms.values() for p in d.parameters} | set(OPTIONS)
        for unknown in (key for key in options if key not in known):
            raise messages.unknown_argument(self.name, unknown, sorted(known), self.signature)
        if not given:
            raise messages.missing_argument(self.name, [" or ".join(self.forms)], self.signature)
        return Constructor(self.forms[given[0]])(*args, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise expressions.unknown_of_distribution(self.name, name, ())

    def __repr__(self) -> str:
        return f"ss.{self.signature}"


ALTERNATIVES: dict[str, Alternatives] = {
    "MultivariateNormal": Alternatives(
        "MultivariateNormal",
        "The normal distribution of vectors with mean `mu` and a covariance, precision or Cholesky factor.",
        {"cov": normal_by_cov, "prec": normal_by_prec, "chol": normal_by_chol},
    ),
}
"""Every such name in `ss`."""
