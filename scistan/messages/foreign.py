"""What other tools say, a row each: the pattern it is known by, who says it, what it means, and what to try.

Patterns are of texts that were seen; `tests/inference/test_foreign.py` makes every tool say its own again. The groups
of a pattern stand for themselves in `means` and `suggestion`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from scistan.errors import ModelError, Place, SamplingError

STAN = ("stanli", "nutpie", "cmdstan")
_LESS_MEMORY = (
    "keep less (`keep=[...]`, `thin`), draw less, run fewer chains at once (`parallel_chains=1`), or fit fewer rows"
)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A message of another tool, in the user's words."""

    name: str
    tools: tuple[str, ...]
    pattern: re.Pattern[str]
    means: str
    suggestion: str

    def told(self, groups: Mapping[str, str]) -> tuple[str, str]:
        """Give the fact and the suggestion for a text that matched."""
        return self.means.format(**groups), self.suggestion.format(**groups)


def _row(name: str, tools: tuple[str, ...], pattern: str, means: str, suggestion: str) -> Foreign:
    return Foreign(name, tools, re.compile(pattern, re.DOTALL), means, suggestion)


# The first that matches is taken: what is special stands before what is general.
FOREIGN: tuple[Foreign, ...] = (
    # -- memory, disk, processes
    _row(
        "memory of an engine",
        (*STAN, "g++"),
        r"std::bad_alloc",
        "there is not enough memory for this model on these data",
        _LESS_MEMORY,
    ),
    _row(
        "memory of NumPy",
        ("NumPy",),
        r"Unable to allocate (?P<size>[\d.]+ \w+) for an array with shape \((?P<shape>[\d, ]+)\)",
        "there is not enough memory for an array of {shape} numbers, {size}",
        _LESS_MEMORY,
    ),
    _row(
        "memory of torch",
        ("torch",),
        r"DefaultCPUAllocator: (can't allocate|not enough) memory: you tried to allocate (?P<bytes>\d+) bytes",
        "there is not enough memory: torch asked for {bytes} bytes more",
        "a smaller `batch_size`, fewer `starts`, or `dtype='float32'`",
    ),
    _row(
        "compiler killed",
        ("g++",),
        r"Killed signal terminated program (?P<program>\w+)",
        "the system ended the compiler ({program}), most likely for want of memory",
        "compile with workers=1: a compiler takes up to 2 GB",
    ),
    _row(
        "compiler out of memory",
        ("g++",),
        r"virtual memory exhausted",
        "the compiler ran out of memory",
        "compile with workers=1: a compiler takes up to 2 GB",
    ),
    _row(
        "process killed",
        ("runner",),
        r"process was ended by SIGKILL",
        "its process was ended by SIGKILL, most likely by the system for want of memory",
        _LESS_MEMORY,
    ),
    _row(
        "disk full",
        ("g++", "runner"),
        r"No space left on device",
        "the disk is full",
        "`scistan cache prune` frees space; SCISTAN_CACHE and TMPDIR name folders on other disks",
    ),
    # -- the compiler's surroundings
    _row(
        "library missing",
        ("g++",),
        r"cannot find -l(?P<library>[\w.]+)",
        "the linker does not find the library `{library}`",
        "install it (for Debian and Ubuntu: apt install build-essential); engine='stanli' needs no compiler",
    ),
    _row(
        "symbol missing",
        ("g++",),
        r"undefined reference to [`'](?P<symbol>[^'\n]+)'",
        "the linker does not find `{symbol}`: parts built by different compilers do not fit together",
        "`scistan cache clear`, then compile again; engine='stanli' needs no compiler",
    ),
    _row(
        "header missing",
        ("g++",),
        r"fatal error: (?P<header>\S+): No such file or directory",
        "the compiler does not find the header `{header}`",
        "reinstall httpstan and the compiler's own headers; engine='stanli' needs no compiler",
    ),
    # -- metrics, starts, data
    _row(
        "metric not positive",
        ("runner",),
        r"Inverse Euclidean metric not positive definite",
        "`inv_metric` is not positive",
        "give variances, or a covariance matrix, of the unconstrained coordinates",
    ),
    _row(
        "metric of another length",
        ("runner",),
        r"processing stage=read \w+ inv metric;.*?dims declared=\((?P<wanted>[\d,]+)\); "
        r"dims found=\((?P<found>[\d,]*)\)",
        "`inv_metric` has length {found}, and the model has {wanted} unconstrained coordinates",
        "leave it to the warm-up, or give one number for each coordinate",
    ),
    _row(
        "start outside its bounds",
        ("runner",),
        r"[lu]u?b_free: (?P<what>[\w ]+?) is (?P<value>\S+), but must be (?P<wanted>[^(!\n]+)",
        "a starting value is {value}, and must be {wanted}",
        "give `inits` inside the bounds",
    ),
    _row(
        "data of another shape",
        ("runner",),
        r"mismatch in (?:number )?dimensions? declared and found in context;.*?variable name=(?P<variable>\w+);"
        r".*?dims declared=\((?P<wanted>[\d,]*)\); dims found=\((?P<found>[\d,]*)\)",
        "`{variable}` has shape ({found}), and the program was written for ({wanted})",
        "give the data to the model itself, `m.with_data(...)`, which checks them",
    ),
    _row(
        "data outside their range",
        ("stanli", "nutpie", "runner"),
        r"model_namespace::\w+: (?P<variable>\w+)(?:\[(?P<index>[\d, ]+)\])? is (?P<value>\S+), but must be "
        r"(?P<wanted>[^(!\n]+)",
        "`{variable}` holds {value}, and must be {wanted}",
        "correct the data; positions count from 1 in Stan, from 0 here",
    ),
    # -- where a density is not defined
    _row(
        "value outside its support",
        STAN,
        r"(?P<function>\w+): Random variable(?:\[(?P<index>[\d, ]+)\])? is (?P<value>\S+), but must be "
        r"(?P<wanted>[^(!\n\"]+)",
        "an outcome of `{function}` is {value}, and must be {wanted}",
        "correct the data, or choose a distribution whose support holds them",
    ),
    _row(
        "scale of a latent",
        STAN,
        r"offset_multiplier_constrain: multiplier(?:\[(?P<index>[\d, ]+)\])? is (?P<value>\S+), but must be "
        r"(?P<wanted>[^(!\n\"]+)",
        "the scale of a latent is {value}, and must be {wanted}",
        "a prior that keeps the scale away from 0, or predictors and outcomes in units near 1",
    ),
    _row(
        "argument outside its range",
        STAN,
        r"(?P<function>\w+): (?P<what>[A-Z][\w ]*?)(?:\[(?P<index>[\d, ]+)\])? is (?P<value>\S+), but must be "
        r"(?P<wanted>[^(!\n\"]+)",
        "the {what} of `{function}` is {value}, and must be {wanted}",
        "bring it there by a function (`ss.exp`, `ss.inv_logit`), or by the priors of what it is made of",
    ),
    _row(
        "probabilities that do not sum to 1",
        STAN,
        r"(?P<function>\w+): (?P<what>[\w ]+) is not a valid simplex\. sum\([^)]*\) = (?P<value>\S+), but should be 1",
        "the probabilities of `{function}` sum to {value}, and must sum to 1",
        "use `ss.softmax(...)`, or a Dirichlet prior",
    ),
    _row(
        "matrix not positive definite",
        STAN,
        r"(?P<function>\w+): Matrix (?P<what>\w+) is not positive definite",
        "a matrix is not positive definite, and `{function}` needs that",
        "add a small number to its diagonal, `+ 1e-6 * np.eye(n)` for n rows (a nugget)",
    ),
    _row(
        "equation not solved",
        STAN,
        r"(?P<function>ode_\w+): *Failed to integrate to next output time \((?P<time>[^)]+)\) in less than",
        "an equation could not be solved up to t = {time} in as many steps as `max_steps` allows",
        "`method='bdf'` in `ss.ode` if it is stiff, a larger `max_steps`, or priors that keep to values for which "
        "there is a solution",
    ),
    _row(
        "equation not solved implicitly",
        STAN,
        r"CVode\w*\(.*?\) failed with error flag (?P<flag>-\d+)",
        "an equation could not be solved (flag {flag} of CVODES)",
        "a larger `max_steps` in `ss.ode`, or priors that keep to values for which there is a solution",
    ),
    _row(
        "gradient not finite",
        STAN,
        r"Gradient evaluated at the initial value is not finite|bad initial gradient",
        "the gradient of the log density is not finite at the starts",
        "look for arguments at the ends of their ranges: a rate or a scale of 0, a probability of 0 or 1",
    ),
    _row(
        "density zero",
        STAN,
        r"Log probability evaluates to log\(0\)|no draw in \d+ attempts had finite log density|BadLogp\([^)]*\)",
        "the density is 0 at every start that was tried",
        "check the data against the priors, and bounds against the data; or give `inits`",
    ),
)


def recognize(text: str) -> tuple[Foreign, dict[str, str]] | None:
    """Find the row that a tool's text belongs to, and what it names."""
    for row in FOREIGN:
        found = row.pattern.search(text)
        if found is not None:
            return row, {key: _plain(key, value or "") for key, value in found.groupdict().items()}
    return None


def _plain(key: str, value: str) -> str:
    value = value.strip().rstrip("!.").replace("-nan", "nan")
    return value.replace(", ", " × ") if key == "shape" else value


def of_memory(text: str) -> tuple[str, str]:
    """Give fact and suggestion where memory ran out, whatever was said of it."""
    known = recognize(text)
    return known[0].told(known[1]) if known else FOREIGN[0].told({})


def is_memory(text: str) -> bool:
    """Tell whether a tool's text says that memory ran out."""
    known = recognize(text)
    return known is not None and known[0].name.startswith("memory")


def told_at(fact: str, variable: str) -> str:
    """A fact with the variable it is of."""
    return f"`{variable}`: {fact}" if variable else fact


def cannot_sample(fact: str, remedy: str, place: Place | None) -> SamplingError:
    return SamplingError(f"the engine could not sample: {fact}.", remedy=remedy, place=place)


def no_memory(fact: str, remedy: str, place: Place | None) -> ModelError:
    return ModelError(f"{fact}.", remedy=remedy, place=place)


def rejections(count: int, warmup: int, reason: str, where: str, draws: int, often: bool) -> str:
    """Proposals that were rejected because something could not be evaluated."""
    after = count - warmup
    when = "in warm-up" if not after else f"({warmup} in warm-up, {after} in {draws} draws after it)"
    harm = (
        "so many after warm-up mean that part of the posterior is cut off: mend it"
        if often
        else "harmless unless many come after warm-up"
    )
    proposals = "proposal was" if count == 1 else "proposals were"
    return f"{count} {proposals} rejected {when} because {reason}{f' ({where})' if where else ''}: {harm}"
