"""`python -m scistan`: the same as the command `scistan`."""

import sys

from scistan.cli import main

if __name__ == "__main__":
    sys.exit(main())
