"""Distributions of one of several categories, counted from 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scistan.constrained import ORDERED, SIMPLEX
from scistan.distributions.declaration import Glm, Parameter, StanForm, declare
from scistan.distributions.formulas import Quantity, functions
from scistan.distributions.scipy_forms import special
from scistan.domains import REAL, VECTOR, Domain, integers
from scistan.graph.node import Node

log, where, log_inv_logit, log_diff_exp = functions("log", "where", "log_inv_logit", "log_diff_exp")
length, pick, log_softmax = functions("length", "pick", "log_softmax")
maximum, minimum = functions("maximum", "minimum")


def _categories(parameter: str, more: int = 0) -> Callable[[Mapping[str, Node]], Domain]:
    """Give the categories 0, 1, … of which there are as many as the parameter has entries, and `more`."""
    return lambda arguments: integers(0, arguments[parameter].shape[-1].today - 1 + more)


def _draw_category(rng: Any, size: Any, theta: Any) -> np.ndarray:
    ends = np.cumsum(theta, axis=-1)
    return np.asarray((rng.random(size)[..., None] * ends[..., -1:] >= ends[..., :-1]).sum(-1))


declare(
    "Categorical",
    "One of the categories 0, 1, … with probabilities `theta`.",
    parameters=(Parameter("theta", SIMPLEX),),
    support=_categories("theta"),
    discrete=True,
    log_density=lambda x, theta: log(pick(theta, x)),
    draw=_draw_category,
    stan=StanForm("categorical", one_based=True, containers=(), truncates=False),
    link="softmax",
    linked_parameter="theta",
    link_form="CategoricalLogit",
)

declare(
    "CategoricalLogit",
    "One of the categories 0, 1, … with probabilities `softmax(beta)`.",
    parameters=(Parameter("beta", VECTOR),),
    support=_categories("beta"),
    discrete=True,
    log_density=lambda x, beta: pick(log_softmax(beta), x),
    draw=lambda rng, size, beta: _draw_category(rng, size, special().softmax(beta, axis=-1)),
    stan=StanForm("categorical_logit", one_based=True, containers=(), truncates=False),
    glm=Glm("categorical_logit_glm", "beta"),
)


def _ordered_density(y: Any, eta: Any, c: Any) -> Quantity:
    bottom, top = y < 1, y >= length(c)  # categories run from 0 to the number of cut points
    below, above = pick(c, maximum(y - 1, 0)), pick(c, minimum(y, length(c) - 1))
    # At either end one of the two cut points does not exist; a stand-in keeps its branch finite.
    lower, upper = where(bottom, above - 1.0, below), where(top, below + 1.0, above)
    inner = log_diff_exp(log_inv_logit(upper - eta), log_inv_logit(lower - eta))
    return where(bottom, log_inv_logit(above - eta), where(top, log_inv_logit(eta - below), inner))


def _draw_ordered(rng: Any, size: Any, eta: Any, c: Any) -> np.ndarray:
    latent = rng.logistic(eta, 1.0, size)
    return np.asarray((latent[..., None] > c).sum(-1))


declare(
    "OrderedLogistic",
    "Ordered categories 0, 1, … cut from a logistic distribution about `eta` at the points `c`.",
    parameters=(Parameter("eta", REAL), Parameter("c", ORDERED)),
    support=_categories("c", more=1),
    discrete=True,
    log_density=_ordered_density,
    draw=_draw_ordered,
    stan=StanForm("ordered_logistic", one_based=True, truncates=False, repeats=("eta",)),
    glm=Glm("ordered_logistic_glm", "eta", intercept=False, fewest=None),
)
