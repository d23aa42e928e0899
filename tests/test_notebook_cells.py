"""What a cell of a real notebook shows: of a mistake the user's lines, of a long run one line."""

import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

MODEL = """
import scistan as ss
def build(y):
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Poisson(ss.exp(m.mu)).observe(y)
    return m
m = build([1, 2])
"""
CELLS = {
    "model": MODEL,
    "mistake": "m = build([1, -2])",
    "chained": "try:\n    ss.Normal('mu', 0, 1)\nexcept ss.ScistanError as error:\n    raise ss.DataError('worse') from error",
    "foreign cause": "try:\n    int('x')\nexcept ValueError as error:\n    m.fit()",
    "within ours": """
own = ss.declare_distribution(
    "Own", "Draws that fail.", parameters={"a": "positive"}, support="real",
    log_density=lambda x, a: -a * x * x, draw=lambda rng, size, a: rng.poisson(-a, size),
)
m = ss.Model()
m.x = own(1.0)
m.prior(10)
""",
    "ours": """
from scistan.errors import InternalError
def fault(*_):
    raise InternalError("a fault")
ss.Model.simulate.__globals__["as_drawn"] = fault
m.simulate()
""",
    "sampling fails": """
m = ss.Model()
m.slope = ss.Normal(0, 1)
m.y = ss.Normal(0, ss.exp(m.slope - 800)).observe([1.0, 2.0, 3.0])
m.mcmc(seed=1, engine="stanli", progress=False)
""",
    "log of nothing": """
m = ss.Model()
m.a = ss.Uniform(1, 2)
m.x = ss.data([2.0, 5.0])
m.rate = ss.log(m.a - m.x)
m.y = ss.Normal(m.rate, 1).observe([1.0, 2.0])
m.mcmc(seed=1, engine="stanli", progress=False)
""",
    "stanc refuses": """
twice = ss.declare_op("twice", "Twice.", numpy=lambda xp, x: 2 * x, torch=lambda xp, x: 2 * x, stan="no_such({0})")
m = ss.Model()
m.a = ss.Normal(0, 1)
m.b = twice(m.a)
m.y = ss.Normal(m.b, 1).observe([1.0, 2.0])
m.mcmc(seed=1, engine="stanli", progress=False)
""",
    "all frames": "%xmode Verbose\nbuild([1, -2])",
    "short again": "%xmode Context\nbuild([1, -2])",
    "another's": "1 / 0",
    "hook": "import sys\nprint(sys.excepthook.__module__)",
    "bar": """
from scistan.engines import progress
progress.PATIENCE = 0.0
with progress.Bar(40, "stanli", mininterval=0) as bar:
    for k in range(1, 41):
        bar.show(k, 3, [0.5])
""",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Run every cell in a kernel, once."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS.values()])
    where = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    nbclient.NotebookClient(notebook, timeout=900, allow_errors=True, resources=where).execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def shown(outputs) -> str:
    """Give the traceback among a cell's outputs, without colors."""
    (error,) = [output for output in outputs if output.output_type == "error"]
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error.traceback))


def test_the_users_lines_and_the_message(outputs):
    text = shown(outputs["mistake"])
    assert "m = build([1, -2])" in text
    assert "m.y = ss.Poisson(ss.exp(m.mu)).observe(y)" in text
    assert text.rstrip().endswith("try: correct the data, or choose a distribution whose support holds them")
    assert "scistan/" not in text
    assert len(text.splitlines()) < 20


@pytest.mark.parametrize(
    ("cell", "line", "words"),
    [("sampling fails", "m.y = ss.Normal(0, ss.exp(m.slope - 800))", "sigma"),
     ("log of nothing", "m.rate = ss.log(m.a - m.x)", "log"),
     ("stanc refuses", "twice = ss.declare_op(", "no_such")],
)  # fmt: skip
def test_a_run_that_cannot_start_names_the_cells_line(outputs, cell, line, words):
    text = shown(outputs[cell])
    assert line in text
    message = text[text.rindex("Error") :]
    assert line in message  # not in the frame alone: the source map led back to the cell
    assert "Cell" in message or "cell" in message
    assert words in message
    assert "scistan/" not in text
    assert ".stan" not in text


def test_errors_that_follow_from_each_other(outputs):
    text = shown(outputs["chained"])
    assert "was given the text 'mu' first" in text
    assert "direct cause" in text
    assert text.rstrip().endswith("DataError: worse")
    assert "scistan/" not in text
    foreign = shown(outputs["foreign cause"])
    assert "invalid literal for int()" in foreign
    assert "no variable or method `fit`" in foreign
    assert "scistan/" not in foreign


def test_what_a_user_gave_us_to_call_is_shown(outputs):
    text = shown(outputs["within ours"])
    assert "m.prior(10)" in text
    assert "scistan/" not in text


def test_every_frame_on_request(outputs):
    assert "scistan/model/assignment.py" in shown(outputs["all frames"])
    assert "scistan/" not in shown(outputs["short again"])


def test_faults_of_our_own_show_everything(outputs):
    text = shown(outputs["ours"])
    assert "scistan/model/" in text
    assert "please report it" in text


def test_other_errors_are_pythons_own(outputs):
    assert "ZeroDivisionError" in shown(outputs["another's"])
    assert "scistan" not in outputs["hook"][0].text


def test_a_bar_is_one_output_that_keeps_its_end(outputs):
    (bar,) = outputs["bar"]
    assert bar.output_type == "display_data"
    line = bar.data["text/plain"]
    assert "40/40" in line
    assert "\n" not in line
    assert "divergences 3" in line
