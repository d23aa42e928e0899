"""Chains that failed or ended early are cut to one rectangle, and the user is told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scistan as ss
from scistan.engines.assemble import join, keep_complete, largest_rectangle
from scistan.engines.protocol import Chains, Draws


def run(lengths=(5, 5), numbers=(1, 2), **more) -> Draws:
    x = np.arange(len(lengths) * max(lengths), dtype=float).reshape(len(lengths), -1)
    return Draws(Chains({"x": x}, {"lp": -x}), "stanli", {}, {"sample": 1.0}, tuple(numbers), **more)


@given(st.lists(st.integers(0, 12), max_size=6))
def test_no_rectangle_keeps_more_draws(lengths):
    chains, length = largest_rectangle(lengths)
    assert all(lengths[k] >= length for k in chains)
    best = max((n * sum(m >= n for m in lengths) for n in lengths), default=0)
    assert len(chains) * length == best


def test_a_whole_run_stays_as_it_is():
    draws = run()
    settled = keep_complete(draws, [5, 5], {}, False, 5)
    assert settled.kept is draws.kept
    assert settled.complete
    assert settled.notes == ()


def test_a_failed_chain_is_left_out_and_named():
    settled = keep_complete(run((5, 5, 5), (1, 2, 3)), [5, 5, 5], {1: "it was killed"}, False, 5)
    assert settled.numbers == (1, 3)
    assert settled.values["x"].shape == (2, 5)
    assert settled.notes == ("chain 2 failed and is left out: it was killed",)
    assert not settled.complete


def test_an_interrupt_keeps_what_there_is():
    settled = keep_complete(run((5, 5)), [5, 3], {}, True, 5)
    assert settled.values["x"].shape == (2, 3)
    assert "interrupted: 2 of 2 chains kept, with 3 of 5 draws each" in settled.notes
    with pytest.raises(KeyboardInterrupt):
        keep_complete(run((5, 5)), [0, 0], {}, True, 5)
    with pytest.raises(ss.SamplingError, match="no chain gave draws: out of luck"):
        keep_complete(run((5, 5)), [0, 0], {0: "out of luck", 1: "out of luck"}, False, 5)


def test_runs_are_joined_in_order():
    parts = [run((4,), (k,), warmup=Chains({"x": np.zeros((1, 2))}, {"lp": np.zeros((1, 2))})) for k in (1, 2, 3)]
    whole = join(parts)
    assert whole.kept.shape == (3, 4)
    assert whole.numbers == (1, 2, 3)
    assert whole.warmup is not None
    assert whole.warmup.shape == (3, 2)
