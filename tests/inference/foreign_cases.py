"""Make every tool say what is in the table of foreign messages: small models and runs that go wrong for real."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import scistan as ss
from scistan.engines.encoding import to_json
from scistan.engines.processes import Process
from scistan.engines.protocol import Request
from scistan.inference.executors import run_everywhere
from scistan.inference.prepare import subject_of
from scistan.inference.subject import Subject

__all__ = ["COMPILERS", "MEMORY", "SINK", "killed_chain", "said_by", "sink", "wrong"]

EYE, ONES = np.eye(2), np.ones((2, 2))


def sink(*, shift=0.0, rate=1.0, p=0.0, div=1.0, lg=1.0, nug=1.0, simplex=0.5, count=1, big=0.0) -> ss.Model:
    """Give a model of one program whose data decide what goes wrong."""
    m = ss.Model("sink")
    m.shift, m.rate, m.p = ss.data([1 + shift, 1.0]), ss.data([rate, 1.0]), ss.data([p, 0.0])
    m.div, m.lg, m.nug, m.share = ss.data([div, 1.0]), ss.data([lg, 1.0]), ss.data(nug), ss.data(simplex)
    m.big = ss.data(big)
    m.b, m.h = ss.Normal(0, 1), ss.HalfNormal(1)
    m.scale = ss.Normal(m.b, m.h * m.shift).observe([0.1, 0.2])
    m.counts = ss.Poisson(m.h * m.rate).observe([count, 2])
    m.binary = ss.Bernoulli(0.5 + 0.1 * ss.tanh(m.b) + m.p).observe([0, 1])
    m.place = ss.Normal(m.b / m.div, 1).observe([0.1, 0.2])
    m.logs = ss.Normal(ss.log(m.h * m.lg), 1).observe([0.1, 0.2])
    m.pair = ss.MultivariateNormal(np.zeros(2), cov=m.h * ONES + m.nug * EYE).observe([0.1, 0.2])
    m.kind = ss.Categorical(ss.stack([m.share + 0 * m.b, 0.5 + 0 * m.b])).observe([0, 1])
    m.grown = ss.Poisson(ss.exp(m.b + m.big)).observe([1, 2])
    return m


# What goes wrong -> the row that it is, and the data that make it so.
SINK: dict[str, tuple[str, dict[str, float]]] = {
    "a scale below 0": ("argument outside its range", {"shift": -3.0}),
    "a scale of 0": ("argument outside its range", {"shift": -1.0}),
    "a rate below 0": ("argument outside its range", {"rate": -1.0}),
    "a probability above 1": ("argument outside its range", {"p": 3.0}),
    "an infinite location": ("argument outside its range", {"div": 0.0}),
    "a location that is NaN": ("argument outside its range", {"lg": -1.0}),
    "a covariance that is none": ("matrix not positive definite", {"nug": -9.0}),
    "probabilities that sum to 1.4": ("probabilities that do not sum to 1", {"simplex": 0.9}),
    "a density of 0": ("density zero", {"rate": 0.0}),
    "an exponential that overflows": ("density zero", {"big": 800.0}),
}


def wrong(case: str) -> Subject:
    """Give the model on the data of a case, lowered for sampling."""
    return subject_of(sink(**SINK[case][1]).instance())


def said_by(engine: str, subject: Subject, data: str = "", inits: str = "", **options: object) -> str:
    """Give what an engine says of a model that it cannot sample."""
    given = data or to_json(subject.data)
    starts = (inits,) if inits else None
    request = Request(subject.program.text, given, 50, 50, 1, 1, inits=starts, progress=False, options=options)
    try:
        run_everywhere(engine, request, None)
    except ss.ScistanError as error:
        return error.what
    raise AssertionError(f"{engine} had nothing to say")


# -- compilers -----------------------------------------------------------------------------------------------
def _compiled(code: str, *words: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = ["g++", "-x", "c++", "-", *(words if "-o" in words else ["-o", f"{folder}/a.out", *words])]
        return subprocess.run(command, input=code, capture_output=True, text=True, check=False).stderr


def _killed_compiler() -> str:
    """Kill the compiler proper while its driver waits for it."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["g++", "-x", "c++", "-c", "-", "-o", f"{folder}/a.o"]
        driver = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        children = Path(f"/proc/{driver.pid}/task/{driver.pid}/children")
        while not (found := children.read_text().split()):
            time.sleep(0.01)
        subprocess.run(["kill", "-9", found[0]], check=True)
        return driver.communicate()[1]


def _starved_compiler() -> str:
    def starve() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (60_000_000, 60_000_000))

    command = ["g++", "-x", "c++", "-fsyntax-only", "-"]
    code = "#include <algorithm>\n#include <map>\n#include <regex>\n#include <functional>\nint main() {}"
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=False, preexec_fn=starve)
    return done.stderr


COMPILERS: dict[str, Callable[[], str]] = {
    "library missing": lambda: _compiled("int main() {}", "-lno_such_library"),
    "symbol missing": lambda: _compiled("int far_away(); int main() { return far_away(); }"),
    "header missing": lambda: _compiled("#include <no_such_header.hpp>\nint main() {}"),
    "disk full": lambda: _compiled("int main() {}", "-S", "-o", "/dev/full"),
    "compiler killed": _killed_compiler,
    "compiler out of memory": _starved_compiler,
}

# -- memory: in a process of its own, whose memory is limited ----------------------------------------------------
_LIMIT = """
import resource, sys, numpy as np, scistan as ss
def limit(megabytes):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + megabytes * 10**6,) * 2)
def table(n):
    m = ss.Model()
    m.t = ss.data(np.linspace(0, 1, n))
    m.l = ss.HalfNormal(1)
    m.y = ss.Normal(ss.sum(ss.exp(-(((m.t[:, None] - m.t[None, :]) / m.l) ** 2)), axis=1), 1).observe(np.zeros(n))
    return m
def tell(run):
    try:
        run()
    except BaseException as error:
        print(type(error).__name__)
        print(error)
"""
MEMORY: dict[str, str] = {
    "NumPy": """
        m = table(2000)
        limit(200)
        tell(lambda: m.prior(200, seed=1))
        """,
    "stanli": """
        table(3).mcmc(engine="stanli", draws=5, warmup=5, chains=1, progress=False)  # its compiler is loaded
        m = table(2500)
        limit(150)
        tell(lambda: m.mcmc(engine="stanli", draws=5, warmup=5, chains=1, seed=1, progress=False))
        """,
    "torch": """
        table(3).map(starts=1, progress=False)
        m = table(4000)
        limit(300)
        tell(lambda: m.map(starts=1, seed=1, progress=False))
        """,
    "draws": """
        m = ss.Model()
        m.x = ss.Normal(0, 1, shape=3000)
        m.y = ss.Normal(m.x, 1).observe(np.zeros(3000))
        m.mcmc(engine="stanli", draws=2, warmup=2, chains=1, progress=False)
        limit(300)
        tell(lambda: m.mcmc(engine="stanli", draws=4000, warmup=5, chains=4, seed=1, progress=False))
        """,
}


def short_of_memory(case: str, folder: Path) -> str:
    """Give what a user sees when memory runs out: the error's class, then its text."""
    script = folder / "short.py"
    script.write_text(_LIMIT + textwrap.dedent(MEMORY[case]))
    done = subprocess.run([sys.executable, "-W", "ignore", str(script)], capture_output=True, text=True, check=False)
    return done.stdout.replace(str(script), "short.py") or done.stderr


def killed_chain(folder: Path) -> str:
    """Give how the end of a chain is told that the system killed."""
    process = Process(["/bin/sh", "-c", "kill -9 $$"], folder / "console.txt")
    process.start()
    while not process.ended():
        time.sleep(0.01)
    return process.fate()
