"""Try SciStan on every Python at hand, each in a fresh environment with the newest packages: no constraints.

`make pythons` runs the core and the engine tests on each, but of a test that goes through hundreds of distributions,
ops or models only some cases: a density is the same on all Pythons; what differs are the calls that lead to it, and
each of them is made. What depends on neither Python nor a package is left out, for `make test` has it; what depends on
the version of Stan alone is run once for each version. `make newest` (`--short`) runs the smoke test on one, the newest
that is not the Python this runs on. torch is left out: its builds for other Pythons are gigabytes. What needs it is
skipped, unless it is there.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".pythons"
OLDEST = (3, 11)


@dataclass(frozen=True)
class Plan:
    """What to install, which tests to run whole, of which only some of their cases, and which for a new Stan alone."""

    packages: tuple[str, ...]
    whole: tuple[str, ...]
    sampled: tuple[tuple[str, ...], ...] = ()
    of_stan: tuple[tuple[str, ...], ...] = ()


# Programs, which Stan's compiler looks at: it comes with httpstan.
PROGRAMS = ("tests/passes", "tests/targets/test_stan_*.py", "tests/distributions/test_stan_forms.py")
# Graphs and texts of our own, and what our own code decides on the one stanli that all Pythons have.
LEFT_OUT = (
    "tests/graph", "tests/docs", "tests/test_mutants.py", "tests/test_house.py", "tests/inference/point/marginal",
    "tests/inference/test_centring.py", "tests/inference/test_certificate.py",
    "tests/inference/test_mcmc_agreement.py", "tests/inference/test_mcmc_posteriordb.py",
    "tests/diagnostics/test_healthy_models.py", "tests/diagnostics/test_sick_models.py",
)  # fmt: skip
EVERY_VERB = ("-m", "not slow", "tests/test_smoke.py", "tests/test_surface.py")
FULL = Plan(
    ("-e", ".[cmdstan,nutpie,plot,test]", "pandas"),
    EVERY_VERB,
    (
        ("-m", "not slow", "tests", *(f"--ignore-glob={ROOT / place}" for place in (*LEFT_OUT, *PROGRAMS))),
        # What compiles C++ and calls what it has compiled by the packages of this Python.
        ("-m", "slow", "tests/engines", "tests/toolchain/test_real.py", "tests/test_smoke.py"),
    ),
    (
        ("-m", "not slow", *(str(path.relative_to(ROOT)) for place in PROGRAMS for path in sorted(ROOT.glob(place)))),
        ("-m", "slow", "tests/toolchain",
         "tests/inference/test_mcmc_cmdstan.py", "tests/inference/test_full_methods.py"),
    ),
)
# Nothing is byte-compiled that is not used: half of the time that an installation takes.
SHORT = Plan(
    ("--no-compile", "-e", ".[cmdstan,nutpie,plot]", "pandas", "pytest", "pytest-xdist"),
    EVERY_VERB,
)


def main() -> int:
    """Try each Python and print a line about it; 1 if one of them failed."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--short", action="store_true", help="the smoke test alone, on one other Python")
    options.add_argument("--only", help="one version, as 3.12")
    options.add_argument("--cases", default="3", help="how many cases of a test with more of them")
    options.add_argument("--keep", action="store_true", help="use an environment that is there")
    options.add_argument("--workers", default="2", help="how many tests at a time")
    chosen = options.parse_args()
    found = pythons()
    if chosen.only:
        found = {v: path for v, path in found.items() if v == version_of(chosen.only)}
    if chosen.short:
        others = [v for v in found if v != sys.version_info[:2]]
        found = {max(others): found[max(others)]} if others else {}
    if not found:
        print(f"pythons: no Python but {sys.version.split()[0]} found here: nothing else was tried")
        return 0
    plan = SHORT if chosen.short else FULL
    compiled = {constrained("httpstan")}  # the versions of Stan that have been tried, `make test`'s first
    verdicts = {v: attempt(v, path, plan, chosen, compiled) for v, path in found.items()}
    for version, (verdict, seconds) in verdicts.items():
        print(f"pythons: {'.'.join(map(str, version))} {verdict} in {seconds:.0f} s")
    return 0 if all(verdict == "passed" for verdict, _ in verdicts.values()) else 1


def pythons() -> dict[tuple[int, ...], Path]:
    """Find the Pythons that SciStan is for: pyenv's, and those on the path; one for each minor version."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [folder / "bin" / "python" for folder in sorted(home.glob("3.*"), key=lambda f: version_of(f.name, 3))]
    on_path = [shutil.which(f"python3.{minor}") for minor in range(OLDEST[1], 30)]
    candidates += [Path(path) for path in (*on_path, sys.executable) if path]
    found: dict[tuple[int, ...], Path] = {}
    for path in candidates:
        asked = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
        if asked.returncode == 0 and (known := version_of(asked.stdout)) >= OLDEST:
            found[known] = path
    return dict(sorted(found.items()))


def version_of(text: str, parts: int = 2) -> tuple[int, ...]:
    """Read a version's first numbers."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:parts])


def constrained(package: str) -> str:
    """Give the version of a package that `make test` uses."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return next((line.partition("==")[2] for line in lines if line.startswith(f"{package}==")), "")


def attempt(
    version: tuple[int, ...], python: Path, plan: Plan, chosen: argparse.Namespace, compiled: set[str]
) -> tuple[str, float]:
    """Build an environment and run the tests in it; those of Stan where its version is new, which is then added."""
    started = time.monotonic()
    place = PLACE / ".".join(map(str, version))
    inside = {**os.environ, "SCISTAN_TEST_CACHE": str(place / "cache"), "PYTHONPATH": ""}
    own = place / "bin" / "python"

    def do(*words: object) -> bool:
        return subprocess.run([str(word) for word in words], cwd=ROOT, env=inside, check=False).returncode == 0

    if not (chosen.keep and own.exists()):
        shutil.rmtree(place, ignore_errors=True)
        pip = (own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        if not (do(python, "-m", "venv", place) and do(*pip, "--upgrade", "pip") and do(*pip, *plan.packages)):
            return "could not be set up", time.monotonic() - started
    pytest = (own, "-m", "pytest", "-n", chosen.workers)
    passed = [do(*pytest, *plan.whole), *(do(*pytest, "--cases", chosen.cases, *words) for words in plan.sampled)]
    asked = [own, "-c", "from importlib.metadata import version; print(version('httpstan'))"]
    stan = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if plan.of_stan and stan not in compiled:
        compiled.add(stan)
        passed += [do(*pytest, "--cases", chosen.cases, *words) for words in plan.of_stan]
    return "passed" if all(passed) else "FAILED", time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main())
