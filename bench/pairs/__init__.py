"""Models written in SciStan beside Stan programs written by hand for the same data."""

from .columns import COLUMNS
from .equations import EQUATIONS
from .groups import GROUPS
from .other import OTHER
from .pair import Pair
from .regressions import REGRESSIONS
from .series import SERIES
from .states import STATES

__all__ = ["PAIRS", "Pair"]

PAIRS = GROUPS + REGRESSIONS + COLUMNS + OTHER + EQUATIONS + SERIES + STATES
