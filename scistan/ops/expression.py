"""What users hold and compute with: a node that behaves like a NumPy array of unknown numbers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.graph.node import Node
from scistan.graph.places import remember, user_place
from scistan.graph.text import short_text
from scistan.messages import expressions as messages
from scistan.ops.coerce import as_node
from scistan.ops.declaration import REGISTRY, Op
from scistan.ops.tables import FUNCTIONS, NUMPY_FUNCTIONS
from scistan.shapes import Shape, Size

__all__ = ["Expression", "build", "function_of"]


def build(op: Op, *args: object, **attributes: Any) -> Expression:
    """Apply an op to values of any accepted kind and note the user's line."""
    node = op.build(tuple(as_node(arg) for arg in args), attributes)
    remember(node, user_place())
    return Expression(node)


def function_of(op: Op) -> Callable[..., Expression]:
    """Make the public function of an op that has no attributes."""

    def function(*args: object) -> Expression:
        return build(op, *args)

    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = op.doc
    if op.arity is not None:
        names = op.arguments or (("x", "y", "z")[: op.arity] if op.arity < 4 else [f"x{i}" for i in range(op.arity)])
        by_position = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
        function.__signature__ = inspect.Signature(by_position)  # type: ignore[attr-defined]
    return function


class Expression:
    """A quantity of a model; arithmetic, indexing and NumPy functions make further expressions."""

    __slots__ = ("_node",)
    __array_priority__ = 1000
    __pandas_priority__ = 10_000  # above a DataFrame's 4,000: an operator with pandas on the left is ours too
    __hash__ = object.__hash__

    if TYPE_CHECKING:  # the operators are installed from the declarations; a type checker needs to see them

        def __add__(self, other: object) -> Expression: ...
        def __radd__(self, other: object) -> Expression: ...
        def __sub__(self, other: object) -> Expression: ...
        def __rsub__(self, other: object) -> Expression: ...
        def __mul__(self, other: object) -> Expression: ...
        def __rmul__(self, other: object) -> Expression: ...
        def __truediv__(self, other: object) -> Expression: ...
        def __rtruediv__(self, other: object) -> Expression: ...
        def __pow__(self, other: object) -> Expression: ...
        def __rpow__(self, other: object) -> Expression: ...
        def __matmul__(self, other: object) -> Expression: ...
        def __rmatmul__(self, other: object) -> Expression: ...
        def __getitem__(self, key: Any) -> Expression: ...
        def transpose(self, *axes: Any) -> Expression: ...
        def reshape(self, *shape: Any) -> Expression: ...
        def __neg__(self) -> Expression: ...
        def __abs__(self) -> Expression: ...
        def __lt__(self, other: object) -> Expression: ...
        def __le__(self, other: object) -> Expression: ...
        def __gt__(self, other: object) -> Expression: ...
        def __ge__(self, other: object) -> Expression: ...

    def __init__(self, node: Node) -> None:
        self._node = node

    @property
    def _scistan_node_(self) -> Node:
        return self._node

    @property
    def shape(self) -> Shape:
        """The lengths of the axes, as sizes that know where they come from."""
        return self._node.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._node.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Whether the elements are whole numbers or real ones."""
        return np.dtype(np.int64 if self._node.integer else np.float64)

    @property
    def T(self) -> Expression:
        """The transpose."""
        return self.transpose()

    def __len__(self) -> int:
        if not self._node.shape:
            raise messages.no_length()
        return self._node.shape[0].today

    def __iter__(self) -> Iterator[Expression]:
        return (self[i] for i in range(len(self)))

    def __pos__(self) -> Expression:
        return self

    def __bool__(self) -> bool:
        raise messages.truth_of_expression()

    def __float__(self) -> float:
        raise messages.truth_of_expression()

    def __int__(self) -> int:
        raise messages.truth_of_expression()

    def __format__(self, how: str) -> str:
        if how:
            raise messages.truth_of_expression()
        return repr(self)

    def __setitem__(self, key: object, value: object) -> None:
        raise messages.fixed_expression()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # protocols ask for such names to learn what an object can do
            raise AttributeError(name)
        raise messages.unknown_method(name, [known for known in dir(type(self)) if not known.startswith("_")])

    def __repr__(self) -> str:
        shape = f" of shape {tuple(s.today for s in self.shape)}" if self.shape else ""
        return f"<{short_text(self._node)}{shape}>"

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise messages.no_array()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        asked = ufunc.__name__ if method == "__call__" else _OF_UFUNCS.get((method, ufunc.__name__))
        if asked is None:
            raise messages.unsupported_numpy(f"{ufunc.__name__}.{method}")
        if method in ("reduce", "accumulate"):
            options.setdefault("axis", 0)
        return _call_numpy_function(asked, inputs, options)

    def __array_function__(self, function: Any, _: Any, args: Any, options: Any) -> Any:
        return _call_numpy_function(function.__name__, args, options)

    @classmethod
    def __torch_function__(cls, function: Any, _: Any, args: Any = (), options: Any = None) -> Any:
        # torch takes a TypeError of one of its operators for `NotImplemented`: `tensor * m.b` goes on to our own.
        name = getattr(function, "__name__", "function")
        raise messages.torch_function(name, name in FUNCTIONS)


_OF_UFUNCS = {
    ("reduce", "add"): "sum",
    ("reduce", "multiply"): "prod",
    ("reduce", "maximum"): "max",
    ("reduce", "minimum"): "min",
    ("reduce", "logaddexp"): "logsumexp",
    ("accumulate", "add"): "cumsum",
    ("outer", "multiply"): "outer",
    ("outer", "add"): "add_outer",
    ("outer", "subtract"): "subtract_outer",
    ("outer", "divide"): "divide_outer",
}


def _call_numpy_function(name: str, args: Any, options: Any) -> Any:
    function = NUMPY_FUNCTIONS.get(name)
    if function is None:
        raise messages.unsupported_numpy(name)
    try:
        inspect.signature(function).bind(*args, **options)
    except TypeError:
        given = ", ".join(f"{key}=" for key in options) or f"{len(args)} arguments"
        raise messages.unsupported_numpy(f"{name} with {given}") from None
    return function(*args, **options)


def _forward(op: Op) -> Callable[..., Expression]:
    def method(self: Expression, *others: object) -> Expression:
        return build(op, self, *others)

    return method


def _reflected(op: Op) -> Callable[..., Expression]:
    def method(self: Expression, other: object) -> Expression:
        return build(op, other, self)

    return method


def install_operators() -> None:
    """Give expressions the Python operators that the declared ops claim, and lengths a way to become expressions."""
    Size.to_quantity = staticmethod(lambda size: Expression(as_node(size)))
    for op in REGISTRY.values():
        if not op.python:
            continue
        setattr(Expression, op.python, _forward(op))
        if op.arity == 2 and op.python not in _COMPARISONS:
            setattr(Expression, op.python.replace("__", "__r", 1), _reflected(op))


_COMPARISONS = {"__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"}
