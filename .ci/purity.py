"""Check that formulas given an array library compute with that library alone: a part of `make lint`."""

from __future__ import annotations

import sys
from pathlib import Path

from scistan.transforms.purity import impurities_in

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Look at every file outside of `targets/`, where libraries meet numbers."""
    files = [p for p in sorted((ROOT / "scistan").rglob("*.py")) if "targets" not in p.relative_to(ROOT).parts]
    found = [f for p in files for f in impurities_in(str(p.relative_to(ROOT)), p.read_text(encoding="utf-8"))]
    for fault in found:
        print(fault)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
