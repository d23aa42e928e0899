"""What a distribution is: one declaration, from which checks, lowerings, tests and docs are derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scistan.domains import Domain
from scistan.graph.node import Data, Literal, Node
from scistan.messages import declared as messages
from scistan.ops.expression import Expression
from scistan.shapes import Shape

__all__ = [
    "REGISTRY", "Distribution", "Glm", "Parameter", "Relation", "StanForm", "Undrawn", "constant_value", "declare",
]

Formula = Callable[..., Expression]


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument: its name as in Stan and the domain it must lie in."""

    name: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class Relation:
    """What must hold between parameters: the one to blame, the rest of "must be …", and the test."""

    parameter: str
    words: str
    holds: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class StanForm:
    """How Stan writes a distribution.

    `name` is Stan's own; without one the density is written out from `log_density`. `arguments` and
    `rng` are templates in the parameters (`{mu}`); by default all of them in order. `constant` is what
    Stan's density leaves out (`log2()` for a half distribution). `tail_error` is how far off the derivatives
    of Stan's `_lcdf` and `_lccdf` of this name are at most, relative to the largest; 0 for none beyond rounding.
    """

    name: str = ""
    arguments: tuple[str, ...] | None = None
    rng: str = ""
    rng_function: str = ""  # the code of a generator of our own that `rng` calls
    constant: str = ""
    one_based: bool = False  # outcomes count from 1 in Stan
    vectorizes: bool = True  # density takes containers
    containers: tuple[str, ...] | None = None  # the parameters that may differ between outcomes; None: every one
    truncates: bool = True  # has _lcdf and _lccdf
    repeats: tuple[str, ...] = ()  # parameters that must be vectors where the value is one
    tail_error: float = 0.0
    fused: bool = False  # a GLM form: a design matrix `x` with a row for each outcome, and real numbers alone


@dataclass(frozen=True, slots=True)
class Glm:
    """Stan's fused form of a distribution whose `predictor` is `alpha + x @ beta`."""

    name: str
    predictor: str
    others_vary: bool = False  # the other parameters may differ between outcomes
    intercept: bool = True  # takes `alpha` beside `x` and `beta`
    fewest: int | None = 1  # columns from which on it beats their sum, `bench/fused.py`; None: it never does


@dataclass(frozen=True, slots=True)
class Undrawn:
    """In the place of what draws, where nobody said how."""

    name: str

    def __call__(self, *_: object) -> np.ndarray:
        raise messages.no_draw([], self.name, None)


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """A family of distributions, declared once.

    `log_density` is written in SciStan's own ops, value first: it is the definition, the torch form,
    and the oracle of every native form. `draw(rng, size, *arguments)` draws with NumPy; `size` is the
    shape of the batch. `scipy(*arguments)` gives SciPy's frozen distribution, from which truncated draws and the
    tests' second opinion come. `support` may depend on the arguments (a function of them by name).
    """

    name: str
    doc: str
    parameters: tuple[Parameter, ...]
    support: Domain | Callable[[Mapping[str, Node]], Domain]
    log_density: Formula
    draw: Callable[..., np.ndarray]
    stan: StanForm
    scipy: Callable[..., Any] | None = None
    log_cdf: Formula | None = None
    log_ccdf: Formula | None = None
    event_shape: Callable[[Mapping[str, Node]], Shape] | None = None
    location_scale: tuple[str, str] | None = None  # x = location + scale · z, z free of both; a matrix scale multiplies
    factor: Formula | None = None  # takes the last parameter to the Cholesky factor of the covariance
    factor_form: str = ""  # the name of the family that has the factor in its place
    one_length: bool = True  # vectors and matrices among the arguments have the length of one value
    relation: Relation | None = None  # between parameters, checked where their numbers are known
    link: str = ""  # the op that takes a linear predictor to this one's `linked_parameter`
    linked_parameter: str = ""  # in `link_form` the predictor itself stands in its place
    link_form: str = ""  # the name of that family
    glm: Glm | None = None
    sample: Formula | None = None  # the joint log density of n outcomes with the same arguments: of them, n, and these
    grouped: Callable[..., Any] | None = None  # its form for groups of outcomes with equal arguments: `grouped.py`
    rule: Any = None  # of a series: the law of its next element (`distributions/rule.py`)
    potential: bool = False  # a term of the density that is of no value: nothing is drawn, observed or predicted
    improper: bool = False  # no probability distribution: nothing can be drawn, and nothing is normalized
    remark: str = ""  # of a form for the program alone: what the reader is told it is
    discrete: bool = False
    public: bool = True
    title: str = ""  # what the user calls it; its own name unless it is one form of several

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name)
        if isinstance(self.support, Domain) and self.support.integer:
            object.__setattr__(self, "discrete", True)

    def form(self, name: str, **fields: Any) -> Distribution:
        """Derive a form for the program alone: its density written out unless `stan` is given, unknown to the user."""
        none = dict.fromkeys(("location_scale", "glm", "sample", "grouped"))
        plain = {"stan": StanForm(), "link": "", "public": False, "title": ""}
        return replace(self, name=name, **{**none, **plain, **fields})

    def domain(self, args: tuple[Node, ...]) -> Domain:
        """Give the support for these arguments."""
        return self.support if isinstance(self.support, Domain) else self.support(self.named(args))

    @property
    def drawable(self) -> bool:
        """Whether it was said how to draw from it."""
        return not isinstance(self.draw, Undrawn)

    @property
    def length_given(self) -> bool:
        """Whether what one value is as long as is said where it is used, by `dims=`, `shape=` or the values."""
        return bool(self.event_rank) and self.event_shape is None

    @property
    def truncatable(self) -> bool:
        """Whether `lower` and `upper` can bound it: one continuous number whose probabilities are known."""
        known = self.log_cdf is not None and self.log_ccdf is not None
        return not self.discrete and not self.event_rank and (known or self.improper)

    @property
    def event_rank(self) -> int:
        return self.support.event_rank if isinstance(self.support, Domain) else 0

    def named(self, args: tuple[Any, ...]) -> dict[str, Any]:
        """Put arguments under their parameters' names."""
        return {p.name: arg for p, arg in zip(self.parameters, args, strict=True)}

    @property
    def signature(self) -> str:
        return f"{self.title}({', '.join(self.keyword(p) or p.name for p in self.parameters)})"

    def keyword(self, parameter: Parameter) -> str:
        """Give how a parameter that chose between forms is written: `cov=`; "" for any other."""
        return f"{parameter.name}=" if self.title != self.name and parameter is self.parameters[-1] else ""


def constant_value(node: Node) -> np.ndarray | None:
    """Give the numbers of a literal or of data at hand, None for anything else."""
    if isinstance(node, Literal):
        return np.asarray(node.value)
    return node.default if isinstance(node, Data) else None


REGISTRY: dict[str, Distribution] = {}


def declare(name: str, doc: str, **fields: Any) -> Distribution:
    """Declare a distribution and enter it in the registry, from which everything else is derived."""
    distribution = Distribution(name=name, doc=doc, **fields)
    REGISTRY[name] = distribution
    return distribution
