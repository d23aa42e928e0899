"""The notebooks run from top to bottom, and are kept without outputs that could grow stale."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))
READ_ELSEWHERE = {"new_site.py", "report.py"}  # tests/docs/test_examples.py runs them and reads what they say


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} >= {"eight_schools", "regression"}
    assert {Path(name).stem for name in EXAMPLES} >= {path.stem for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_runs(path):
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(ROOT)}}).execute()
    errors = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs if o.output_type == "error"]
    assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in READ_ELSEWHERE])
def test_examples_run(name):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name)],
        capture_output=True,
        text=True,
        timeout=900,  # of a busy machine
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
