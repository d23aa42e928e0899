"""Wording of what a check of purity finds: what a line does that its array library should do alone."""

from __future__ import annotations

from scistan.errors import ArgumentError
from scistan.graph.places import user_place
from scistan.messages.values import as_given

REMEDIES = {
    "library": "call it on the library that is given, `xp.{0}(…)`, or write it in the operations of `ss`",
    "round trip": "stay in one library: what is computed there has derivatives, and is on its device",
    "scalar": "compute with whole arrays; a number that is taken out has no derivative, and waits for the device",
    "precision": "leave the precision to the caller: constants follow the arrays that they meet",
    "failure": "write it in what the libraries have in common, `xp.{0}` or an operator: every backend runs it",
}
"""What to do about each kind."""

WHAT = {
    "library": "`{0}` computes with another library's arrays",
    "round trip": "`{0}` takes values through another library or device",
    "scalar": "`{0}` takes a number out of an array",
    "precision": "`{0}` changes the precision silently",
    "failure": "it fails: {0}",
}
"""What a line does."""


def no_source(function: object) -> ArgumentError:
    return ArgumentError(
        f"the lines of {as_given(function)} cannot be read, so that nothing can be said of its purity.",
        remedy="give a function that is written in Python, in a file or a notebook cell",
        place=user_place(),
    )


def bad_examples(given: object) -> ArgumentError:
    return ArgumentError(
        f"`example_args` is {as_given(given)}, and not a tuple of arrays.",
        remedy="give the arrays that the function takes behind `xp`, as in check_purity(f, (x, y))",
        place=user_place(),
    )
