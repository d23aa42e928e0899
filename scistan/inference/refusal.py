"""A program that stanc refuses: Stan of the user's own is told at their line, anything else is a fault of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scistan.errors import ModelError, ScistanError, UnsupportedError
from scistan.graph.body import with_insides
from scistan.graph.graph import Graph
from scistan.graph.node import Apply
from scistan.messages import inference as messages
from scistan.messages.toolchain import StancError, stanc_failed
from scistan.ops.own_stan import own_operations, owner_of_function, owner_of_line
from scistan.targets.stan.program import StanProgram

__all__ = ["in_users_terms", "refusal"]

FIRST_FUNCTION_LINE = 2  # below `functions {`


@contextmanager
def in_users_terms(program: StanProgram) -> Iterator[None]:
    """Put a compiler's complaint about a program into the user's terms."""
    try:
        yield
    except StancError as error:
        told = refusal(error, program)
        raise told from (None if isinstance(told, ModelError) else error)  # of their own text all is said
    except UnsupportedError as error:
        # An embedded engine's compiler speaks as stanc does; what it refuses of ours another engine may take.
        complaint = stanc_failed(error.what, "", 1)
        if isinstance(complaint, StancError) and (own := own_refusal(complaint, program)):
            raise own from None
        raise


def refusal(error: StancError, program: StanProgram) -> ScistanError:
    """Say whose fault a refused line is, and where it was written."""
    if own := own_refusal(error, program):
        return own
    source = program.source_map().get(error.line)
    place = None if source is None else source.place
    return messages.generated_code_refused(error.message, error.line, program.text, place)


def own_refusal(error: StancError, program: StanProgram) -> ModelError | None:
    """Give the error of a line that the user wrote in Stan; None for a line of ours."""
    start = FIRST_FUNCTION_LINE
    for code in program.functions.values():
        row = error.line - start + 1
        start += len(code.splitlines())
        if row >= 1 and error.line < start and (own := owner_of_function(code)):
            return messages.own_stan_refused(own.what, f"line {row} of its functions: {error.message}", own.place)
    lines = program.text.splitlines()
    line = lines[error.line - 1].strip() if 1 <= error.line <= len(lines) else ""
    if own := owner_of_line(line, _unused(program.entries.graph)):
        return messages.own_stan_refused(own.what, f"in `{line}`: {error.message}", own.place)
    return None


def _unused(graph: Graph) -> set[str]:
    """List the user's operations that are nowhere in a graph."""
    nodes = (node for node, _ in with_insides(graph.nodes))
    return own_operations() - {f"operation `{node.op.name}`" for node in nodes if isinstance(node, Apply)}
