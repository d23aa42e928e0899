"""Chains that ended early, chains that failed, chains from many machines: one rectangle of draws."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from scistan.engines.console import merge_rejections
from scistan.engines.protocol import Chains, Draws
from scistan.messages import race as race_messages
from scistan.messages import sampling as messages

__all__ = ["cores_for", "cut", "join", "keep_complete", "largest_rectangle"]


def cores_for(chains: int, parallel_chains: int | None, threads: int = 1) -> int:
    """Give how many chains run at once: all, up to the cores this process may use, each taking `threads`."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        cores = os.cpu_count() or 1
    return max(1, min(chains, parallel_chains or cores // threads))


def largest_rectangle(lengths: Sequence[int]) -> tuple[list[int], int]:
    """Choose chains and a common length so that as many draws as possible are kept.

    >>> largest_rectangle([600, 600, 115, 57])
    ([0, 1], 600)
    >>> largest_rectangle([90, 100, 95])
    ([0, 1, 2], 90)
    """
    best: tuple[list[int], int] = ([], 0)
    for length in sorted(set(lengths)):
        chains = [k for k, n in enumerate(lengths) if n >= length]
        if length and length * len(chains) >= best[1] * len(best[0]):
            best = (chains, length)
    return best


def cut(chains: Chains, which: Sequence[int], length: int) -> Chains:
    """Keep some chains, up to a length."""
    if which == list(range(chains.shape[0])) and length == chains.shape[1]:
        return chains
    keep = np.asarray(which, dtype=int)

    def part(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: array[keep, :length] for name, array in arrays.items()}

    return Chains(part(chains.values), part(chains.statistics))


def keep_complete(
    draws: Draws,
    lengths: Sequence[int],
    failures: Mapping[int, str],
    interrupted: bool,
    wanted: int,
    limit: float | None = None,
) -> Draws:
    """Keep what is whole of a run: say which chains failed or were cut short.

    `lengths` are the draws each chain gave, `failures` the reason by place of the chain, `wanted` the draws
    each should have given, `limit` the seconds that ended it, where they did.
    """
    usable = [0 if k in failures else n for k, n in enumerate(lengths)]
    which, length = largest_rectangle(usable)
    if not which:
        if interrupted and limit is not None:
            raise race_messages.no_time_for_draws(limit)
        if interrupted:
            raise KeyboardInterrupt
        raise messages.no_chain_ran(list(failures.values()) or ["no draws"])
    notes = list(draws.notes)
    if interrupted and limit is not None:
        notes.append(race_messages.out_of_time(limit, len(which), len(lengths), length, wanted))
    elif interrupted:
        notes.append(messages.kept_after_interrupt(len(which), len(lengths), length, wanted))
    for place, why in failures.items():
        notes.append(messages.chain_failed(draws.numbers[place], why))
    whole = not interrupted and not failures
    warmup = None if draws.warmup is None else cut(draws.warmup, which, draws.warmup.shape[1])
    numbers = tuple(draws.numbers[k] for k in which)
    return replace(
        draws, kept=cut(draws.kept, which, length), warmup=warmup, numbers=numbers, notes=tuple(notes), complete=whole
    )


def join(parts: Sequence[Draws]) -> Draws:
    """Make one run of several with the same program; shorter ones set the length."""
    first = parts[0]
    lengths = [part.kept.shape[1] for part in parts]
    which, length = largest_rectangle(lengths)
    chosen = [parts[k] for k in which]
    kept = _stack([cut(p.kept, list(range(p.kept.shape[0])), length) for p in chosen])
    warm = [p.warmup for p in chosen if p.warmup is not None]
    return replace(
        first,
        kept=kept,
        warmup=_stack(warm) if len(warm) == len(chosen) else None,
        numbers=tuple(n for p in chosen for n in p.numbers),
        timing={key: max(p.timing[key] for p in chosen) for key in first.timing},
        notes=tuple(dict.fromkeys(note for p in parts for note in p.notes)),
        complete=all(p.complete for p in parts) and len(which) == len(parts),
        native=None,
        rejected=merge_rejections(one for p in parts for one in p.rejected),
    )


def _stack(chains: Sequence[Chains]) -> Chains:
    def all_of(pick: Callable[[Chains], Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
        return {name: np.concatenate([pick(c)[name] for c in chains]) for name in pick(chains[0])}

    return Chains(all_of(lambda c: c.values), all_of(lambda c: c.statistics))
