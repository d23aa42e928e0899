"""What other tools say, made for real, and what a user reads instead: every row of the table, texts kept."""

from __future__ import annotations

import re
import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.engines.encoding import to_json
from scistan.engines.registry import ENGINES
from scistan.inference.foreign import translate
from scistan.inference.prepare import subject_of
from scistan.messages.foreign import FOREIGN, recognize
from scistan.messages.sampling import ChainWarning, chain_failed
from scistan.messages.toolchain import compile_failed
from tests.inference.foreign_cases import COMPILERS, MEMORY, SINK, killed_chain, said_by, short_of_memory, sink, wrong
from tests.zoo import eight_schools, ordinal, varying_intercepts

EMBEDDED = ("stanli", "nutpie")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's limits of memory and /proc")
compiled = [pytest.mark.slow, pytest.mark.skipif(bool(ENGINES["cmdstan"].missing), reason="no compiled Stan here")]


def shown(text: str) -> str:
    """Give a text without the folders of this machine."""
    return text.replace(str(Path(__file__).resolve().parents[2]) + "/", "")


def told_of(row: str, text: str, subject) -> str:
    """Give what a tool said and what it becomes, on the row it must be recognized as."""
    known = recognize(text)
    assert known is not None, text
    assert known[0].name == row, f"{known[0].name}: {text}"
    told = translate(text, subject)
    said = known[0].pattern.search(text)[0].replace("-nan", "nan")  # whose sign is the platform's
    at = re.sub(r"line \d+", "line …", str(told.place))
    return shown(f"{said}\n  -> {told.fact}\n  at {at}\n  try: {told.remedy}")


@pytest.mark.parametrize("engine", EMBEDDED)
def test_of_the_embedded_engines(engine, golden):
    lines = [f"[{case}]\n{told_of(row, said_by(engine, wrong(case)), wrong(case))}\n" for case, (row, _) in SINK.items()]
    golden(f"messages/foreign_{engine}.txt", "\n".join(lines))


def test_a_gradient_that_is_not_finite():
    """nutpie alone tells it from a density of 0."""
    subject = subject_of(sink(rate=0.0, count=0).instance())
    assert "bad initial gradient" in said_by("nutpie", subject)
    assert translate(said_by("nutpie", subject), subject).row == "gradient not finite"
    assert translate(said_by("stanli", subject), subject).row == "density zero"


@pytest.mark.parametrize("engine", EMBEDDED)
@pytest.mark.parametrize("case", SINK)
def test_what_the_user_reads_names_the_variable_and_the_line(case, engine):
    with pytest.raises(ss.SamplingError, match="no chain can start: ") as caught:
        sink(**SINK[case][1]).mcmc(engine=engine, draws=10, warmup=10, chains=1, seed=1, progress=False)
    assert "foreign_cases.py" in caught.value.place.file
    assert caught.value.remedy
    assert "lpdf" not in str(caught.value) + str(caught.value.__cause__)
    assert "parameter[" not in str(caught.value)


def test_data_and_starts_that_do_not_fit():
    subject = subject_of(varying_intercepts(3, 2).instance())
    data = subject.data | {"group": np.array([1, 2, 5])}
    assert said_by("stanli", subject, to_json(data))  # in its own words, which name the variable
    known = recognize("model_model_namespace::model_model: group[3] is 5, but must be less than or equal to 2.000000")
    assert known[0].name == "data outside their range"


# -- compilers, memory, processes -----------------------------------------------------------------------------
@on_linux
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_of_compilers(golden):
    lines = []
    for row, produce in COMPILERS.items():
        text = produce()
        known = recognize(text)
        assert known is not None, text
        assert known[0].name == row
        error = compile_failed("compiling the model", "g++ ...", 1, text)
        lines.append(f"[{row}]\n{known[0].pattern.search(text)[0]}\n  -> {error.what}\n  try: {error.remedy}\n")
    golden("messages/foreign_compilers.txt", "\n".join(lines))


@on_linux
@pytest.mark.parametrize("case", MEMORY)
def test_of_memory(case, tmp_path, golden):
    if case == "torch":
        pytest.importorskip("torch")
    told = re.sub(r"[\d.]+ GB are free", "some GB are free", short_of_memory(case, tmp_path))  # as the machine has it
    golden(f"messages/foreign_memory_{case}.txt", told)


@on_linux
def test_of_a_killed_chain(tmp_path):
    why = killed_chain(tmp_path)
    assert recognize(why)[0].name == "process killed"
    assert chain_failed(3, why) == (
        "chain 3 failed and is left out: its process was ended by SIGKILL, most likely by the system for want of memory; "
        "keep less (`keep=[...]`, `thin`), draw less, run fewer chains at once (`parallel_chains=1`), or fit fewer rows"
    )


# -- compiled Stan -----------------------------------------------------------------------------------------------
class TestCmdStan:
    pytestmark = compiled

    def test_the_same_cases(self):
        gradient = subject_of(sink(rate=0.0, count=0).instance())
        cases = [(row, wrong(case)) for case, (row, _) in SINK.items()] + [("gradient not finite", gradient)]
        for row, subject in cases:
            said = said_by("cmdstan", subject)
            told = translate(said, subject)
            assert told.row == row, said
            if " line " in said:  # then it is known whose line it is
                assert told.place.file.endswith("foreign_cases.py")
                assert told.fact.startswith("`")

    @pytest.mark.parametrize(
        ("build", "data", "row", "fact"),
        [
            (lambda: varying_intercepts(3, 2), {"group": np.array([1, 2, 9])}, "data outside their range",
             "`group`: `group` holds 9, and must be less than or equal to 2.000000"),
            (eight_schools, {"y": np.ones(3)}, "data of another shape",
             "`y`: `y` has shape (3), and the program was written for (8)"),
            (ordinal, {}, "value outside its support", "an outcome of `ordered_logistic` is 9"),
        ],
    )
    def test_data_that_do_not_fit(self, build, data, row, fact):
        subject = subject_of(build().instance())
        given = subject.data | (data or {"y": np.full_like(subject.data["y"], 9)})
        told = translate(said_by("cmdstan", subject, to_json(given)), subject)
        assert told.row == row
        assert fact in told.fact
        assert "zoo.py" in told.place.file

    def test_a_start_outside_its_bounds(self):
        subject = subject_of(eight_schools().instance())
        inits = to_json({"mu": 1.0, "tau": -1.0, "theta": np.ones(8)})
        told = translate(said_by("cmdstan", subject, inits=inits), subject)
        assert told.row == "start outside its bounds"
        assert told.fact.startswith("`tau`: a starting value is -1")

    @pytest.mark.parametrize(
        ("metric", "row"), [([1.0, 1.0], "metric of another length"), ([-1.0] * 10, "metric not positive")]
    )
    def test_metrics(self, metric, row):
        subject = subject_of(eight_schools().instance())
        assert translate(said_by("cmdstan", subject, inv_metric=metric), subject).row == row

    def test_rejections_in_warmup_are_explained_once(self):
        m = varying_intercepts(3, 2)
        m = m.with_data(y=np.array([1e3, 2, 1e5]), x=np.array([100.0, 2, 3]), group=np.array([0, 1, 0]))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit = m.mcmc(engine="cmdstan", draws=200, warmup=200, chains=2, seed=1, progress=False)
        told = [note for note in fit.notes if "rejected in warm-up because" in note]
        assert all(note.endswith("after warm-up") for note in told)
        of_alpha = [note for note in told if "because `alpha`" in note]
        assert of_alpha
        assert all("m.alpha = ss.Normal(m.mu, m.tau" in note for note in of_alpha)
        assert sum(one.warmup for one in fit.draws.rejected) == sum(int(note.split()[0]) for note in told)
        assert not [w for w in caught if "rejected" in str(w.message)]

    def test_many_after_warmup_are_said_aloud(self):
        with pytest.warns(ChainWarning, match=r"proposals were rejected .* because `pair`: a matrix is not positive") as said:
            sink(nug=0.0).mcmc(engine="cmdstan", draws=200, warmup=200, chains=1, seed=1, progress=False)
        assert any("part of the posterior is cut off" in str(w.message) for w in said)


    @pytest.mark.long
    @pytest.mark.parametrize(("method", "row"), [("rk45", "equation not solved"), ("bdf", "equation not solved implicitly")])
    def test_equations_without_a_solution_are_counted(self, method, row):
        m = ss.Model("explosion")
        m.k = ss.LogNormal(0, 1)
        m.x = ss.ode(lambda t, x: m.k * x**2, 0.8, 0, [1.0], method=method, max_steps=500)
        m.y = ss.Normal(m.x, 1).observe([2.0])
        fit = m.mcmc(engine="cmdstan", draws=100, warmup=200, chains=1, seed=1, progress=False)
        told = [translate(one.said, fit.subject) for one in fit.draws.rejected]
        assert row in {one.row for one in told if one is not None}
        assert any("an equation could not be solved" in note and "m.x = ss.ode" in note for note in fit.notes)


def test_every_row_is_made_for_real():
    """A row without a test above would be an invented string."""
    made = {row for row, _ in SINK.values()} | set(COMPILERS)
    made |= {"gradient not finite", "process killed", "memory of an engine", "memory of NumPy", "memory of torch"}
    made |= {"data outside their range", "data of another shape", "value outside its support"}
    made |= {"metric of another length", "metric not positive", "scale of a latent", "start outside its bounds"}
    made |= {"equation not solved", "equation not solved implicitly"}
    assert {row.name for row in FOREIGN} == made
    assert len({row.name for row in FOREIGN}) == len(FOREIGN)
