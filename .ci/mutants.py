"""Plant each fault of tests/mutants.py in a copy of the tree, run the tests that must notice it, and tell survivors."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.mutants import MUTANTS, Mutant  # noqa: E402

LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "site", "build", "dist", "notebooks")
FATES = {0: "SURVIVED", 1: "killed"}  # pytest's other codes: the tests did not run


def main() -> int:
    """Run the mutants whose text holds the given words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="run the mutants in whose file or text one of these stands")
    wanted = parser.parse_args().words
    chosen = [mutant for mutant in MUTANTS if not wanted or any(word in str(mutant) for word in wanted)]
    for tests, only in selections(chosen).items():
        if run(None, tests, only):
            print(f"{tests} fails without any fault: nothing can be said of those that it is to notice")
            return 1
    fates = [told(mutant) for mutant in chosen]
    print(f"{len(fates)} mutants: {fates.count('killed')} killed, {fates.count('SURVIVED')} survived, "
          f"{sum(fate not in FATES.values() for fate in fates)} not run")
    return int(any(fate != "killed" for fate in fates))


def selections(mutants: list[Mutant]) -> dict[str, str]:
    """Give the tests that take part, and what narrows them: they must pass where no fault is."""
    found: dict[str, list[str]] = {}
    for mutant in mutants:
        found.setdefault(mutant.tests, []).append(mutant.only)
    return {
        tests: " or ".join(f"({one})" for one in dict.fromkeys(only)) if all(only) else ""
        for tests, only in found.items()
    }


def told(mutant: Mutant) -> str:
    """Run one mutant, and print its fate as soon as it is known."""
    started = time.monotonic()
    code = run(mutant, mutant.tests, mutant.only)
    fate = FATES.get(code, f"NOT RUN ({code})")
    print(f"{fate:9} {time.monotonic() - started:5.0f} s  {mutant}", flush=True)
    return fate


def run(mutant: Mutant | None, tests: str, only: str) -> int:
    """Give pytest's code for a copy of the tree, with a fault in it or none; the working tree stays as it is."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        folder = Path(name) / "tree"
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
        if mutant is not None:
            path = folder / "scistan" / mutant.file
            path.write_text(path.read_text().replace(mutant.old, mutant.new))
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
        command += [*tests.split(), *(["-k", only] if only else [])]
        known = {"SCISTAN_TEST_CACHE": str(ROOT / ".test-cache"), **os.environ, "PYTHONPATH": str(folder)}
        done = subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, check=False)
    if done.returncode not in FATES or (mutant is None and done.returncode):
        print(done.stdout[-2000:], done.stderr[-2000:], sep="\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
