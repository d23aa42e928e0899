"""What every test shares: flags, golden files, the Stan compiler, and the posteriors with known answers."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from scistan.distributions import CONSTRUCTORS, REGISTRY
from scistan.errors import UnsupportedError
from scistan.messages.inference import no_torch

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).resolve().parent / "golden"


# Real compilations of all tests share one cache, so that the header and the runner are built once.
os.environ.setdefault("SCISTAN_TEST_CACHE", str(ROOT / ".test-cache"))
os.environ["SCISTAN_CACHE"] = os.environ["SCISTAN_TEST_CACHE"]
# Hundreds of tests start a process: each would compile all of SciStan's modules where Python may keep none.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


if find_spec("hypothesis"):
    from hypothesis import HealthCheck, settings

    # How long inputs take to make says how busy the machine is.
    settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any machine")


def pytest_configure(config: pytest.Config) -> None:
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput") and find_spec("arviz"):
        # ArviZ 0.23 stamps a file on the first import of a day: two workers who do it at once take it from each other.
        import_module("arviz")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run what takes long: hundreds of kills, thousands of models")
    parser.addoption("--cases", type=int, metavar="N", help="of a test with more than N cases run N, from first to last")
    parser.addoption("--accept", action="store_true", help="rewrite the golden files")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _sample_cases(config, items)
    if not config.getoption("--long"):  # left out, not skipped: thousands of skips take time of their own
        config.hook.pytest_deselected(items=[item for item in items if "long" in item.keywords])
        items[:] = [item for item in items if "long" not in item.keywords]


def _sample_cases(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep no more than `--cases` of each test, evenly spread; every test is still there."""
    most = config.getoption("--cases")
    if most is None:
        return
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {cases[int(k)] for cases in tests.values() for k in np.linspace(0, len(cases) - 1, min(most, len(cases)))}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip what needs torch where there is none, as on Pythons that have no small build of it."""
    report = yield
    if call.excinfo is not None and find_spec("torch") is None and _wants_torch(call.excinfo.value):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1], "Skipped: torch is not installed")
    return report


def _wants_torch(error: BaseException | None) -> bool:
    """Tell whether torch is what is missing, to the test itself or to what it called."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name == "torch":
            return True
        if isinstance(error, UnsupportedError) and error.what == no_torch().what:
            return True
        error = error.__cause__ or error.__context__
    return False


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Forget the distributions that a test declared: others go through all that there are."""
    before = [(table, dict(table)) for table in (REGISTRY, CONSTRUCTORS)]
    yield
    for table, known in before:
        if len(table) > len(known):
            table.clear()
            table.update(known)


@pytest.fixture
def needs_torch() -> None:
    """Skip a test that is about torch, and would fail without it for another reason than a missing package."""
    pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def three_targets(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `m.verify()` ask SciPy, torch and Stan alone, for speed; tests marked `other_targets` ask all."""
    if request.node.get_closest_marker("other_targets") is None:
        monkeypatch.setattr("scistan.inference.other_targets.OTHER_TARGETS", {})


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the file kept under its name."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--accept"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"{name} is not kept yet: run with --accept"
        assert text == path.read_text()

    return check


@pytest.fixture(scope="session")
def stanc(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Check a program with the stanc at hand under --warn-pedantic; gives what it remarks."""
    httpstan = pytest.importorskip("httpstan")
    binary = Path(httpstan.__file__).parent / "stanc"
    folder = tmp_path_factory.mktemp("stanc")

    def check(text: str) -> str:
        path = folder / "model.stan"
        path.write_text(text)
        command = [str(binary), "--warn-pedantic", f"--o={folder / 'model.hpp'}", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stderr}\n{text}"
        return done.stderr

    return check


@pytest.fixture(scope="session")
def posteriordb() -> Callable[[str], tuple[dict[str, np.ndarray], dict[str, dict[str, float]]]]:
    """Read a posterior's data and reference; they are used from outside the repository."""
    home = Path(os.environ.get("SCISTAN_POSTERIORDB", ROOT.parent / "shared" / "posteriordb"))
    if not home.exists():
        pytest.skip("posteriordb is not here; set SCISTAN_POSTERIORDB")

    def read(name: str) -> tuple[dict[str, np.ndarray], dict[str, dict[str, float]]]:
        data = json.loads((home / name / "data.json").read_text())
        reference = json.loads((home / name / "reference.json").read_text())
        return {key: np.asarray(value) for key, value in data.items()}, reference

    return read
