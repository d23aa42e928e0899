"""From draws to checks to hints in the user's own terms."""

from scistan.diagnostics.approximate import check_approximation
from scistan.diagnostics.change import Change
from scistan.diagnostics.context import Context
from scistan.diagnostics.diagnosis import Diagnosis, Hint
from scistan.diagnostics.draws import check_draws

__all__ = ["Change", "Context", "Diagnosis", "Hint", "check_approximation", "check_draws"]
