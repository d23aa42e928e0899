"""What users of SciPy, NumPy and PyMC call the arguments of distributions, and what they are called here."""

from __future__ import annotations

from collections.abc import Collection

_SAME: dict[str, tuple[str, ...]] = {
    "loc": ("mu", "xi"),
    "mean": ("mu",),
    "scale": ("sigma", "omega"),
    "sd": ("sigma",),
    "std": ("sigma",),
    "stddev": ("sigma",),
    "df": ("nu",),
    "n": ("N", "K"),
    "total_count": ("N",),
    "dim": ("K",),
    "dimension": ("K",),
    "predictor": ("eta",),
    "concentration0": ("beta",),
    "concentration1": ("alpha",),
    "p": ("theta",),
    "probs": ("theta",),
    "a": ("alpha",),
    "b": ("beta",),
    "concentration": ("alpha", "eta", "kappa", "phi"),
    "cutpoints": ("c",),
    "size": ("shape",),
}
"""What another library's keyword means here: the first of these that the distribution has."""

_RATES = {
    "Poisson": "lambda_",
    "ExpModNormal": "lambda_",
    "Exponential": "beta",
    "Gamma": "beta",
    "ExpExponential": "beta",
    "ExpGamma": "beta",
    "NegBinomial": "beta",
}
_SCALES = {
    "Gumbel": "beta",
    "InvGamma": "beta",
    "LogLogistic": "alpha",
    "Lomax": "lambda_",
    "ExpLomax": "lambda_",
    "Pareto": "y_min",
}
_OWN = {
    ("Poisson", "mu"): "lambda_",
    ("Uniform", "low"): "alpha",
    ("Uniform", "high"): "beta",
    ("Uniform", "minval"): "alpha",
    ("Uniform", "maxval"): "beta",
    ("Weibull", "beta"): "sigma",
    ("Cauchy", "alpha"): "mu",
    ("Cauchy", "beta"): "sigma",
    ("HalfCauchy", "beta"): "sigma",
    ("Laplace", "b"): "sigma",
    ("NegBinomial2", "alpha"): "phi",
    ("NegBinomial2", "total_count"): "",
    ("NegBinomial2", "n"): "",
    ("Pareto", "m"): "y_min",
    ("MultivariateNormal", "covariance_matrix"): "cov",
    ("MultivariateNormal", "covariance"): "cov",
    ("MultivariateNormal", "Sigma"): "cov",
    ("MultivariateNormal", "sigma"): "cov",
    ("MultivariateNormal", "precision_matrix"): "prec",
    ("MultivariateNormal", "precision"): "prec",
    ("MultivariateNormal", "tau"): "prec",
    ("MultivariateNormal", "Omega"): "prec",
    ("MultivariateNormal", "scale_tril"): "chol",
    ("MultivariateNormal", "L"): "chol",
}
_FORMS = {
    "Bernoulli": "BernoulliLogit",
    "Binomial": "BinomialLogit",
    "Categorical": "CategoricalLogit",
    "Poisson": "PoissonLog",
}
_MOMENTS = {
    "Gamma": "`alpha` is (mu / sigma) ** 2 and `beta` is mu / sigma ** 2",
    "Beta": "`ss.BetaProportion(mu, kappa)` has a mean, and `kappa` is mu * (1 - mu) / sigma ** 2 - 1",
    "InvGamma": "`alpha` is (mu / sigma) ** 2 + 2 and `beta` is mu * (alpha - 1)",
}
_OF_THE_LOGARITHM = "`mu` and `sigma` are the mean and the standard deviation of the logarithm"


def synonym(name: str, given: str, known: Collection[str], signature: str) -> str:
    """Tell what a keyword of another library is called in the distribution `name`; "" where there is no such thing.

    >>> synonym("Normal", "loc", ["mu", "sigma"], "Normal(mu, sigma)")
    'did you mean `mu`, as in Normal(mu, sigma)?'
    >>> synonym("Gamma", "scale", ["alpha", "beta"], "Gamma(alpha, beta)")
    '`beta` is a rate, as in Stan: `beta=1 / scale`'
    >>> synonym("Beta", "scale", ["alpha", "beta"], "Beta(alpha, beta)")
    ''
    """
    rate = _RATES.get(name, "")
    if given in ("logits", "logit_p", "log_rate", "eta") and name in _FORMS:
        return f"it is `ss.{_FORMS[name]}`, whose last argument is on that scale"
    if given in ("mu", "sigma", "mean") and name in _MOMENTS:
        return _MOMENTS[name]
    if given in ("var", "variance") and "sigma" in known:
        return f"`sigma` is the {'standard deviation' if name == 'Normal' else 'scale'}: `sigma=ss.sqrt({given})`"
    if name == "LogNormal" and given in ("scale", "loc", "mean", "sd", "std", "s"):
        return _OF_THE_LOGARITHM
    if given == "scale" and rate and "sigma" not in known:
        return f"`{rate}` is a rate, as in Stan: `{rate}=1 / scale`"
    if given in ("sd", "std") and "sigma" in known and name != "Normal":
        return f"`sigma` is the scale of {name}, not its standard deviation"
    if given in ("tau", "precision", "lam") and name in ("Normal", "StudentT", "LogNormal", "HalfNormal"):
        what = "scale" if name == "StudentT" else "standard deviation"
        return f"`sigma` is the {what}{' of the logarithm' * (name == 'LogNormal')}: `sigma=1 / ss.sqrt({given})`"
    if (name, given) in _OWN:
        ours = _OWN[name, given]
    elif given in ("rate", "lam"):
        ours = rate
    elif given == "scale" and name in _SCALES:
        ours = _SCALES[name]
    else:
        ours = next((word for word in _SAME.get(given, ()) if word in known), "")
    if ours not in known:
        return ""
    return f"did you mean `{ours}`?" if ours == "shape" else f"did you mean `{ours}`, as in {signature}?"


def is_borrowed(given: str) -> bool:
    """Tell whether a keyword is another library's: what it resembles in letters is then no guess at its meaning."""
    return given in _SAME or given in ("rate", "lam", "tau", "precision", "logits", "m", "covariance")
