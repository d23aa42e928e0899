"""The driver: from a graph to a Stan program, stage by stage. Read this first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from scistan.distributions.rule import pieces_of
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node
from scistan.graph.walk import topological
from scistan.messages import inference as messages
from scistan.passes import run_passes
from scistan.profiling import staged
from scistan.targets.stan.data_block import DataBlock
from scistan.targets.stan.declarations import declare_parameter
from scistan.targets.stan.declared_latent import DeclaredLatent
from scistan.targets.stan.generated import Generated, Switches, write_log_prior, write_observation
from scistan.targets.stan.lower import Scope, Writer
from scistan.targets.stan.lower_ops import lower_op
from scistan.targets.stan.names import Names, SizeNames
from scistan.targets.stan.own_functions import give_way
from scistan.targets.stan.source_map import Source, map_sources, with_origins
from scistan.targets.stan.statements import term_statements, together
from scistan.targets.stan.syntax import Braces, Declare, Statement, render, written
from scistan.targets.stan.threads import threaded_statements

__all__ = ["Block", "StanProgram", "lower_to_stan"]

_JOINING = ("stack", "concatenate")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the program, as its statements."""

    name: str
    statements: tuple[Statement, ...]

    @property
    def lines(self) -> list[str]:
        return render(self.statements)


@dataclass(frozen=True, slots=True, eq=False)
class StanProgram:
    """A program: its text, what it reads, what it writes, and whose line each of its lines is."""

    blocks: tuple[Block, ...]
    entries: DataBlock
    parameters: tuple[DeclaredLatent, ...]
    generated: tuple[Generated, ...]
    log_prior: str
    functions: Mapping[str, str] = field(default_factory=dict)
    own_names: frozenset[str] = frozenset()  # the user's variables
    origins: Mapping[str, object] = field(default_factory=dict)  # what each function is there for
    _texts: list[str] = field(default_factory=list, init=False, repr=False)  # written once, when it is asked for

    @property
    def text(self) -> str:
        """The program as text."""
        if not self._texts:
            self._texts.append(self._write())
        return self._texts[0]

    @staged("writing")
    def _write(self) -> str:
        functions = [line for code in self.functions.values() for line in code.splitlines()]
        blocks = [{"name": "functions", "lines": functions}] + [{"name": b.name, "lines": b.lines} for b in self.blocks]
        rendered: str = _template().render(blocks=blocks)
        return give_way(rendered.strip() + "\n", self.functions.values(), self.own_names)

    @staged("data")
    def data(self, instance: Instance) -> dict[str, Any]:
        """Give the data that the program reads."""
        return self.entries.encode(instance)

    def inits(self, values: Mapping[str, np.ndarray], instance: Instance) -> dict[str, Any]:
        """Give starting values of the user's latents as the program's parameters want them."""
        known = self.entries.evaluator(instance)
        for parameter in self.parameters:
            known.set(parameter.term.value, np.asarray(values[parameter.term.name], dtype=float), batched=False)
        result: dict[str, Any] = {}
        for parameter in self.parameters:
            value = known[parameter.term.value].array
            free = parameter.to_free
            result[parameter.free_name or parameter.term.name] = value if free is None else free(value, known)
        return result

    def source_map(self) -> dict[int, Source]:
        """Map each line of the text to what the user wrote and it comes from."""
        functions = [
            line for key, code in self.functions.items() for line in with_origins(code, self.origins.get(key))
        ]
        blocks = {"functions": functions} | {block.name: written(block.statements) for block in self.blocks}
        return map_sources(blocks, self.entries.graph)


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    package = Path(__file__).resolve().parents[2]
    folders = [str(package / "templates"), str(package.parent / "templates")]
    environment = Environment(loader=FileSystemLoader(folders), undefined=StrictUndefined, keep_trailing_newline=True)
    return environment.get_template("program.stan.j2")


@staged("lowering")
def lower_to_stan(
    graph: Graph,
    *,
    log_lik: bool = True,
    predictive: bool = True,
    log_prior: bool = True,
    threads: bool = False,
    **passes: bool,
) -> StanProgram:
    """Lower a graph to a program: passes, then block after block; `threads` sums observations in slices."""
    switches = Switches(log_lik, predictive, log_prior)
    stages = run_passes(graph, **passes)
    writer, entries = _new_writer(stages.plain)
    writer.roles = _roles(stages.fused)
    data = Scope(writer)

    inline, transformed = Scope(writer, data, expressions_only=True), Scope(writer, data)
    parameters = tuple(declare_parameter(inline, transformed, term) for term in stages.plain.latents)

    used_in_model = _nodes_of_terms(stages.fused)
    early = {n: node for n, node in stages.plain.derived.items() if node in used_in_model}
    late = {n: node for n, node in stages.plain.derived.items() if node not in used_in_model}
    transformed.define(early)

    model = Scope(writer, transformed)
    priors = {p.term.name: p.prior for p in parameters if p.prior is not None}
    terms = [priors.get(term.name, term) for term in stages.fused.terms]
    model.share([node for term in terms for piece in pieces_of(term) for node in piece.law.inputs])
    for parameter in parameters:
        model.statements += parameter.jacobian
    write = threaded_statements if threads else term_statements
    for term in terms:
        model.statements += write(model, term)

    quantities, generated, prior = _generated_quantities(writer, transformed, stages.plain, late, switches)
    if writer.gaps:
        raise messages.unsupported("Stan", list(writer.gaps.values()))
    blocks = (
        Block("data", tuple(entries.declarations())),
        Block("transformed data", tuple(data.statements)),
        Block("parameters", tuple(p.declaration for p in parameters)),
        Block("transformed parameters", tuple(transformed.statements)),
        Block("model", tuple(together(model.statements))),
        Block("generated quantities", quantities),
    )
    own = _own_names(graph)
    return StanProgram(blocks, entries, parameters, generated, prior, writer.functions, own, writer.origins)


def _own_names(graph: Graph) -> frozenset[str]:
    return frozenset({*(t.name for t in graph.terms), *graph.derived, *graph.data_names.values()})


def _new_writer(graph: Graph) -> tuple[Writer, DataBlock]:
    names = Names(set(_own_names(graph)))
    sizes = SizeNames(graph.sizes(), names)
    for term in graph.latents:
        sizes.wish(term.law.shape, term.name)
    entries = DataBlock(graph, names, sizes)
    return Writer(lower_op, graph, names, sizes, entries, reachable=_reachable(graph)), entries


def _roles(graph: Graph) -> dict[Node, str]:
    """Name what GLM forms read, where it was put together for them."""
    roles = {"x": "predictors", "beta": "coefficients"}
    fused = [term.law for term in graph.terms if term.law.distribution.stan.fused]
    named = [(arg, p.name) for law in fused for p, arg in zip(law.distribution.parameters, law.args, strict=True)]
    return {arg: roles[of] for arg, of in named if of in roles and isinstance(arg, Apply) and arg.op.name in _JOINING}


def _reachable(graph: Graph) -> frozenset[Node]:
    return frozenset(graph.nodes) | _nodes_of_terms(graph)


def _nodes_of_terms(graph: Graph) -> set[Node]:
    pieces = (piece for term in graph.terms for piece in pieces_of(term))
    return set(topological([node for piece in pieces for node in piece.law.inputs]))


def _generated_quantities(
    writer: Writer, transformed: Scope, graph: Graph, late: Mapping[str, Node], switches: Switches
) -> tuple[tuple[Statement, ...], tuple[Generated, ...], str]:
    """Write the block: outputs declared on top, everything else local to braces so that it is not saved."""
    top = Scope(writer, transformed)
    top.define(late)
    inner = Scope(writer, top)
    observed = graph.observed
    inner.share([node for term in observed for piece in pieces_of(term) for node in piece.law.inputs])
    declared: list[Statement] = list(top.statements)
    generated: list[Generated] = []
    for term in observed:
        outputs, made = write_observation(inner, term, switches, only=len(observed) == 1)
        declared += outputs
        generated.append(made)
    prior = ""
    if switches.log_prior and graph.latents:
        prior = writer.names.claim("log_prior")
        declared.append(Declare("real", prior, node=tuple(graph.latents)))
        write_log_prior(inner, graph.latents, prior)
    if any(isinstance(s, Declare) for s in inner.statements):
        return (*declared, Braces(tuple(inner.statements))), tuple(generated), prior
    return (*declared, *inner.statements), tuple(generated), prior
