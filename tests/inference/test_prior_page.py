"""The page of a model's priors: what it is told, who may ask, the command that serves it, and the widget."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.cli import main
from scistan.inference.prior_check.page import Page
from scistan.inference.prior_check.serve import PageServer
from scistan.model.script import models_of
from tests.inference.prior_models import counts, eight_schools, wide_logistic

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """import scistan as ss
m = ss.Model("script")
m.a = ss.Normal(0, 5)
m.y = ss.Normal(m.a, 1).observe([1.0, 2.0])
"""


# -- questions and answers --------------------------------------------------------------------------------
def test_an_answer_counts_the_draws_of_the_model_with_that_constant():
    page = Page(counts().prior_check(seed=2))
    first = page.opened()
    assert [c["name"] for c in first["constants"]] == ["alpha.mu", "alpha.sigma", "beta.mu", "beta.sigma", "phi.alpha", "phi.beta"]
    assert [p["name"] for p in first["answer"]["panels"]] == ["y", "alpha", "beta", "phi"]
    axes = {p["name"]: p["axis"] for p in first["answer"]["panels"]}
    answer = page.ask({"values": {"alpha.sigma": 0.25}, "axes": axes, "findings": True})
    assert [p["name"] for p in answer["panels"]] == ["y", "alpha"]  # the others do not hang on it
    assert answer["findings"] == []
    there = page.check.idata
    for told in answer["panels"]:
        group = "prior_predictive" if told["role"] == "observed" else "prior"
        draws = np.asarray(there[group][told["name"]])
        assert told["axis"] == axes[told["name"]]
        assert told["counts"] == np.histogram(draws, len(told["counts"]), told["axis"])[0].tolist()
        assert told["below"] + told["above"] + sum(told["counts"]) / draws.size == pytest.approx(1)
        assert told["spread"]["middle"] == pytest.approx(np.median(draws))
    start = np.asarray(counts().prior(seed=2).prior["alpha"])
    assert answer["panels"][1]["start"] == np.histogram(start, len(answer["panels"][1]["start"]), axes["alpha"])[0].tolist()
    json.dumps(answer, allow_nan=False)


def test_counts_stand_on_whole_numbers():
    told = Page(counts().prior_check(seed=2)).opened()["answer"]["panels"][0]
    low, high = told["axis"]
    each = (high - low) / len(told["counts"])
    assert told["discrete"]
    assert each == int(each)
    assert low % 1 == 0.5


def test_a_mistake_is_told_and_the_draws_stay():
    page = Page(eight_schools().prior_check(seed=2))
    page.ask({"values": {"tau.sigma": 2.0}})
    assert page.ask({"values": {"tau.sigma": 0}}) == {"error": "`tau.sigma` must be positive, and 0. is not."}
    assert page.values == {"tau.sigma": 2.0}
    odd = page.ask({"values": {}, "axes": {"mu": ["a", None]}, "views": {"y": "no such"}, "all": True})
    assert odd["error"] == ""
    assert {p["view"] for p in odd["panels"]} == {"values"}


def test_an_outcome_shows_its_probability_first():
    page = Page(wide_logistic().prior_check(seed=2))
    told = page.opened()["answer"]["panels"][0]
    assert told["views"] == ["probability", "values", "mean", "sd", "smallest", "largest"]
    assert told["view"] == "probability"
    state = page.check.state.drawn
    eta = state.arrays["alpha"][:, None] + state.arrays["beta"] @ np.asarray(page.check.idata.constant_data["x"]).T
    expected = np.histogram(0.5 + 0.5 * np.tanh(eta / 2), len(told["counts"]), (0, 1))[0]
    assert np.abs(np.array(told["counts"]) - expected).max() <= 2  # rounding at the edges
    assert sum(told["counts"]) == eta.size  # 1 itself, too
    assert told["counts"][0] + told["counts"][-1] > 0.97 * eta.size
    assert told["data"]["ticks"] == [pytest.approx(float(np.mean(page.check.idata.observed_data["y"])))]


# -- who may ask --------------------------------------------------------------------------------------------
@pytest.fixture
def server():
    with PageServer({"m": eight_schools().prior_check(draws=50, seed=1)}) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


def asked(server, method="POST", path="ask", body='{"model": "m", "values": {"tau.sigma": 2}}', **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    sent = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection.request(method, f"/{server.secret}/{path}" if not path.startswith("/") else path, body, sent)
    response = connection.getresponse()
    return response.status, response.read().decode(), dict(response.getheaders())


def test_the_page_is_for_this_machine_alone(server):
    assert server.server_address[0] == "127.0.0.1"
    assert server.url.startswith("http://127.0.0.1:")
    here = f"127.0.0.1:{server.server_port}"
    status, text, _ = asked(server, Origin=f"http://{here}")
    assert status == 200
    assert json.loads(text)["lines"] == ["m.tau = ss.HalfCauchy(2)"]
    assert asked(server, Origin="http://elsewhere.example")[0] == 403
    assert asked(server, Origin="null")[0] == 403
    assert asked(server, Host="elsewhere.example")[0] == 403
    assert asked(server, Host=f"elsewhere.example:{server.server_port}")[0] == 403
    assert asked(server, "GET", "", None, Host="elsewhere.example")[0] == 403
    assert asked(server, Content_Type="text/plain")[0] == 415  # what a form of another site can send unasked
    assert asked(server, path="/ask")[0] == 404
    assert asked(server, "GET", "/", None)[0] == 404
    assert asked(server, body="{")[0] == 400
    assert asked(server, body='{"model": "none"}')[0] == 400
    assert asked(server, body="[]")[0] == 400
    assert asked(server, body="[" * 100_000)[0] == 400
    assert asked(server, Content_Length=str(10**9))[0] == 413
    assert asked(server)[0] == 200


def test_the_page_loads_nothing_from_elsewhere(server):
    status, text, headers = asked(server, "GET", "", None)
    assert status == 200
    nonce = re.search(r"script-src 'nonce-([^']+)'", headers["Content-Security-Policy"])[1]
    assert text.count(f'nonce="{nonce}"') == 2
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text)
    assert re.findall(r"https?://[^\"'\s]+", text) == ["http://www.w3.org/2000/svg"]  # a namespace, which is a name


# -- the command -----------------------------------------------------------------------------------------------
def test_the_command_serves_a_script_and_ends_with_ctrl_c(tmp_path):
    script = tmp_path / "model.py"
    script.write_text(SCRIPT + "print('the script ran')\nfit = m.mcmc()\nraise RuntimeError('too far')\n")
    command = [sys.executable, "-c", "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from scistan.cli import main; sys.exit(main())",
               "prior", str(script), "--no-browser", "--seed", "3", "--draws", "500"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        lines = []
        while not lines or "Ctrl-C" not in lines[-1]:
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read()
        port, secret = re.search(r"http://127\.0\.0\.1:(\d+)/(\S+)/", "".join(lines)).groups()
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
        connection.request("POST", f"/{secret}/ask", '{"model": "m", "open": true}', {"Content-Type": "application/json"})
        told = json.load(connection.getresponse())
        assert (told["model"], told["seed"], told["draws"]) == ("script", 3, 500)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "stopped" in out
    assert err == ""
    assert "the script ran" in lines[0]
    assert any("500 prior draws, seed 3" in line for line in lines)


def test_models_are_found_in_a_script(tmp_path):
    script = tmp_path / "model.py"
    (tmp_path / "neighbour.py").write_text("scale = 3\n")
    script.write_text(SCRIPT + "from neighbour import scale\nalso = m\nother = ss.Model('other')\nother.b = ss.Normal(0, scale)\ndef build():\n    k = ss.Model('built')\n    k.c = ss.Normal(0, 1)\n    return k\nif __name__ == '__main__':\n    raise SystemExit('no')\n")
    before = list(sys.path)
    try:
        assert list(models_of(script)) == ["m", "other"]
        assert models_of(script, "build")["build"].name == "built"
        assert sys.path == before
        assert ss.Model.mcmc.__name__ == "mcmc"  # the verbs are back
    finally:
        sys.modules.pop("neighbour", None)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (None, [], "cannot be read: No such file"),
        ("m = (", [], "cannot be read: "),
        ("x = 1\n", [], "holds no model"),
        ("x = 1 / 0\n", [], "stopped with ZeroDivisionError: division by zero"),
        (SCRIPT, ["--model", "n"], "has no model `n`"),
        (SCRIPT, ["--port", "70000"], "port 70000 cannot be used"),
        (SCRIPT.replace("Normal(0, 5)", "Flat()"), [], "nothing can be drawn from the prior of `a`"),
        (SCRIPT.replace("ss.Normal(0, 5)", "ss.StdNormal()"), [], "hold no number that a slider could move"),
        (SCRIPT.replace("ss.Normal(0, 5)", "ss.Normal(0, -5)"), [], "sigma"),
    ],
)
def test_mistakes_of_the_command_are_told(tmp_path, capsys, text, options, words):
    script = tmp_path / "model.py"
    if text is not None:
        script.write_text(text)
    assert main(["prior", str(script), "--no-browser", *options]) == 1
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error


# -- the widget --------------------------------------------------------------------------------------------
def test_the_widget_answers_as_the_server_does():
    pytest.importorskip("anywidget", reason="the widget needs anywidget")
    widget = eight_schools().prior_check(draws=500, seed=1).interact()
    said = []
    widget.send = lambda message, *_: said.append(message)
    widget._handle_custom_msg({"open": True, "number": 1}, [])
    widget._handle_custom_msg({"values": {"tau.sigma": 2.0}, "number": 2}, [])
    assert [message["number"] for message in said] == [1, 2]
    assert said[0]["answer"]["model"] == "eight_schools"
    assert widget.values == {"tau.sigma": 2.0}
    assert widget.lines == ["m.tau = ss.HalfCauchy(2)"]
    assert widget.check.constants["tau.sigma"] == 2.0
    assert "export default" in widget._esm


def test_a_missing_anywidget_is_told(monkeypatch):
    from scistan.inference.prior_check import widget

    widget._kind.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ss.UnsupportedError, match=r"pip install 'scistan\[widget\]'"):
        eight_schools().prior_check(draws=50, interactive=True)


def test_nothing_heavy_is_imported_for_a_check():
    command = "import sys; import scistan as ss; m = ss.Model(); m.a = ss.Normal(0, 1); m.prior_check(draws=50).ok; print([n for n in ('arviz', 'torch', 'matplotlib', 'pandas', 'anywidget', 'http.server') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.stdout.strip() == "[]"
