"""What every test shares: flags, golden files, the Stan compiler, and the posteriors with known answers."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from scistan.distributions import REGISTRY

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).resolve().parent / "golden"


# Real compilations of all tests share one cache, so that the header and the runner are built once.
os.environ.setdefault("SCISTAN_TEST_CACHE", str(ROOT / ".test-cache"))
os.environ["SCISTAN_CACHE"] = os.environ["SCISTAN_TEST_CACHE"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run what takes long: hundreds of kills, thousands of models")
    parser.addoption("--accept", action="store_true", help="rewrite the golden files")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    skip = pytest.mark.skip(reason="runs with --long")
    for item in items:
        if "long" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Forget the distributions that a test declared: others go through all that there are."""
    known = dict(REGISTRY)
    yield
    if len(REGISTRY) > len(known):
        REGISTRY.clear()
        REGISTRY.update(known)


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
    """Check a program with stanc 2.35 under --warn-pedantic; gives what it remarks."""
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
