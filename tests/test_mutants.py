"""The table of planted faults does not rot: every one still has its place, its tests, and a program that Python reads."""

from __future__ import annotations

import ast

import pytest

from tests.conftest import ROOT
from tests.mutants import MUTANTS


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_fault_can_still_be_planted(mutant):
    text = (ROOT / "scistan" / mutant.file).read_text()
    assert text.count(mutant.old) == 1
    ast.parse(text.replace(mutant.old, mutant.new))
    assert mutant.old != mutant.new
    assert all((ROOT / name).is_file() for name in mutant.tests.split())


def test_no_fault_is_planted_twice():
    assert len({(m.file, m.old, m.new) for m in MUTANTS}) == len(MUTANTS)
