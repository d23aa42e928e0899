"""Wording of profiles: what can go wrong with them, why a loop was left as it is, and what is recommended."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ArgumentError, ModelError, SamplingError
from scistan.graph.places import user_place


def used_twice() -> ModelError:
    return ModelError(
        "This profile has recorded a block already.",
        remedy="`with ss.profile() as p:` again makes another one",
        place=user_place(),
    )


def not_ended() -> ModelError:
    return ModelError(
        "Nothing has been recorded yet.", remedy="ask for the report after the `with` block", place=user_place()
    )


def no_times() -> SamplingError:
    return SamplingError(
        "CmdStan wrote no times of its `profile` blocks.", remedy="`p.statements()` times them without a compiler"
    )


def unknown_kind(suffix: str, known: list[str]) -> ArgumentError:
    return ArgumentError(
        f"a report of a profile is not written as `{suffix or 'a file without an ending'}`.",
        remedy=f"one of {', '.join(known)}",
        place=user_place(),
    )


def nothing_to_do() -> str:
    return "Nothing that was measured asks for a change."


# -- why a loop was left as it is ---------------------------------------------------------------------
def latents_one_by_one() -> str:
    return "they are latents, and only observations are gathered: one latent with `shape=` or `dims=` is one statement"


def distributions_differ(titles: list[str]) -> str:
    return f"their distributions differ ({', '.join(titles)})"


def formulas_differ() -> str:
    return "their formulas differ: the same operations in the same order, on other data, would be one"


def no_common_form() -> str:
    return "something in their formula has no form for many at once"


def names_not_numbered() -> str:
    return "their names do not end in a number: `y_0`, `y_1`, … are taken for one of many"


# -- recommendations ----------------------------------------------------------------------------------
def vectorize_loop(names: Sequence[str], statements: int, reason: str) -> str:
    return f"`{names[0]}` … `{names[-1]}` are {statements} statements and were not made one, because {reason}."


def statements_counted(count: int) -> str:
    return f"counted: {count} statements of the program, which one vectorized statement replaces"


def look_here(names: str, share: float, gradient: str) -> str:
    return f"{names or 'One statement'} takes {share:.0%} of a gradient ({gradient}): work here first."


def by_halving(how: str) -> str:
    return f"Amdahl's law, if it cost half; {how}"


def use_threads(threads: int, cores: int, chains: int) -> str:
    return (
        f"{cores} cores and {chains} chain{'s' if chains > 1 else ''}: `threads_per_chain={threads}` sums the "
        "observations on several."
    )


def by_amdahl(share: float, threads: int) -> str:
    return f"Amdahl's law: {share:.0%} of a gradient is observations, which {threads} threads share"


def standardize(names: Sequence[str], steps: float) -> str:
    return (
        f"Each draw takes {steps:.0f} steps. Standardize {', '.join(f'`{n}`' for n in names)} "
        "(`ss.standardize`), so that intercept and slopes are told apart."
    )


def by_condition(before: float, after: float, measured: float) -> str:
    seen = f"; that of the draws is {measured:.3g}" if measured == measured else ""
    return (
        f"steps grow with the root of the condition number, which the data give as {before:.3g} now and {after:.3g} "
        f"standardized{seen}"
    )


def make_header() -> str:
    return (
        "A model was compiled without the precompiled header: let it be made (unset SCISTAN_PRECOMPILED_HEADER, "
        "free 3 GB of disk, keep the cache folder)."
    )


def header_basis(without: str) -> str:
    return f"g++ 12 took 31 s for a model without it and 12.5 s with it, measured once; here it took {without}"


def compile_it(fits: int, seconds: str) -> str:
    return (
        f"This model was fitted {fits} times, {seconds} in the engine: `m.compile()` once, then `engine=\"cmdstan\"`."
    )


def compile_basis(interpreted: str, compiled: str) -> str:
    return f"measured: a gradient takes {interpreted} interpreted and {compiled} compiled"


def keep_the_model(times: int, amount: str) -> str:
    return (
        f"The same data were written for Stan again {times} time{'s' if times > 1 else ''} ({amount}), each for a new "
        "model: build the model once and fit that; data of a model that are unchanged are converted once."
    )


def bytes_counted(amount: str, once: str) -> str:
    return f"counted: {amount} were written, and {once} would do"
