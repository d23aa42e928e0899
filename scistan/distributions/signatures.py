"""The true signature and docstring of a distribution, derived from its declaration."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter, Signature

from scistan.distributions.declaration import Distribution

__all__ = ["describe", "signature_of"]

_OPTIONS = {
    "shape": ("int | tuple[int, ...] | None", "the lengths of a batch; by default the arguments' own"),
    "dims": ("str | tuple[str, ...] | None", "the names of its axes, whose lengths and labels the model knows"),
    "lower": ("object", "a bound from below: the distribution is truncated, and normalized again"),
    "upper": ("object", "a bound from above, likewise"),
    "constraint": ("str | None", '"ordered", "positive_ordered" or "sum_to_zero" along the last axis'),
    "centred": ("bool | None", "sample the value itself where it would be sampled by its standard form"),
}


def signature_of(d: Distribution, choices: Sequence[str] = ()) -> Signature:
    """Give the parameters by position or name, then the options; `choices` are names one of which is given."""
    shared = d.parameters[:-1] if choices else d.parameters
    by_place = [Parameter(p.name, Parameter.POSITIONAL_OR_KEYWORD, annotation="object") for p in shared]
    chosen = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation="object") for name in choices]
    named = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=_OPTIONS[name][0]) for name in options_of(d)
    ]
    return Signature([*by_place, *chosen, *named], return_annotation="Unnamed")


def options_of(d: Distribution) -> list[str]:
    """List the options that this distribution takes."""
    kept = ["shape", "dims"]
    if d.truncatable:
        kept += ["lower", "upper"]
    if not d.discrete and not d.event_rank:
        kept.append("constraint")
    if d.location_scale is not None:
        kept.append("centred")
    return kept


def describe(doc: str, parameters: Sequence[tuple[str, str]], d: Distribution) -> str:
    """Write a docstring in NumPy's style."""
    rows = [*parameters, *((name, _OPTIONS[name][1]) for name in options_of(d))]
    lines = [line for name, words in rows for line in (name, f"    {words}")]
    return "\n".join([doc, "", "Parameters", "----------", *lines])
