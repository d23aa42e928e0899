"""A term of the density of one's own: an expression that is added to the log density, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from scistan.distributions.declaration import REGISTRY, Distribution, Parameter, StanForm
from scistan.distributions.mixture import mixture_named
from scistan.distributions.rule import SERIES, read_series
from scistan.distributions.unnamed import Unnamed
from scistan.domains import REAL
from scistan.ops.coerce import as_node
from scistan.ops.expression import Expression
from scistan.ops.reductions import sum as total

__all__ = ["POTENTIAL", "laws", "potential"]


def _no_draw(*_: object) -> NoReturn:
    raise TypeError("a potential has no draws")


# In no registry: it has no values, so that nothing that holds of distributions holds of it.
POTENTIAL = Distribution(
    name="Potential",
    doc="A term of the log density, whatever value it stands beside.",
    parameters=(Parameter("term", REAL),),
    support=REAL,
    log_density=lambda _, term: term,
    draw=_no_draw,
    stan=StanForm(),
    potential=True,
    public=False,
)


class _Laws(dict[str, Any]):
    """The distributions by name; a mixture's name says what it is a mixture of."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and mixture_named(name) is not None)

    def __missing__(self, name: str) -> Distribution:
        found = mixture_named(name)
        if found is None:
            raise KeyError(name)
        return found



def laws() -> Mapping[str, Any]:
    """Give all that a term of a graph can be by its name: distributions, mixtures, this, and what reads a series."""
    return _Laws({**REGISTRY, POTENTIAL.name: POTENTIAL, SERIES: read_series})


def potential(expression: object) -> Unnamed:
    """Add an expression to the log density of the model that names it; the sum of one with several elements.

    It counts on every target, in neither the log likelihood nor the prior nor predictions.

    >>> import scistan as ss
    >>> m = ss.Model("ring")
    >>> m.x = ss.Flat()
    >>> m.y = ss.Flat()
    >>> m.ring = ss.potential(-((ss.sqrt(m.x**2 + m.y**2) - 2) ** 2) / 0.1)
    >>> round(m.log_density({"x": 2.0, "y": 0.0}), 3)
    0.0
    """
    node = as_node(expression)
    made = Unnamed(POTENTIAL, (total(Expression(node))._scistan_node_ if node.shape else node,))
    return made.observe(np.zeros(()))
