"""Ops of the user's own, declared as SciStan's are."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from typing import Any

from scistan.messages import model as messages
from scistan.ops.declaration import REGISTRY, Call, Implementation, ShapeRule, StanForm, Template, declare
from scistan.ops.expression import Expression, function_of
from scistan.ops.own_stan import note_own_stan

__all__ = ["declare_op"]

_declared_here: set[str] = set()


def declare_op(
    name: str,
    doc: str,
    *,
    numpy: Implementation,
    torch: Implementation,
    stan: str | StanForm,
    functions: str = "",
    vectorizes: bool = False,
    arity: int = 1,
    shape: ShapeRule | None = None,
    integer: bool = False,
    latex: str = "",
) -> Callable[..., Expression]:
    """Declare an op of one's own and give its function.

    `numpy` and `torch` are a name in that library or a function of the library and the arrays; a formula
    that both understand is written once. `stan` is the name of a Stan function, or text with `{0}`, `{1}`, …
    for the arguments; `functions` defines what it calls, for Stan's `functions` block. Without `shape` the op
    works element by element. Declaring one's own op again replaces it; SciStan's names are refused.

    >>> import scistan as ss
    >>> from scistan.ops import declare_op
    >>> def formula(xp, x, c):
    ...     return x / xp.sqrt(1 + (x / c) ** 2)
    >>> soft_limit = declare_op("soft_limit", "Limit `x` softly to `c`.", arity=2, numpy=formula, torch=formula,
    ...                         stan="{0} / sqrt(1 + square({0} / {1}))")
    >>> m = ss.Model()
    >>> m.x = ss.Normal(0, 1, shape=3)
    >>> soft_limit(m.x, 2.5)
    <soft_limit(x, 2.5) of shape (3,)>
    """
    if not name.isidentifier() or keyword.iskeyword(name):
        raise messages.illegal_constant("declare_op", "name", "a name of Python", repr(name))
    if name not in _declared_here and _is_taken(name):
        raise messages.illegal_constant("declare_op", "name", "a name that SciStan does not have", repr(name))
    if not isinstance(stan, str):
        form = stan
    elif "{" in stan:
        form = Template(f"({stan})", vectorizes=vectorizes)
    else:
        form = Call(stan, vectorizes=vectorizes, functions=functions)
    fields: dict[str, Any] = {"arity": arity, "shape": shape, "integer": integer, "latex": latex}
    op = declare(name, doc, numpy=numpy, torch=torch, stan=form, **fields)
    _declared_here.add(name)
    note_own_stan(f"operation `{name}`", stan if isinstance(stan, str) else "", functions=functions)
    return function_of(op)


def _is_taken(name: str) -> bool:
    from scistan.ops import FUNCTIONS

    return name in REGISTRY or name in FUNCTIONS
