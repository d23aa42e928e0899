"""What the engines' tests share: requests, programs that misbehave, and an executable that is none."""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import Any

import scistan as ss
from scistan.engines.encoding import to_json
from scistan.engines.protocol import Request

EMBEDDED = ("stanli", "nutpie")
SETTINGS: dict[str, Any] = {"draws": 100, "warmup": 200, "chains": 2, "seed": 3, "progress": False}

# The generated quantity throws at some draws: nutpie's Rust panics there, a chain at a time.
PANICS = """
parameters { real x; }
model { x ~ std_normal(); }
generated quantities { real y = x; if (x > 2.9) reject("no"); }
"""
NEVER_FINITE = "parameters { real<lower=0> s; } model { target += log(-s - 1); }"
SLOW = """
data { int N; vector[N] y; }
parameters { real a; real<lower=0> s; vector[200] z; }
model { z ~ std_normal(); for (n in 1:N) y[n] ~ normal(a + 1e-9 * sum(z), s); }
"""


def request(model: ss.Model, **settings: Any) -> Request:
    subject = model._subject()
    data = to_json(subject.program.data(subject.instance))
    return Request(subject.program.text, data, **{**SETTINGS, **settings})


def program(text: str, data: str = "{}", **settings: Any) -> Request:
    return Request(text, data, **{**SETTINGS, **settings})


def fake_executable(folder: Path, body: str) -> Path:
    """Write an executable that takes CmdStan's command line and runs `body` with its arguments as a dict."""
    path = folder / "model"
    path.write_text(
        f"#!{sys.executable}\n"
        "import os, random, signal, sys, time\n"
        "given = dict(word.split('=', 1) for word in sys.argv[1:] if '=' in word)\n"
        "files = [word.split('=', 1)[1] for word in sys.argv[1:] if word.startswith('file=')]\n"
        "number, output = int(given['id']), files[-1]\n"
        "names = 'lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,'\n"
        "def write(rows, columns='logit_p', end=True):\n"
        "    with open(output, 'w') as file:\n"
        "        file.write('# stan_version_major = 2\\n# stan_version_minor = 35\\n# stan_version_patch = 0\\n')\n"
        "        file.write(names + columns + '\\n')\n"
        "        rng = random.Random(number)\n"
        "        for _ in range(rows):\n"
        "            x = rng.gauss(0, 1)\n"
        "            own = ','.join([repr(x)] * len(columns.split(',')))\n"
        "            file.write(f'{-x * x},0.9,0.5,3,7,0,{x * x},{own}\\n')\n"
        "        if not end:\n"
        "            file.write('-0.5,0.9,0.5')\n"
        f"{body}\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
