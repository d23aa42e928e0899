"""Progress: every step is counted, divergences and step size are shown, and a log stays quiet."""

import io
import sys

import pytest

from scistan.engines import nutpie, progress, stanli
from scistan.engines.registry import run_request
from tests.engines.support import SLOW, program, request
from tests.zoo import logistic

DATA = '{"N": 300, "y": [' + ",".join(["0.1", "-0.2", "0.3"] * 100) + "]}"


class Record:
    def __init__(self):
        self.seen = []

    def show(self, done, divergences, sizes):
        self.seen.append((done, divergences, list(sizes)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


@pytest.mark.parametrize("engine", [stanli, nutpie], ids=["stanli", "nutpie"])
def test_engines_tell_how_far_they_are(engine, monkeypatch):
    record, asked = Record(), []
    monkeypatch.setattr(engine, "open_progress", lambda *given: asked.append(given) or record)
    name = engine.__name__.rpartition(".")[2]
    wish = program(SLOW, DATA, chains=2, draws=100, warmup=60, progress=True)
    run_request(name, wish)
    assert asked == [(True, 320, name)]
    counts = [done for done, _, _ in record.seen]
    assert counts == sorted(counts)
    assert any(0 < count < 320 for count in counts)  # how often it tells depends on the machine
    assert max(counts) == 320
    assert any(size > 0 for _, _, sizes in record.seen for size in sizes)


def test_progress_changes_no_draw():
    for engine in ("stanli", "nutpie"):
        loud, quiet = (run_request(engine, request(logistic(), progress=p)).values["beta"] for p in (True, False))
        assert (loud == quiet).all()


def test_a_bar_shows_divergences_and_step_size(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    screen = io.StringIO()
    with progress.Bar(100, "stanli", file=screen, mininterval=0) as bar:
        bar.show(40, 3, [0.5, 0.25, 0.125])
        bar.show(100, 4, [])
    assert "stanli:  40%" in screen.getvalue()
    assert "divergences 3, step size 0.25" in screen.getvalue()
    assert "divergences 4" in screen.getvalue()


def test_a_bar_claims_no_divergences_before_they_are_known(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    screen = io.StringIO()
    with progress.Bar(100, "stanli", file=screen, mininterval=0) as bar:
        bar.show(40, None, [])
    assert "stanli:  40%" in screen.getvalue()
    assert "divergences" not in screen.getvalue()


def test_only_a_screen_or_a_notebook_gets_a_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(progress.open_progress(True, 10, "x"), progress.Silent)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert isinstance(progress.open_progress(True, 10, "x"), progress.Bar)
    assert isinstance(progress.open_progress(False, 10, "x"), progress.Silent)
