"""Functions written in other ops: growth curves, clipping, and the convolution of a sequence."""

from __future__ import annotations

from scistan.graph.node import Apply, Data
from scistan.messages import expressions as messages
from scistan.ops import elementwise as e
from scistan.ops.coerce import as_node
from scistan.ops.expression import Expression, build
from scistan.ops.indexing import index
from scistan.ops.reductions import sum as sum_along
from scistan.ops.shaping import arange
from scistan.shapes import values_of


def clip(x: object, lower: object = None, upper: object = None) -> Expression:
    """Limit to the range from `lower` to `upper`; either may be None."""
    result = Expression(as_node(x))
    if lower is not None:
        result = build(e.maximum, result, lower)
    return result if upper is None else build(e.minimum, result, upper)


def floor_divide(x: object, y: object) -> Expression:
    """Divide and round down."""
    return build(e.floor, build(e.divide, x, y))


def remainder(x: object, y: object) -> Expression:
    """Give what rounding down leaves: `x - y · floor(x / y)`, with the sign of `y`."""
    divisor = Expression(as_node(y))
    return build(e.subtract, x, build(e.multiply, divisor, floor_divide(x, divisor)))


_COMPARISONS = frozenset({"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"})


def _truth(x: object) -> Expression:
    node = as_node(x)
    compared = isinstance(node, Apply) and node.op.name in _COMPARISONS
    return Expression(node) if compared else build(e.not_equal, Expression(node), 0)


def logical_and(x: object, y: object) -> Expression:
    """Give 1 where neither is 0, else 0."""
    return build(e.multiply, _truth(x), _truth(y))


def logical_or(x: object, y: object) -> Expression:
    """Give 1 where one of the two is not 0, else 0."""
    return build(e.maximum, _truth(x), _truth(y))


def logical_not(x: object) -> Expression:
    """Give 1 where `x` is 0, else 0."""
    return build(e.equal, x, 0)


def exponential_growth(t: object, start: object, rate: object) -> Expression:
    """Grow over time `t` from `start` at the rate `rate`: `start · exp(rate · t)`."""
    return build(e.multiply, start, build(e.exp, build(e.multiply, rate, t)))


def log_exponential_growth(t: object, log_start: object, rate: object) -> Expression:
    """Give the logarithm of `exponential_growth` over time `t`, from `log_start = log(start)`, at the rate `rate`."""
    return build(e.add, log_start, build(e.multiply, rate, t))


def logistic_growth(t: object, capacity: object, midpoint: object, rate: object) -> Expression:
    """Grow over `t` to `capacity`, half at `midpoint`, at `rate`: `capacity / (1 + exp(-rate · (t - midpoint)))`."""
    return build(e.multiply, capacity, build(e.inv_logit, _distance(t, midpoint, rate)))


def log_logistic_growth(t: object, log_capacity: object, midpoint: object, rate: object) -> Expression:
    """Give the logarithm of `logistic_growth` over time `t`, from `log_capacity`, `midpoint` and `rate`."""
    return build(e.add, log_capacity, build(e.log_inv_logit, _distance(t, midpoint, rate)))


def logistic_growth_from(t: object, capacity: object, start: object, rate: object) -> Expression:
    """Grow logistically over time `t` to `capacity`, from the value `start` at `t = 0`, at the rate `rate`."""
    return build(e.multiply, capacity, build(e.inv_logit, _from_start(t, capacity, start, rate)))


def log_logistic_growth_from(t: object, log_capacity: object, log_start: object, rate: object) -> Expression:
    """Give the logarithm of `logistic_growth_from` over time `t`, from `log_capacity`, `log_start` and `rate`."""
    # start / (capacity - start) on the log scale: log_start - log(exp(log_capacity) - exp(log_start))
    odds = build(e.subtract, log_start, build(e.log_diff_exp, log_capacity, log_start))
    height = build(e.log_inv_logit, build(e.add, odds, build(e.multiply, rate, t)))
    return build(e.add, log_capacity, height)


def _distance(t: object, midpoint: object, rate: object) -> Expression:
    return build(e.multiply, rate, build(e.subtract, t, midpoint))


def _from_start(t: object, capacity: object, start: object, rate: object) -> Expression:
    odds = build(e.log, build(e.divide, start, build(e.subtract, capacity, start)))
    return build(e.add, odds, build(e.multiply, rate, t))


def convolve_sequence(weights: object, sequence: object) -> Expression:
    """Slide `weights` (window × alphabet) along a sequence of 0-based letters and sum what it meets.

    The result has `len(sequence) - window + 1` entries: entry `i` is `Σ_k weights[k, sequence[i + k]]`.
    """
    table, letters = as_node(weights), as_node(sequence)
    shapes = [values_of(table.shape), values_of(letters.shape)]
    if len(table.shape) != 2 or len(letters.shape) != 1 or not letters.integer:
        raise messages.bad_shapes("convolve_sequence", shapes, "a matrix and a vector of whole numbers are needed")
    window, length = table.shape[0], letters.shape[0]
    if length.today < window.today:
        raise messages.bad_shapes("convolve_sequence", shapes, "the sequence is shorter than the window")
    steps = arange(window)
    met = index(Expression(letters), build(e.add, arange(length - window + 1)[:, None], steps))
    if isinstance(letters, Data) and letters.default is not None:
        index(Expression(table), (slice(None), Expression(letters)))  # refuses letters the alphabet does not have
    return sum_along(index(Expression(table), (steps, met)), axis=-1)
