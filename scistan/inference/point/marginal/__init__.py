"""Estimates with random effects integrated out: which they are, how their Hessian is shaped, value and gradient."""
