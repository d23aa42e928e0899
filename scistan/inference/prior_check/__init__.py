"""`m.prior_check`: what the priors say of the data, in numbers, warnings, pictures, and on a page with sliders."""

from scistan.inference.prior_check.result import PriorCheck, check_prior

__all__ = ["PriorCheck", "check_prior"]
