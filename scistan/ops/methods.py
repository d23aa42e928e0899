"""The operators and methods of expressions: those that ops claim, and those that NumPy's arrays have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.ops import composite, indexing, linear, reductions, shaping
from scistan.ops.expression import Expression, install_operators
from scistan.ops.tables import NUMPY_FUNCTIONS

__all__ = ["install_methods"]


def _transpose(self: Expression, *axes: Any) -> Expression:
    """Reorder the axes; reversed when none are given."""
    return shaping.transpose(self, axes[0] if len(axes) == 1 and isinstance(axes[0], tuple) else axes or None)


def _reshape(self: Expression, *shape: Any) -> Expression:
    """Put the elements, row by row, in another shape; one length may be -1."""
    return shaping.reshape(self, shape[0] if len(shape) == 1 else shape)


_METHODS: dict[str, Callable[..., Any]] = {
    "__getitem__": indexing.index,
    "transpose": _transpose,
    "reshape": _reshape,
    # `@` and the rest are functions with attributes or compositions, so they are installed one by one.
    "__matmul__": linear.matmul,
    "__rmatmul__": lambda self, other: linear.matmul(other, self),
    "__floordiv__": composite.floor_divide,
    "__rfloordiv__": lambda self, other: composite.floor_divide(other, self),
    "__mod__": composite.remainder,
    "__rmod__": lambda self, other: composite.remainder(other, self),
    "__and__": composite.logical_and,
    "__rand__": composite.logical_and,
    "__or__": composite.logical_or,
    "__ror__": composite.logical_or,
    "__invert__": composite.logical_not,
    "__xor__": lambda self, other: NUMPY_FUNCTIONS["logical_xor"](self, other),
    "__rxor__": lambda self, other: NUMPY_FUNCTIONS["logical_xor"](other, self),
    "__divmod__": lambda self, other: (composite.floor_divide(self, other), composite.remainder(self, other)),
    "__round__": lambda self, decimals=None: NUMPY_FUNCTIONS["round"](self, decimals or 0),
    "dot": linear.dot,
    "flatten": lambda self: NUMPY_FUNCTIONS["ravel"](self),
    **{name: getattr(reductions, name) for name in ("sum", "mean", "prod", "min", "max", "var", "std", "cumsum")},
}
# The methods that NumPy's arrays have under the name of the function.
_OF_ARRAYS = (
    "clip", "copy", "diagonal", "ptp", "ravel", "repeat", "round", "squeeze", "swapaxes", "take", "trace", "any", "all",
)


def install_methods() -> None:
    """Give expressions their operators and methods."""
    install_operators()
    Expression.size = property(lambda self: NUMPY_FUNCTIONS["size"](self))  # type: ignore[attr-defined]
    for name, function in {**_METHODS, **{name: NUMPY_FUNCTIONS[name] for name in _OF_ARRAYS}}.items():
        setattr(Expression, name, function)
