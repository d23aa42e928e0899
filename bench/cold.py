"""Cold time: a fresh process from model and data to draws, and to ArviZ's class of them, beside another revision.

`python bench/cold.py --against REVISION` runs both trees in turn on the same Python and packages. Times are processor
seconds of the whole process (user and system), the least of several runs: other processes do not add to them.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODEL = """
import scistan as ss
m = ss.Model("eight_schools", coords={"school": list("ABCDEFGH")})
m.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0], dims="school")
m.mu = ss.Normal(0, 5)
m.tau = ss.HalfCauchy(5)
m.theta = ss.Normal(m.mu, m.tau, dims="school")
m.y = ss.Normal(m.theta, m.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
"""
SAMPLE = "fit = m.mcmc(seed=1, progress=False, engine={engine!r})\n"
CASES = {
    "stanli, to a diagnosed fit": MODEL + SAMPLE.format(engine="stanli") + "fit.diagnose()",
    "stanli, to idata": MODEL + SAMPLE.format(engine="stanli") + "fit.idata",
    "nutpie, to a diagnosed fit": MODEL + SAMPLE.format(engine="nutpie") + "fit.diagnose()",
    "nutpie, to idata": MODEL + SAMPLE.format(engine="nutpie") + "fit.idata",
    "prior draws": MODEL + "m.prior(draws=1000, seed=1)",
}


def main() -> None:
    """Print a table of seconds, and of ratios where there is another revision."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--against", help="a git revision to measure beside this tree")
    options.add_argument("--runs", type=int, default=7)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        trees = {"here": ROOT}
        if chosen.against:
            trees[chosen.against] = unpacked(chosen.against, Path(place))
        print(f"{'processor seconds':28}", *(f"{name[:12]:>12}" for name in trees), "       ratio" if chosen.against else "")
        for case, code in CASES.items():
            least = {name: float("inf") for name in trees}
            for _ in range(chosen.runs):  # in turn, so that both meet the same machine
                least = {name: min(least[name], seconds(code, tree)) for name, tree in trees.items()}
            ratio = f"{least['here'] / least[chosen.against]:12.2f}" if chosen.against else ""
            print(f"{case:28}", *(f"{least[name]:12.2f}" for name in trees), ratio)


def unpacked(revision: str, place: Path) -> Path:
    """Write the files of a revision into a folder."""
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "x", "-C", str(place)], input=archive, check=True)
    return place


def seconds(code: str, tree: Path) -> float:
    """Give the processor time of a fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], env={**os.environ, "PYTHONPATH": str(tree)}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
