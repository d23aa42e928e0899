"""Programs that stanc refuses: the user's own Stan is told at their line, a fault of ours with the text attached."""

from __future__ import annotations

import sys

import pytest

import scistan as ss
from scistan.inference.compile import compile_model
from scistan.inference.subject import Subject
from scistan.targets.stan.program import StanProgram
from scistan.toolchain.wheel import find_wheel

pytestmark = pytest.mark.skipif(find_wheel() is None, reason="httpstan is not installed")


def _line() -> int:
    return sys._getframe(1).f_lineno


def _model(op) -> ss.Model:
    m = ss.Model()
    m.x = ss.Normal(0, 1)
    m.y = ss.Normal(op(m.x), 1).observe(0.3)
    return m


def _same(xp, x):
    return x


CODE = "real bent(real x) {\n  return y;\n}"


def test_functions_of_ones_own():
    bent, line = ss.declare_op("bent", "x.", numpy=_same, torch=_same, stan="bent", functions=CODE), _line()
    with pytest.raises(ss.ModelError, match="line 2 of its functions: Identifier ['\"]y['\"] not in scope") as caught:
        _model(bent).compile(progress=False)
    assert "your operation `bent`" in caught.value.what
    assert (caught.value.place.file, caught.value.place.line) == (__file__, line)


def test_the_text_of_an_operation():
    odd, line = ss.declare_op("odd", "x.", numpy=_same, torch=_same, stan="no_such({0}) + 1"), _line()
    with pytest.raises(ss.ModelError, match="your operation `odd`.*no_such") as caught:
        _model(odd).compile(progress=False)
    assert (caught.value.place.file, caught.value.place.line) == (__file__, line)


def test_an_operation_that_is_not_in_the_model_is_not_blamed():
    ss.declare_op("anything", "x.", numpy=_same, torch=_same, stan="{0}")
    odd = ss.declare_op("odd", "x.", numpy=_same, torch=_same, stan="no_such({0}) + 1")
    with pytest.raises(ss.ModelError, match="your operation `odd`.*no_such"):
        _model(odd).compile(progress=False)


def test_a_distribution_of_ones_own():
    options = {"parameters": {"a": "real"}, "support": "real", "draw": lambda rng, size, a: rng.normal(a, size=size)}
    density = lambda x, a: -0.5 * ss.square(x - a)
    Own, line = ss.declare_distribution("Own", "x.", log_density=density, stan="no_such", **options), _line()
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = Own(m.a).observe([0.3, 0.2])
    with pytest.raises(ss.ModelError, match="your distribution `Own`") as caught:
        m.compile(progress=False)
    assert (caught.value.place.file, caught.value.place.line) == (__file__, line)


def test_sampling_and_many_models_tell_it_too():
    bent = ss.declare_op("bent", "x.", numpy=_same, torch=_same, stan="bent", functions=CODE)
    with pytest.raises(ss.ModelError, match="your operation `bent`"):
        _model(bent).mcmc(engine="cmdstan", progress=False)
    with pytest.raises(ss.ModelError, match="your operation `bent`"):
        _model(bent).pathfinder(progress=False)
    (found,) = ss.compile_models([_model(bent)], progress=False)
    assert isinstance(found, ss.ModelError)


class Broken(StanProgram):
    """A program with a fault of SciStan's own: a parameter is declared under another name."""

    @property
    def text(self) -> str:
        return super().text.replace("real x;", "real z;")


def test_a_fault_of_ours_has_the_text_and_the_users_line():
    m = ss.Model()
    m.x, line = ss.Normal(0, 1), _line()
    m.y = ss.Normal(m.x, 1).observe(0.3)
    subject = m._subject()
    p = subject.program
    broken = Broken(p.blocks, p.entries, p.parameters, p.generated, p.log_prior, p.functions)
    with pytest.raises(ss.InternalError, match="Identifier ['\"]x['\"] not in scope") as caught:
        compile_model(Subject(subject.instance, broken), progress=False)
    assert "x ~ std_normal();" in caught.value.attachment
    assert "please report it" in str(caught.value)
    assert (caught.value.place.file, caught.value.place.line) == (__file__, line)
