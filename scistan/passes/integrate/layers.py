"""The normal terms of a model as layers: linear forms in the latents, and the precision that each is measured by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from scistan.distributions.rule import pieces_of
from scistan.graph.graph import Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node, literal
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.factor import by_factor
from scistan.passes.integrate.linear import LinearReader, NotLinear, element
from scistan.passes.integrate.part import Part

__all__ = ["Form", "Layer", "is_improper", "is_normal", "kernel_of", "layers_of"]

# Noise that differs between so many classes of rows at most: each is a layer of its own.
MOST_SCALES = 20
MOST_COMPONENTS = 8  # of vectors that one covariance ties

diagonal, inverse, log, matmul, total, transpose = (
    FUNCTIONS[n] for n in ("diagonal", "inverse", "log", "matmul", "sum", "transpose")
)


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """Rows that are linear in latents: what is observed or drawn less its location."""

    parts: tuple[Part, ...]  # of arrays (rows, what is added up)
    rows: int

    def part(self, which: slice) -> Form:
        """Give some of the rows."""
        return Form(tuple(part.rows(which) for part in self.parts), len(range(*which.indices(self.rows))))


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Rows of normal numbers around 0: as many forms as each has components, which one precision matrix measures.

    `precision` has its entries by row and column, from the diagonal on; `weights` multiply it row by row. Beside the
    quadratic form the log density has `-count * log_scale`, where that is sampled, and a `constant`. `observed` says
    that the rows are those of an observed variable.
    """

    forms: tuple[Form, ...]
    precision: Mapping[tuple[int, int], Node]
    weights: np.ndarray
    count: float
    log_scale: Node | None
    constant: float
    observed: bool

    def rows(self, which: np.ndarray) -> Layer:
        """Give some of its rows, without what the density has beside the quadratic form."""
        forms = tuple(Form(tuple(_picked(part, which) for part in form.parts), len(which)) for form in self.forms)
        return replace(self, forms=forms, weights=self.weights[which], count=0.0, log_scale=None, constant=0.0)


def kernel_of(law: Law, instance: Instance) -> Node | None:
    """Give the covariance of a single normal vector that is too long for its precision: a Gaussian process."""
    if law.distribution.name not in _KERNELS or len(law.shape) != 1 or len(law.args[1].shape) != 2:
        return None
    if instance.length(law.shape[0]) <= MOST_COMPONENTS:
        return None
    matrix = Expression(law.args[1])
    whole = matmul(matrix, transpose(matrix)) if law.distribution.name == "MultivariateNormalChol" else matrix
    return whole._scistan_node_


_KERNELS = ("MultivariateNormalCov", "MultivariateNormalChol")


def is_normal(law: Law) -> bool:
    """Tell whether a law is a normal one, nothing cut off and nothing tied."""
    if law.truncated or law.constraint is not None:
        return False
    return law.distribution.name in ("Normal", "StdNormal") or law.distribution.name.startswith("MultivariateNormal")


def is_improper(law: Law) -> bool:
    """Tell whether a law is flat on the whole line."""
    return law.distribution.name == "Flat" and not law.truncated and law.constraint is None


def layers_of(term: Term, reader: LinearReader, instance: Instance) -> list[Layer]:
    """Read a normal term, or a series of such; `NotLinear` where it is no linear form of what is hidden."""
    if is_improper(term.law):
        return []
    if term.value in reader.hidden and kernel_of(term.law, instance) is not None:
        return _kernel(term, reader, instance)
    made: list[Layer] = []
    for piece in pieces_of(term):
        if not is_normal(piece.law):
            raise NotLinear(reader.hidden)
        if piece.law.distribution.event_rank:
            made += _vectors(piece, reader, instance)
        else:
            made += _numbers(piece, reader, instance)
    return made


def _numbers(term: Term, reader: LinearReader, instance: Instance) -> list[Layer]:
    named = term.law.distribution.named(term.law.args)
    shape = instance.shape(term.law.shape)
    parts = _less(reader, term.value, named.get("mu", literal(0)), shape)
    sigma = named.get("sigma", literal(1))
    reader.look_below(sigma)
    if reader.hides(sigma):
        raise NotLinear(reader.hides(sigma))
    rows = math.prod(shape)
    flat = [_flat(part, rows) for part in parts]
    made = []
    for picked, number, data in _scales(sigma, reader, shape, instance):
        kept = flat if picked is None else [_picked(part, picked) for part in flat]
        count = len(data)
        if not count:
            continue
        precision: Node = literal(1.0)
        log_scale: Node | None = None
        if number is not None:
            own = Expression(number)
            precision = (1.0 / (own * own))._scistan_node_
            log_scale = log(own)._scistan_node_
        constant = -float(np.sum(np.log(data))) - 0.5 * count * math.log(2 * math.pi)
        form = Form(tuple(kept), count)
        made.append(Layer((form,), {(0, 0): precision}, data**-2.0, count, log_scale, constant, term.is_observed))
    return made


def _scales(
    sigma: Node, reader: LinearReader, shape: tuple[int, ...], instance: Instance
) -> list[tuple[np.ndarray | None, Node | None, np.ndarray]]:
    """Give the classes of rows that one sampled number scales: which rows, that number, and what multiplies it."""
    found = [part.on(shape) for part in reader.read(sigma)]
    if len(found) != 1 or found[0].columns.shape[-1] != 1:
        raise NotLinear(reader.hidden)
    part = found[0]
    columns, positions = part.columns[..., 0].ravel(), part.positions[..., 0].ravel()
    if np.any(columns <= 0) or not np.all(np.isfinite(columns)):
        raise NotLinear(reader.hidden)
    if part.source is None:
        return [(None, part.scale, np.ascontiguousarray(columns))]
    classes = np.unique(positions)
    if len(classes) > MOST_SCALES:
        raise NotLinear(reader.hidden)
    made: list[tuple[np.ndarray | None, Node | None, np.ndarray]] = []
    for one in classes:
        picked = np.flatnonzero(positions == one)
        number = element(part.source, int(one), instance)
        scaled = number if part.scale is None else (Expression(number) * Expression(part.scale))._scistan_node_
        made.append((picked, scaled, columns[picked]))
    return made


def _vectors(term: Term, reader: LinearReader, instance: Instance) -> list[Layer]:
    """Read multivariate normals that share one covariance."""
    law = by_factor(term.law)
    if law.distribution.name != "MultivariateNormalChol" or len(law.args[1].shape) != 2:
        raise NotLinear(reader.hidden)
    location, factor = law.args
    reader.look_below(factor)
    if reader.hides(factor):
        raise NotLinear(reader.hides(factor))
    shape = instance.shape(law.shape)
    parts = _less(reader, term.value, location, shape)
    *batch, length = shape
    rows = math.prod(batch)
    if length > MOST_COMPONENTS:
        raise NotLinear(reader.hidden)
    forms = tuple(
        Form(tuple(_component(part, k, rows) for part in parts), rows) for k in range(length)
    )
    own = Expression(factor)
    root = inverse(own)
    precision = matmul(transpose(root), root)
    entries = {(i, k): precision[i, k]._scistan_node_ for i in range(length) for k in range(i, length)}
    log_scale = total(log(diagonal(own)))._scistan_node_
    constant = -0.5 * rows * length * math.log(2 * math.pi)
    return [Layer(forms, entries, np.ones(rows), rows, log_scale, constant, term.is_observed)]


def _kernel(term: Term, reader: LinearReader, instance: Instance) -> list[Layer]:
    """Check that nothing hidden is in a covariance: it enters as it is, and no rows of it are summed."""
    covariance = term.law.args[1]
    reader.look_below(covariance)
    if reader.hides(covariance):
        raise NotLinear(reader.hides(covariance))
    constant = -0.5 * instance.length(term.law.shape[0]) * math.log(2 * math.pi)
    return [Layer((), {}, np.ones(0), 0, None, constant, observed=False)]


def _less(reader: LinearReader, value: Node, location: Node, shape: tuple[int, ...]) -> list[Part]:
    """Read a location less its value; a latent that is read from there on is that already.

    Rows are around 0 whatever their sign, and it is the value that has few columns.
    """
    if value in reader.locations:
        return [reader.as_source(value, shape)]
    left = [part.on(shape).times(np.array(-1.0)) for part in reader.read(value)]
    right = [part.on(shape) for part in reader.read(location)]
    return [part for part in (*left, *right) if part.columns.any()]


def _flat(part: Part, rows: int) -> Part:
    terms = part.columns.shape[-1]
    return Part(part.source, part.scale, part.positions.reshape(rows, terms), part.columns.reshape(rows, terms))


def _picked(part: Part, rows: np.ndarray) -> Part:
    return Part(part.source, part.scale, part.positions[rows], part.columns[rows])


def _component(part: Part, k: int, rows: int) -> Part:
    terms = part.columns.shape[-1]
    positions, columns = part.positions[..., k, :], part.columns[..., k, :]
    return Part(part.source, part.scale, positions.reshape(rows, terms), columns.reshape(rows, terms))
