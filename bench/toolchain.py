"""Time the toolchain: a build beside plain g++, four models on two cores, a hit.

Run `python bench/toolchain.py`; `SCISTAN_CACHE` chooses the cache, else a temporary one is made and removed.
Wall times depend on what else the machine does, processor times hardly, so both are shown.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scistan.toolchain.build import compile_stan
from scistan.toolchain.cache import open_store
from scistan.toolchain.find import find_toolchain
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.place import PRODUCTS
from scistan.toolchain.pool import compile_many
from scistan.toolchain.wheel import LIBRARIES, Wheel

EIGHT_SCHOOLS = """data {
  int<lower=0> J;
  vector[J] y;
  vector<lower=0>[J] sigma;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector<offset=mu, multiplier=tau>[J] theta;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, sigma);
}
generated quantities {
  vector[J] log_lik;
  for (j in 1:J) log_lik[j] = normal_lpdf(y[j] | theta[j], sigma[j]);
}
"""


def fresh(name: str) -> str:
    """Give a program that no cache has, neither as text nor as C++."""
    return EIGHT_SCHOOLS.replace("log_lik", f"{name}_{os.urandom(8).hex()}")


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Give the wall seconds and the children's processor seconds of some work."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    work()
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def runner_objects(toolchain: Wheel) -> list[str]:
    """Give the objects of the runner's core units, which the first build has left in the cache."""
    units = {unit.path.name for unit in toolchain.runner.chosen("core")}
    parts = {"kind": "unit", "compiler": toolchain.compiler.identity, "flags": list(toolchain.flags(BuildOptions()))}
    found = {
        str(entry.record.parts["name"]): str(entry.folder / "object.o")
        for entry in open_store().entries(PRODUCTS)
        if parts.items() <= entry.record.parts.items() and entry.record.parts["name"] in units
    }
    return list(found.values())


def plain(toolchain: Wheel) -> None:
    """Translate, compile and link one program as one would by hand, without a precompiled header."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.stan").write_text(fresh("plain"))
        words = [str(toolchain.files.stanc), "--O1", "--o=model.hpp", "model.stan"]
        subprocess.run(words, cwd=folder, check=True)
        words = [*toolchain.compiler.command, *toolchain.flags(BuildOptions())]
        words += ["-I", str(toolchain.files.include), "-c", "-x", "c++", "model.hpp", "-o", "model.o"]
        subprocess.run(words, cwd=folder, check=True)
        libraries = str(toolchain.files.libraries)
        words = [*toolchain.compiler.command, "model.o", *runner_objects(toolchain), "-L", libraries, *LIBRARIES]
        words += [f"-Wl,-rpath,{libraries}", "-o", "model"]
        subprocess.run(words, cwd=folder, check=True)
        subprocess.run(["./model", "info"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def report(what: str, first: tuple[float, float], second: tuple[float, float], aim: str) -> None:
    """Print two times and their ratio."""
    print(
        f"{what}: {first[0]:.1f} s beside {second[0]:.1f} s, ratio {first[0] / second[0]:.2f} (aim {aim}); "
        f"processor {first[1]:.1f} s beside {second[1]:.1f} s, ratio {first[1] / second[1]:.2f}"
    )


def main() -> None:
    """Run the three measurements."""
    toolchain = find_toolchain()
    if not isinstance(toolchain, Wheel):
        raise SystemExit("this bench measures the wheel toolchain; unset CMDSTAN")
    wall, processor = timed(lambda: compile_stan(fresh("first")))
    print(f"first build, header and runner included if missing: {wall:.1f} s (processor {processor:.1f} s)")

    pairs = [
        (timed(lambda: compile_stan(fresh("build"), progress=False)), timed(lambda: plain(toolchain)))
        for _ in range(3)
    ]
    build, by_hand = min(pairs, key=lambda pair: pair[0][0] + pair[1][0])
    report("a build beside plain g++ (the least disturbed of 3 pairs)", build, by_hand, "at most 0.45")

    together = timed(lambda: compile_many([fresh("many") for _ in range(4)], workers=2, progress=False))
    alone = timed(lambda: [compile_stan(fresh("one"), progress=False) for _ in range(4)])
    report("four models on two cores beside one after another", together, alone, "at most 0.6")

    compile_stan(EIGHT_SCHOOLS, progress=False)
    hits = []
    for _ in range(50):
        started = time.perf_counter()
        compile_stan(EIGHT_SCHOOLS)
        hits.append(time.perf_counter() - started)
    print(f"a hit: median {1e3 * statistics.median(hits):.1f} ms of 50 (aim under 20 ms)")


if __name__ == "__main__":
    if "SCISTAN_CACHE" in os.environ:
        main()
    else:
        with tempfile.TemporaryDirectory() as place:
            os.environ["SCISTAN_CACHE"] = str(Path(place) / "cache")
            main()
