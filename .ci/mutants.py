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

PARTS = ("scistan", "tests", "pyproject.toml")
FATES = {0: "SURVIVED", 1: "killed"}  # pytest's other codes: the tests did not run


def main() -> int:
    """Run the mutants whose text holds the given words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="run the mutants in whose file or text one of these stands")
    wanted = parser.parse_args().words
    chosen = [mutant for mutant in MUTANTS if not wanted or any(word in str(mutant) for word in wanted)]
    fates = [told(mutant) for mutant in chosen]
    print(f"{len(fates)} mutants: {fates.count('killed')} killed, {fates.count('SURVIVED')} survived, "
          f"{sum(fate not in FATES.values() for fate in fates)} not run")
    return int(any(fate != "killed" for fate in fates))


def told(mutant: Mutant) -> str:
    """Run one mutant, and print its fate as soon as it is known."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        code = run(mutant, Path(folder))
    fate = FATES.get(code, f"NOT RUN ({code})")
    print(f"{fate:9} {time.monotonic() - started:5.0f} s  {mutant}", flush=True)
    return fate


def run(mutant: Mutant, folder: Path) -> int:
    """Give pytest's code for a copy of the tree with the fault in it; the working tree stays as it is."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / part)
    path = folder / "scistan" / mutant.file
    path.write_text(path.read_text().replace(mutant.old, mutant.new))
    narrowed = ["-k", mutant.only] if mutant.only else []
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--no-header"]
    known = {"SCISTAN_TEST_CACHE": str(ROOT / ".test-cache"), **os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [*command, *mutant.tests.split(), *narrowed], cwd=folder, env=known, capture_output=True, text=True, check=False
    )
    if done.returncode not in FATES:
        print(done.stdout[-2000:], done.stderr[-2000:], sep="\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
