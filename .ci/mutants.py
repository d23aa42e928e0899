"""Plant each fault of tests/mutants.py in a copy of the tree, run the tests that must notice it, and tell survivors.

What tests import of others is imported once, here, and every run is a fork of this process: half of a short run's time
would go into torch and SciPy alone. Nothing of ours is imported before the fork, and nothing computed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.mutants import MUTANTS, Mutant  # noqa: E402

LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "site", "build", "dist", "notebooks")
FATES = {0: "SURVIVED", 1: "killed"}  # pytest's other codes: the tests did not run
NO_PLACE = 100  # what is to be replaced does not stand there, or not once
OTHERS = ("numpy", "scipy.stats", "scipy.special", "pandas", "xarray", "hypothesis", "mpmath", "pytest", "torch")


def main() -> int:
    """Run the mutants whose text holds the given words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="run the mutants in whose file or text one of these stands")
    parser.add_argument("--portion", type=portion, default=(1, 1), metavar="K/N", help="run the K-th of N portions")
    given = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if not given.words or any(word in str(mutant) for word in given.words)]
    chosen = share(chosen, *given.portion)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny tensors: threads would wait for each other
    os.environ.setdefault("SCISTAN_TEST_CACHE", str(ROOT / ".test-cache"))
    for name in OTHERS:
        if find_spec(name.split(".")[0]):
            import_module(name)
    for tests, only in selections(chosen).items():
        if run(None, tests, only):
            print(f"{tests} fails without any fault: nothing can be said of those that it is to notice")
            return 1
    fates = [told(mutant) for mutant in chosen]
    print(f"{len(fates)} mutants: {fates.count('killed')} killed, {fates.count('SURVIVED')} survived, "
          f"{sum(fate not in FATES.values() for fate in fates)} not run")
    return int(any(fate != "killed" for fate in fates))


def portion(text: str) -> tuple[int, int]:
    """Read `K/N`."""
    one, of = map(int, text.split("/"))
    if not 1 <= one <= of:
        raise ValueError(text)
    return one, of


def share(mutants: list[Mutant], one: int, of: int) -> list[Mutant]:
    """Give a portion of neighbours, for they share their tests, and these run once without a fault."""
    return mutants[len(mutants) * (one - 1) // of : len(mutants) * one // of]


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
        folder, output = Path(name) / "tree", Path(name) / "output"
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
        if mutant is not None:
            path = folder / "scistan" / mutant.file
            text = path.read_text()
            if text.count(mutant.old) != 1:
                return NO_PLACE
            path.write_text(text.replace(mutant.old, mutant.new))
        arguments = ["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *tests.split()]
        child = os.fork()
        if child == 0:
            _test(folder, output, [*arguments, *(["-k", only] if only else [])])
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code not in FATES or (mutant is None and code):
            print(output.read_text(errors="replace")[-2000:])
    return code


def _test(folder: Path, output: Path, arguments: list[str]) -> None:
    """Run pytest on a tree, in a process of its own that ends here."""
    import pytest

    code = -1
    try:
        os.chdir(folder)
        ours = {str(ROOT), str(ROOT / ".ci"), ""}
        sys.path[:] = [str(folder), *(place for place in sys.path if place not in ours)]
        for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "scistan")]:
            del sys.modules[name]
        os.environ["PYTHONPATH"] = str(folder)
        told = os.open(output, os.O_CREAT | os.O_WRONLY)
        os.dup2(told, 1)
        os.dup2(told, 2)
        code = int(pytest.main(arguments))
    finally:
        os._exit(code % 256)


if __name__ == "__main__":
    sys.exit(main())
