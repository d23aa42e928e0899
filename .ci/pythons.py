"""Try SciStan on every Python at hand, each in a fresh environment with the newest packages: no constraints.

`make pythons` runs the core and the engine tests on each: every test, but of one that goes through hundreds of
distributions, ops or models only some. A density is the same on all Pythons; what differs are the calls that lead to
it, and each of them is made. `make newest` (`--short`) runs the smoke test on one, the newest that is not the Python
this runs on. torch is left out: its builds for other Pythons are gigabytes. What needs
it is skipped, unless it is there.
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
    """What to install, which tests to run whole, and of which only some of their cases."""

    packages: tuple[str, ...]
    whole: tuple[str, ...]
    sampled: tuple[tuple[str, ...], ...] = ()


EVERY_VERB = ("-m", "not slow", "tests/test_smoke.py", "tests/test_surface.py")
FULL = Plan(
    ("-e", ".[cmdstan,nutpie,plot,test]", "pandas"),
    EVERY_VERB,
    (
        ("-m", "not slow", "tests"),
        # What compiles C++ depends on httpstan's Stan (2.35 on Python 3.11, 2.39 from 3.12 on).
        ("-m", "slow", "tests/engines", "tests/toolchain", "tests/test_smoke.py",
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
    options.add_argument("--cases", default="6", help="how many cases of a test with more of them")
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
    verdicts = {v: attempt(v, path, plan, chosen.workers, chosen.cases) for v, path in found.items()}
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


def attempt(version: tuple[int, ...], python: Path, plan: Plan, workers: str, cases: str) -> tuple[str, float]:
    """Build an environment and run the tests in it."""
    started = time.monotonic()
    name = ".".join(map(str, version))
    place = PLACE / name
    shutil.rmtree(place, ignore_errors=True)
    inside = {**os.environ, "SCISTAN_TEST_CACHE": str(place / "cache"), "PYTHONPATH": ""}

    def do(*words: object) -> bool:
        return subprocess.run([str(word) for word in words], cwd=ROOT, env=inside, check=False).returncode == 0

    pip = (place / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    ready = do(python, "-m", "venv", place) and do(*pip, "--upgrade", "pip") and do(*pip, *plan.packages)
    if not ready:
        return "could not be set up", time.monotonic() - started
    pytest = (place / "bin" / "python", "-m", "pytest", "-n", workers)
    passed = [do(*pytest, *plan.whole), *(do(*pytest, "--cases", cases, *words) for words in plan.sampled)]
    return "passed" if all(passed) else "FAILED", time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main())
