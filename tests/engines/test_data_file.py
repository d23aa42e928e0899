"""Long data lie in a file, and every engine reads from it what it reads from text."""

from __future__ import annotations

import json
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.engines import data_file
from scistan.engines.data_file import DataFile, write_data
from scistan.engines.density import StanDensity
from scistan.engines.embedded import EmbeddedDensity, open_density
from scistan.engines.encoding import to_json
from scistan.inference.prepare import subject_of


def model(rows: int = 60) -> ss.Model:
    rng = np.random.default_rng(1)
    m = ss.Model("long")
    m.X = ss.data(rng.normal(size=(rows, 3)))
    m.a, m.b = ss.Normal(0, 5), ss.Normal(0, 1, shape=3)
    m.y = ss.BernoulliLogit(m.a + m.X @ m.b).observe(rng.integers(0, 2, rows))
    return m


@pytest.fixture
def in_files(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Have all data written to files, piece by piece; give their places."""
    made: list[Path] = []
    known = DataFile.__init__

    def noted(self: DataFile, data: dict[str, object]) -> None:
        known(self, data)
        made.append(self.path)

    monkeypatch.setattr(DataFile, "__init__", noted)
    monkeypatch.setattr(data_file, "LONG", 0)
    monkeypatch.setattr(data_file, "PIECE", 50)
    return made


def arrays() -> dict[str, object]:
    rng = np.random.default_rng(2)
    return {
        "N": 7, "x": rng.normal(size=(40, 3)), "turned": np.asfortranarray(rng.normal(size=(31, 4))),
        "cube": rng.normal(size=(5, 4, 7)), "y": rng.integers(0, 9, 120), "few": np.array([1.0, 2.5]), "n": np.array(3),
        "none": np.empty((0, 2)),
    }  # fmt: skip


def test_a_file_has_the_text(in_files: list[Path]) -> None:
    written = write_data(arrays())
    assert isinstance(written, DataFile)
    assert written.encode().decode() == to_json(arrays())
    assert json.loads(written.encode())["cube"][4][3][6] == arrays()["cube"][4, 3, 6]  # type: ignore[index]
    assert pickle.loads(pickle.dumps(written)) == to_json(arrays())


def test_digits_are_the_fewest_that_tell_a_number(in_files: list[Path]) -> None:
    numbers = np.array([0.1, 1 / 3, 1e-300, 123456789.125, 2.0**-1074] * 20)
    text = write_data({"x": numbers}).encode().decode()
    assert json.loads(text)["x"] == numbers.tolist()
    assert text.startswith('{"x":[0.1,0.3333333333333333,')


def test_a_file_goes_with_its_owner(in_files: list[Path]) -> None:
    written = write_data(arrays())
    (path,) = in_files
    assert path.exists()
    del written
    assert not path.exists()


def test_engines_read_the_same_from_a_file(in_files: list[Path]) -> None:
    subject = subject_of(model().instance())
    text, written = to_json(subject.data), write_data(subject.data)
    q = np.linspace(-1, 1, 4)
    embedded = open_density(subject.program.text, written, 1)
    assert isinstance(embedded, EmbeddedDensity)
    expected, slope = open_density(subject.program.text, text, 1).log_density_gradient(q)
    for density in (embedded, StanDensity(subject.program.text, written)):
        value, gradient = density.log_density_gradient(q)
        assert value == expected
        np.testing.assert_array_equal(gradient, slope)


@pytest.mark.parametrize("engine", ["stanli", "nutpie", "auto"])
def test_draws_are_those_of_text(engine: str, in_files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    run = {"draws": 30, "warmup": 60, "chains": 2, "seed": 1, "progress": False, "engine": engine}
    by_file = model().mcmc(**run)  # type: ignore[arg-type]
    assert in_files
    assert not any(path.exists() for path in in_files)
    monkeypatch.setattr(data_file, "LONG", 10**9)
    by_text = model().mcmc(**run)  # type: ignore[arg-type]
    np.testing.assert_array_equal(by_file.posterior["b"], by_text.posterior["b"])


def test_a_run_writes_its_data_once(in_files: list[Path]) -> None:
    model().mcmc(draws=20, warmup=40, chains=1, seed=1, progress=False, engine="nutpie")
    assert len(in_files) == 1  # of which the certificate, by stanli, and nutpie read


def test_text_where_there_is_no_room(in_files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(data_file, "_write", full)
    assert write_data(arrays()) == to_json(arrays())


def test_memory_holds_pieces_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written text is several times the data; what is held at once is some pieces of it."""
    monkeypatch.setattr(data_file, "LONG", 0)
    monkeypatch.setattr(data_file, "PIECE", 1_000)
    matrix = np.random.default_rng(1).normal(size=(20_000, 5))
    tracemalloc.start()
    try:
        written = write_data({"x": matrix})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(written, DataFile)
    assert written.path.stat().st_size > 18 * matrix.size
    assert peak < matrix.nbytes / 2
