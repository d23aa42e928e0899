"""Series that have names: random walks, autoregressions, GARCH and local linear trends, each by its law."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scistan.distributions.called import told
from scistan.distributions.composite import Composite, Enter
from scistan.distributions.constructor import CONSTRUCTORS
from scistan.distributions.series import Past, Series, UnformedSeries
from scistan.distributions.unnamed import Unnamed
from scistan.messages import series as messages
from scistan.ops import FUNCTIONS
from scistan.ops.coerce import as_node
from scistan.ops.expression import Expression

__all__ = ["AR", "GARCH", "LocalLinearTrend", "RandomWalk"]

Dims = str | tuple[str, ...] | None


def _normal(mu: object, sigma: object) -> Unnamed:
    made: Unnamed = CONSTRUCTORS["Normal"](mu, sigma)
    return made


def _is_nothing(number: object) -> bool:
    return isinstance(number, int | float) and number == 0


@told
def RandomWalk(  # they are used as the distributions are
    sigma: object, start: object, drift: object = 0.0, *, length: object = None, dims: Dims = None,
    centred: bool | None = None, centered: bool | None = None,
) -> UnformedSeries:
    """Each element is the one before, plus a drift and a normal step of scale `sigma`.

    >>> import scistan as ss
    >>> m = ss.Model("walk")
    >>> m.tau = ss.HalfNormal(1)
    >>> m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 5), length=10)
    >>> m.level.shape
    (10,)
    """

    def law(past: Past) -> Unnamed:
        return _normal(past[-1] if _is_nothing(drift) else past[-1] + drift, sigma)

    return Series(law, start=start, length=length, dims=dims, centred=centred, centered=centered)


@told
def AR(
    coefficients: object, sigma: object, constant: object = 0.0, start: object = "given", *, length: object = None,
    dims: Dims = None, centred: bool | None = None, centered: bool | None = None,
) -> UnformedSeries:
    """An autoregression: a constant, the elements before times their coefficients, and normal noise.

    As many elements are looked back at as there are coefficients; the first stands beside the last element.

    >>> import numpy as np, scistan as ss
    >>> m = ss.Model("ar2")
    >>> m.phi = ss.Normal(0, 0.5, shape=2)
    >>> m.sigma = ss.HalfNormal(1)
    >>> m.y = ss.AR(m.phi, m.sigma).observe(np.arange(6.0))
    """
    beside = _coefficients(coefficients)

    def law(past: Past) -> Unnamed:
        mean: Any = sum((one * past[-k] for k, one in enumerate(beside[1:], 2)), beside[0] * past[-1])
        return _normal(mean if _is_nothing(constant) else constant + mean, sigma)

    return Series(law, start=start, length=length, dims=dims, centred=centred, centered=centered)


def _coefficients(given: object) -> list[Any]:
    if isinstance(given, Sequence) and not isinstance(given, str):
        found = list(given)
    else:
        node = as_node(given)
        found = [Expression(node)[k] for k in range(node.shape[0].today)] if len(node.shape) == 1 else [given]
    if not found:
        raise messages.no_coefficients()
    return found


@told
def GARCH(
    mu: object, omega: object, alpha: object, beta: object, sigma: object, *, dims: Dims = None
) -> UnformedSeries:
    """Normal around `mu`, with a variance that follows the last deviation and the last variance.

    `sigma[t]**2 = omega + alpha * (y[t - 1] - mu)**2 + beta * sigma[t - 1]**2`. `sigma` is the first one's scale.

    >>> import numpy as np, scistan as ss
    >>> m = ss.Model("garch")
    >>> m.mu = ss.Normal(0, 1)
    >>> m.omega = ss.HalfNormal(1)
    >>> m.alpha = ss.Uniform(0, 1)
    >>> m.beta = ss.Uniform(0, 1)
    >>> m.y = ss.GARCH(m.mu, m.omega, m.alpha, m.beta, sigma=1.0).observe(np.arange(6.0))
    """
    square, sqrt = FUNCTIONS["square"], FUNCTIONS["sqrt"]

    def law(before: Expression, past: Past) -> tuple[Expression, Unnamed]:
        now = sqrt(omega + alpha * square(past[-1] - mu) + beta * square(before))  # type: ignore[operator]
        return now, _normal(mu, now)

    return Series(law, start=_normal(mu, sigma), state=sigma, dims=dims)


@told
def LocalLinearTrend(
    level: object, slope: object, start: Unnamed, start_slope: Unnamed, *, length: object = None, dims: Dims = None,
    centred: bool | None = None, centered: bool | None = None,
) -> Composite:
    """A level that goes on by a slope which is itself a random walk: `level` and `slope` are the scales of both.

    The slopes are a variable of their own, `<name>_slope`: that of a time is what led to it.

    >>> import scistan as ss
    >>> m = ss.Model("trend")
    >>> m.tau = ss.HalfNormal(1)
    >>> m.f = ss.LocalLinearTrend(0.1, m.tau, start=ss.Normal(0, 5), start_slope=ss.Normal(0, 1), length=10)
    >>> m.f_slope.shape
    (10,)
    """

    def parts(enter: Enter) -> Expression:
        drawn: dict[str, Any] = {"dims": dims, "centred": centred, "centered": centered}
        slopes = enter("slope", RandomWalk(slope, start_slope, length=length, **drawn))

        def law(past: Past, added: Expression) -> Unnamed:
            return _normal(past[-1] + added, level)

        return Series(law, start=start, over=slopes, **drawn)

    return Composite("LocalLinearTrend", parts)
