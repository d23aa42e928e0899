"""Executables made of the runner and the models of this folder, and the data that go with them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from scistan.toolchain.build import BuildOptions, compile_stan

MODELS = Path(__file__).parent / "models"

Executable = Callable[..., Path]
Run = Callable[..., subprocess.CompletedProcess[str]]


def build_executable(stan_text: str, full: bool = True) -> Path:
    """Give an executable of this program with the core units of the runner, or with all."""
    # The cache gives an executable with more methods where it has one; the remark keeps the two apart.
    text = stan_text if full else f"{stan_text}\n// core units only\n"
    return compile_stan(text, options=BuildOptions(methods="full" if full else "core"), progress=False)


@pytest.fixture(scope="session")
def executable() -> Executable:
    """Give the executable of a model in this folder by name."""

    def build(name: str, full: bool = True) -> Path:
        return build_executable((MODELS / f"{name}.stan").read_text(), full)

    return build


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run an executable in a folder of its own."""

    def call(program: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **environment}
        return subprocess.run([program, *words], capture_output=True, text=True, cwd=tmp_path, env=env, check=False)

    return call


@pytest.fixture(scope="session")
def conjugate_data() -> dict[str, object]:
    return {"N": 10, "y": [0, 1, 0, 0, 0, 0, 0, 0, 0, 1], "K": 5, "count": [3, 1, 4, 1, 5]}


@pytest.fixture(scope="session")
def regression_data() -> dict[str, object]:
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(20), rng.normal(1, 1, 20)])
    y = x @ [1.0, -0.5] + rng.normal(0, 1, 20)
    return {"N": 20, "x": x.tolist(), "y": y.tolist()}


@pytest.fixture
def conjugate_file(tmp_path: Path, conjugate_data: dict[str, object]) -> str:
    path = tmp_path / "data.json"
    path.write_text(json.dumps(conjugate_data))
    return str(path)
