"""Print the pages that are derived from the declarations: distributions, functions, and who supports what."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path

import scistan as ss
from scistan.distributions import CONSTRUCTORS, REGISTRY
from scistan.engines.options import METHOD_OPTIONS
from scistan.engines.registry import ENGINES
from scistan.inference.capabilities.backends import SAMPLING
from scistan.inference.capabilities.declared import distribution_rows, op_rows
from scistan.inference.capabilities.show import markdown
from scistan.messages.foreign import FOREIGN
from scistan.ops import FUNCTIONS
from scistan.targets.registry import TARGETS

DOCS = Path(__file__).resolve().parent


def distributions() -> str:
    """One row per distribution: signature, support, and which forms exist."""
    lines = [
        "# Distributions",
        "",
        "Printed from the declarations by `python docs/generate.py`. Arguments follow Stan's names and order. Every",
        "distribution works on SciPy, torch and Stan; *written out* means that Stan has no form of its own and the",
        "program holds the density itself; *cdf* that it offers `cdf`, `ccdf` and their logs at a value; *bounds* that",
        "`lower=` and `upper=` truncate it, which continuous distributions of one number allow.",
        "",
        "| distribution | what it is | Stan | cdf | bounds |",
        "|---|---|---|---|---|",
    ]
    for name in sorted(CONSTRUCTORS):
        constructor = getattr(ss, name)
        declared = REGISTRY.get(name)
        signature = repr(constructor).removeprefix("ss.").replace("|", "or")
        doc = (constructor.__doc__ or "").splitlines()[0]
        stan = "several forms" if declared is None else declared.stan.name or "written out"
        cdf = "yes" if declared is not None and declared.log_cdf is not None else ""
        bounds = "yes" if declared is not None and declared.truncatable else ""
        lines.append(f"| `{signature}` | {doc} | {stan} | {cdf} | {bounds} |")
    return "\n".join(lines) + "\n"


def functions() -> str:
    """One row per function."""
    lines = [
        "# Functions",
        "",
        "Printed from the declarations by `python docs/generate.py`, arguments in the order of the call. Functions of",
        "NumPy work on expressions too: `np.exp(m.x)` is `ss.exp(m.x)`.",
        "",
    ]
    lines += ["| function | what it does |", "|---|---|"]
    for name in sorted(FUNCTIONS, key=str.lower):
        function = FUNCTIONS[name]
        doc = (function.__doc__ or "").strip().splitlines()[0]
        lines.append(f"| `ss.{name}{_arguments(function)}` | {doc} |")
    return "\n".join(lines) + "\n"


def messages() -> str:
    """The table of what other tools say, and what a user reads of models that cannot be."""
    golden = DOCS.parent / "tests" / "golden" / "messages"
    lines = [
        "# Messages",
        "",
        "Printed by `python docs/generate.py` from the declarations in `scistan/messages/foreign.py` and the texts",
        "that the tests keep. What another tool says is put into the terms of the model: the variable, the observation",
        "by its label, the value, the point, your line (a notebook cell counts), and what to try.",
        "",
        "When no chain can start, the model is evaluated term by term where chains would start, and the error says",
        "which argument, of which observation, left its range, or which function had no value. Only where that finds",
        "nothing is the tool's own message translated, by this table. The tools are made to say every row by",
        "`tests/inference/test_foreign.py`.",
        "",
        "| message | who says it | what it means | what to try |",
        "|---|---|---|---|",
    ]
    for row in FOREIGN:
        shown = (row.name, ", ".join(row.tools), _named(row.means), _named(row.suggestion))
        lines.append(f"| {' | '.join(shown)} |")
    lines += [
        "",
        "## Rejected proposals",
        "",
        "CmdStan tells of every proposal that it rejects because something could not be evaluated. They are counted by",
        "reason and place and explained once, in `fit.notes`; in warm-up they are harmless. Where more than 1 % of the",
        "draws after warm-up are concerned, a warning says so. stanli and nutpie do not tell: what they cannot",
        "evaluate is among their divergences.",
        "",
        "## Twenty mistakes, and what is read of them",
        "",
        "The models are in `tests/inference/broken_models.py`; below is what `m.mcmc()` says.",
        "",
        "```text",
        (golden / "broken_mcmc.txt").read_text().rstrip(),
        "```",
    ]
    return "\n".join(lines) + "\n"


def capabilities() -> str:
    """Who can do what: engines and targets, then every distribution and operation."""
    shown = [
        (name, "engine", (SAMPLING, *e.methods), tuple(dict.fromkeys(e.metrics)), ("cpu",), e.packages, e.fix)
        for name, e in ENGINES.items()
    ]
    shown = [(name, "target", t.tasks, (), t.devices, t.packages, t.fix) for name, t in TARGETS.items()] + shown
    columns = ("backend", "kind", "tasks", "metrics", "devices", "needs", "how to get it")
    declared = (distribution_rows(), op_rows())
    tables = [markdown(columns, shown)]
    tables += [markdown(list(rows[0]), [list(row.values()) for row in rows]) for rows in declared]
    methods = markdown(
        ("method", *ENGINES),
        [(m, *(sorted(e.methods[m]) or "no options" if m in e.methods else "" for e in ENGINES.values()))
         for m in METHOD_OPTIONS],
    )  # fmt: skip
    lines = [
        "# The matrix of capabilities",
        "",
        "Printed from the declarations by `python docs/generate.py`: what is in a table *is* what there is. What of it",
        "can be used on a machine, `ss.backends()` tells; what can be done with a model, `m.capabilities()`:",
        "[backends](backends.md).",
        "",
        *tables[0],
        "",
        "## Approximations: which engine takes which options",
        "",
        *methods,
        "",
        "## Distributions",
        "",
        "*Written out*: Stan has no form of its own, and the program holds the density itself.",
        "",
        *tables[1],
        "",
        "## Operations",
        "",
        *tables[2],
    ]
    return "\n".join(lines) + "\n"


def _named(text: str) -> str:
    """Show the places of a template as what they stand for."""
    return re.sub(r"\{(\w+)\}", r"*\1*", text).replace("|", "\\|")


def _arguments(function: Callable[..., object]) -> str:
    """Give a function's arguments as they are called, without types."""
    shown = inspect.signature(function)
    names = [p.replace(annotation=p.empty) for p in shown.parameters.values()]
    return str(shown.replace(parameters=names, return_annotation=shown.empty)).replace(", /)", ")")


def side_by_side() -> str:
    """Generated programs next to programs written by hand, from the benchmark's own pairs."""
    sys.path.insert(0, str(DOCS.parent / "bench"))
    from pairs import PAIRS

    lines = [
        "# Side by side",
        "",
        "Programs that SciStan writes, each above the one a Stan programmer wrote for the same model. Printed by",
        "`python docs/generate.py` from `bench/pairs`; `python bench/stan_gradients.py` times their gradients.",
    ]
    for pair in PAIRS:
        generated = pair.model().stan_code(log_lik=False, predictive=False, log_prior=False)
        lines += ["", f"## {pair.name}", "", "Generated:", "", "```stan", generated.rstrip(), "```", ""]
        lines += ["By hand:", "", "```stan", pair.handwritten.strip(), "```"]
    return "\n".join(lines) + "\n"


_HEAD = '''"""What type checkers and editors see of `ss`, printed from the declarations by `python docs/generate.py`."""

# ruff: noqa: E501
from collections.abc import Sequence

from scistan.distributions.mixture import Mixture as Mixture
from scistan.distributions.potential import potential as potential
from scistan.distributions.series import Series as Series
from scistan.distributions.series_kinds import AR as AR
from scistan.distributions.series_kinds import GARCH as GARCH
from scistan.distributions.series_kinds import LocalLinearTrend as LocalLinearTrend
from scistan.distributions.series_kinds import RandomWalk as RandomWalk
from scistan.distributions.unnamed import Unnamed
from scistan.distributions.user import declare_distribution as declare_distribution
from scistan.errors import DataError as DataError
from scistan.errors import InternalError as InternalError
from scistan.errors import ModelError as ModelError
from scistan.errors import SamplingError as SamplingError
from scistan.errors import ScistanError as ScistanError
from scistan.errors import ToolchainError as ToolchainError
from scistan.errors import UnsupportedError as UnsupportedError
from scistan.history import history as history
from scistan.inference.capabilities.backends import backends as backends
from scistan.inference.compile import compile_models as compile_models
from scistan.inference.many import sample_models as sample_models
from scistan.inference.planning.function import plan as plan
from scistan.inference.planning.function import run_with_fallback as run_with_fallback
from scistan.inference.planning.workload import Workload as Workload
from scistan.inference.profile.profile import profile as profile
from scistan.inference.transform import array as array
from scistan.inference.transform import full as full
from scistan.inference.transform import grad as grad
from scistan.inference.transform import hessian as hessian
from scistan.inference.transform import hvp as hvp
from scistan.inference.transform import jacobian as jacobian
from scistan.inference.transform import jit as jit
from scistan.inference.transform import ones as ones
from scistan.inference.transform import tree_flatten as tree_flatten
from scistan.inference.transform import tree_map as tree_map
from scistan.inference.transform import tree_unflatten as tree_unflatten
from scistan.inference.transform import value_and_grad as value_and_grad
from scistan.inference.transform import vmap as vmap
from scistan.inference.transform import zeros as zeros
from scistan.model import Model as Model
from scistan.model import data as data
from scistan.model import factor as factor
from scistan.model import standardize as standardize
from scistan.model.loading import load as load
from scistan.ops import declare_op as declare_op
from scistan.ops.expression import Expression
from scistan.settings import defaults as defaults
from scistan.settings import set_default as set_default
from scistan.settings import using as using
from scistan.toolchain.doctor import doctor as doctor
from scistan.transforms.purity import check_purity as check_purity
from scistan.version import __version__ as __version__
'''


def stubs() -> str:
    """The public names with their true signatures."""
    lines = [_HEAD]
    for table in (CONSTRUCTORS, FUNCTIONS):
        for name in sorted(table):
            signature = inspect.signature(table[name])
            result = "Unnamed" if table is CONSTRUCTORS else "Expression"
            shown = [p.replace(annotation=_typed(p)) for p in signature.parameters.values()]
            doc = (table[name].__doc__ or "").strip().splitlines()[0].replace("\\", "\\\\")
            text = str(signature.replace(parameters=shown, return_annotation=inspect.Signature.empty))
            lines.append(f'def {name}{_plain(text)} -> {result}:\n    """{doc}"""\n')
    return "\n".join(lines)


def _typed(parameter: inspect.Parameter) -> object:
    return "object" if parameter.annotation in (parameter.empty, "Any") else parameter.annotation


def _plain(text: str) -> str:
    """Write types without quotes; a default that is a text keeps its own."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).replace("Axis", "int | tuple[int, ...] | None")


if __name__ == "__main__":
    (DOCS.parent / "scistan" / "__init__.pyi").write_text(stubs())
    (DOCS / "distributions.md").write_text(distributions())
    (DOCS / "functions.md").write_text(functions())
    (DOCS / "messages.md").write_text(messages())
    (DOCS / "capabilities.md").write_text(capabilities())
    (DOCS / "stan-side-by-side.md").write_text(side_by_side())
