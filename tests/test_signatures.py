"""Distributions and functions tell their arguments, to `help`, to editors and to type checkers."""

import importlib.util
import inspect
from pathlib import Path

import pytest

import scistan as ss
from scistan.distributions import CONSTRUCTORS, REGISTRY

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("name", sorted(CONSTRUCTORS))
def test_a_distribution_has_its_declared_arguments(name):
    constructor = getattr(ss, name)
    parameters = inspect.signature(constructor).parameters
    by_place = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    if name in REGISTRY:
        assert by_place == [p.name for p in REGISTRY[name].parameters]
        assert ("lower" in set(parameters) - set(by_place)) == REGISTRY[name].truncatable
    assert {"shape", "dims"} <= set(parameters)
    doc = inspect.getdoc(constructor)
    assert all(f"\n{parameter}\n    " in doc for parameter in parameters)


def test_several_ways_to_give_a_matrix_are_keywords():
    parameters = inspect.signature(ss.MultivariateNormal).parameters
    assert list(parameters)[:4] == ["mu", "cov", "prec", "chol"]
    assert parameters["cov"].kind is inspect.Parameter.KEYWORD_ONLY


def test_the_stub_has_every_public_name():
    stub = (ROOT / "scistan" / "__init__.pyi").read_text()
    missing = [n for n in dir(ss) if f" as {n}\n" not in stub and f"\ndef {n}(" not in stub]
    assert not missing


def test_the_stub_is_printed_from_the_declarations_of_today():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert (ROOT / "scistan" / "__init__.pyi").read_text() == generate.stubs()
