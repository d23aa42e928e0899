"""Whose line each line of a program is: by statement, also where two lines of the program read alike."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

import scistan as ss
from scistan.targets.stan.program import StanProgram, lower_to_stan
from tests.random_models import build, recipes
from tests.targets import looped_models
from tests.zoo import ZOO

FRAME = re.compile(r"[a-z ]+ \{|\}")  # of a block
BRACE = re.compile(r"\s*[{}]")


def here() -> int:
    return sys._getframe(1).f_lineno


def check_law(m: ss.Model, **switches: bool) -> StanProgram:
    """Every line that does something has a place, and every variable that the user wrote has a line."""
    graph = m.to_graph()
    program = lower_to_stan(graph, **switches)
    sources = program.source_map()
    for number, text in enumerate(program.text.splitlines(), 1):
        source = sources.get(number)
        if source is None:
            assert FRAME.fullmatch(text), text
            continue
        assert "(" in text or source.text.strip() == text.strip()  # a function may have given way to a variable
        assert source.places or BRACE.fullmatch(text), f"{text}\n{program.text}"
    reached = {name for source in sources.values() for name in source.names}
    assert reached >= {t.name for t in graph.terms} | set(graph.derived), program.text
    return program


def places_of(program: StanProgram, pattern: str) -> list[int]:
    """Give the user's line of every line of the program that matches."""
    found = [s for s in program.source_map().values() if re.search(pattern, s.text)]
    assert found, program.text
    return [s.place.line for s in found]


@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("name", ZOO)
def test_programs_of_the_zoo(name, threads):
    check_law(ZOO[name](), threads=threads)


@pytest.mark.parametrize("name", looped_models.FORMS)
def test_programs_with_loops(name):
    check_law(looped_models.build(name, np.array([0, 1, 1, 0])))


def _random(m: ss.Model, threads: bool) -> None:
    try:
        check_law(m, threads=threads)
    except ss.UnsupportedError:
        return  # a declared gap


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(recipes())
def test_random_programs(recipe):
    m = build(recipe)
    _random(m, threads=False)
    _random(m, threads=True)


def test_two_observations_of_the_same_data():
    m = ss.Model()
    m.x = ss.data(np.array([0.1, 0.2, 0.3]))
    m.mu = ss.Normal(0, 1)
    m.y, first = ss.StudentT(4, m.mu, 1).observe(m.x), here()
    m.z, second = ss.StudentT(5, m.mu, 1).observe(
        m.x
    ), here()
    program = check_law(m)
    assert places_of(program, r"student_t\(4,") == [first]
    assert places_of(program, r"student_t\(5,") == [second - 2]  # the line on which the statement began


def test_lines_that_read_alike():
    m = ss.Model()
    m.g = ss.data(np.array([0, 1, 2, 0]))
    m.u, first = ss.Normal(0, 1, shape=(3, 2, 2)), here()
    m.v, second = ss.Normal(0, 1, shape=(3, 2, 2)), here()
    m.y = ss.Normal(m.u[m.g, 0, 0] + m.v[m.g, 0, 0], 1).observe(np.zeros(4))
    program = check_law(m)
    loops = [line for line in places_of(program, r"^\s*for \(") if line in (first, second)]
    assert set(loops) == {first, second}
    ends = [s.place.line for s in program.source_map().values() if s.text.strip() == "}" and s.places]
    assert {first, second} <= set(ends)


def test_two_names_of_one_value():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.u, first = 2 * m.a, here()
    m.v, second = 2 * m.a, here()
    m.y = ss.Normal(m.u, 1).observe([0.1])
    program = check_law(m)
    assert places_of(program, r"real u = ") == [first]
    assert places_of(program, r"real v = ") == [second]


def test_every_block():
    m = ss.Model()
    m.x, x = ss.data(np.array([0.1, 0.2, 0.3])), here()
    m.a, a = ss.Normal(0, 1), here()
    m.s, s = ss.HalfNormal(1, upper=3), here()
    m.e, e = ss.Normal(0, m.s, shape=3, constraint="sum_to_zero"), here()
    m.w, w = ss.exp(m.a * m.x), here()
    scaled, data = ss.square(m.x) / 7.0, here()
    m.y, y = ss.Normal(m.w + scaled + m.e, m.s).observe([0.1, 0.3, 0.2]), here()
    m.late, late = ss.sin(m.a), here()
    program = check_law(m)
    found = {(source.block, source.place.line) for source in program.source_map().values() if source.places}
    assert {("functions", e), ("data", x), ("transformed data", data)} <= found
    assert {("parameters", a), ("parameters", s), ("transformed parameters", w)} <= found
    assert {("model", y), ("generated quantities", y), ("generated quantities", late)} <= found


def test_merged_terms_reach_every_member():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    lines = []
    m.y1, line = ss.StudentT(4, m.mu, 1).observe(0.1), here()
    lines.append(line)
    m.y2, line = ss.StudentT(4, m.mu, 1).observe(0.4), here()
    lines.append(line)
    sources = [s for s in check_law(m).source_map().values() if "student_t(4," in s.text and s.block == "model"]
    assert [[place.line for place in s.places] for s in sources] == [lines]
    assert sources[0].names == ("y1", "y2")


def test_functions_of_the_users_own_are_where_they_were_declared():
    same = lambda xp, x: x
    code = "real bent(real x) {\n  return x;\n}"
    bent, line = ss.declare_op("bent", "x.", numpy=same, torch=same, stan="bent", functions=code), here()
    m = ss.Model()
    m.x = ss.Normal(0, 1)
    m.y = ss.Normal(bent(m.x), 1).observe(0.3)
    assert places_of(check_law(m), "real bent|return x") == [line, line]


def test_a_restored_model_keeps_its_lines(tmp_path):
    m = ss.Model()
    m.x = ss.data(np.array([0.1, 0.2]))
    m.mu = ss.Normal(0, 1)
    m.y, line = ss.StudentT(4, m.mu, 1).observe(m.x), here()
    m.mcmc(draws=200, warmup=200, chains=2, seed=1, engine="stanli", progress=False).save(tmp_path / "fit.nc")
    program = lower_to_stan(ss.load(tmp_path / "fit.nc").subject.instance.graph)
    assert places_of(program, r"student_t\(4,") == [line]
