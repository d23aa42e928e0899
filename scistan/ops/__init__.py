"""The operations of the language, one declaration each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.ops import composite, indexing, kernels, linear, reductions, shaping, special  # noqa: F401
from scistan.ops.declaration import REGISTRY, Op, declare
from scistan.ops.expression import Expression, function_of, install_operators
from scistan.ops.numpy_twins import NUMPY_TWINS
from scistan.ops.user import declare_op

__all__ = ["FUNCTIONS", "REGISTRY", "Expression", "Op", "declare", "declare_op"]

_METHODS: dict[str, Callable[..., Any]] = {
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
    "__xor__": lambda self, other: NUMPY_TWINS["logical_xor"](self, other),
    "__rxor__": lambda self, other: NUMPY_TWINS["logical_xor"](other, self),
    "__divmod__": lambda self, other: (composite.floor_divide(self, other), composite.remainder(self, other)),
    "__round__": lambda self, decimals=None: NUMPY_TWINS["round"](self, decimals or 0),
    "dot": linear.dot,
    "flatten": lambda self: NUMPY_TWINS["ravel"](self),
    # The methods that NumPy's arrays have under the name of the function.
    **{name: NUMPY_TWINS[name] for name in ("clip", "copy", "diagonal", "ptp", "ravel", "repeat", "round", "squeeze",
                                            "swapaxes", "take", "trace", "any", "all")},
    **{name: getattr(reductions, name) for name in ("sum", "mean", "prod", "min", "max", "var", "std", "cumsum")},
}
install_operators()
Expression.size = property(lambda self: NUMPY_TWINS["size"](self))  # type: ignore[attr-defined]
for _name, _function in _METHODS.items():
    setattr(Expression, _name, _function)

_ELEMENTWISE = {name: function_of(op) for name, op in REGISTRY.items() if op.elementwise and op.public}
_WRITTEN: dict[str, Callable[..., Expression]] = {
    function.__name__: function
    for function in (
        *(getattr(reductions, n) for n in ("sum", "mean", "prod", "min", "max", "var", "std", "logsumexp",
                                           "cumsum", "softmax", "log_softmax", "normalize")),
        *(getattr(linear, n) for n in ("matmul", "outer", "solve", "solve_lower", "inverse", "cholesky", "trace",
                                       "log_determinant", "diagonal", "diagonal_matrix", "quadratic_form", "dot")),
        kernels.gp_exp_quad_cov,
        *(getattr(shaping, n) for n in ("transpose", "reshape", "stack", "concatenate", "broadcast_to", "arange")),
        *(getattr(indexing, n) for n in ("length", "pick", "positions")),
        *(getattr(composite, n) for n in ("clip", "floor_divide", "remainder", "logical_and", "logical_or",
                                          "logical_not", "exponential_growth", "log_exponential_growth",
                                          "logistic_growth", "log_logistic_growth", "logistic_growth_from",
                                          "log_logistic_growth_from", "convolve_sequence")),
    )
}

FUNCTIONS: dict[str, Callable[..., Expression]] = {**_ELEMENTWISE, **_WRITTEN, "pow": _ELEMENTWISE["power"]}
"""Every public function by its name in `ss`."""
