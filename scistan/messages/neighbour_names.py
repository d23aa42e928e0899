"""What the public names of PyMC, NumPyro, brms, Bambi, Stan, TFP and SciPy are called here."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["NAMES", "spelled_alike"]

_OWN_DENSITY = "`ss.declare_distribution(name, doc, parameters=..., support=..., log_density=...)`"
_IN_CODE = "the page \"coming from PyMC, NumPyro or brms\" writes it out"
_ANSWERS: tuple[tuple[str, str], ...] = (
    ("MvNormal multi_normal MultivariateNormalTriL MultivariateNormalFullCovariance MultivariateNormalDiag",
     "it is `ss.MultivariateNormal(mu, cov=...)`, or `chol=` or `prec=`"),
    ("multi_normal_cholesky", "it is `ss.MultivariateNormal(mu, chol=...)`"),
    ("multi_normal_prec", "it is `ss.MultivariateNormal(mu, prec=...)`"),
    ("MvStudentT multi_student_t", "it is `ss.MultivariateStudentT`"),
    ("NegativeBinomial NegativeBinomial2 nbinom negbinomial",
     "it is `ss.NegBinomial2(mu, phi)`, with variance mu + mu ** 2 / phi"),
    ("InverseGamma invgamma", "it is `ss.InvGamma(alpha, beta)`, with a scale `beta`"),
    ("Geometric geom", "it is `ss.NegBinomial(1, p / (1 - p))`, the failures before the first success, from 0"),
    ("AsymmetricLaplace asym_laplace", "it is `ss.SkewDoubleExponential(mu, sigma, tau)`"),
    ("Delta DiracDelta Constant", "a fixed number is data, `m.x = ss.data(0.0)`, or the number itself"),
    ("Wald InverseGaussian invgauss OrderedProbit DirichletMultinomial Kumaraswamy Triangular Rice Moyal LogitNormal "
     "StickBreakingWeights Interpolated", f"it is not built in; declare its density with {_OWN_DENSITY}"),
    ("norm", "it is `ss.Normal(mu, sigma)`"),
    ("expon", "it is `ss.Exponential(beta)`, with a rate `beta`"),
    ("gamma", "the distribution is `ss.Gamma(alpha, beta)`, with a rate; the function is `ss.exp(ss.lgamma(x))`"),
    ("beta", "the distribution is `ss.Beta(alpha, beta)`; the function is `ss.exp(ss.lbeta(a, b))`"),
    ("t student student_t T", "it is `ss.StudentT(nu, mu, sigma)`"),
    ("lognorm", "it is `ss.LogNormal(mu, sigma)`, of the logarithm's mean and standard deviation"),
    ("chi2 Chi2 ChiSquared", "it is `ss.ChiSquare(nu)`"),
    ("double_exponential DoubleExponential", "it is `ss.Laplace(mu, sigma)`"),
    ("ExGaussian exponnorm", "it is `ss.ExpModNormal(mu, sigma, lambda_)`"),
    ("DiscreteUniform randint", "it is `ss.DiscreteRange(lower, upper)`"),
    ("HalfFlat", "it is `ss.Flat(lower=0)`"),
    ("ImproperUniform Improper", "it is `ss.Flat()`"),
    ("LKJ lkj", "it is `ss.LKJCholesky(K, eta)`, or `ss.LKJCorr(K, eta)` for the matrix itself"),
    ("lkj_corr_cholesky", "it is `ss.LKJCholesky(K, eta)`"),
    ("LKJCholeskyCov", "it is `ss.LKJCholesky(K, eta)` beside scales of their own: `m.sd[:, None] * m.L`"),
    ("ZeroInflatedPoisson ZeroInflatedBinomial ZeroInflatedNegativeBinomial ZeroInflatedNegativeBinomial2 "
     "ZeroInflatedDistribution HurdlePoisson HurdleGamma HurdleLogNormal HurdleNegativeBinomial "
     "zero_inflated_poisson hurdle_poisson",
     f"declare its density with `ss.declare_distribution`; {_IN_CODE}"),
    ("GaussianRandomWalk RandomWalk MvGaussianRandomWalk",
     'sum its steps, `m.step = ss.Normal(0, m.sigma, dims="time")` and `m.walk = ss.cumsum(m.step)`'),
    ("AR AR1", "write its conditional densities, `ss.Normal(m.phi * y[:-1], m.sigma).observe(y[1:])`"),
    ("Deterministic deterministic", "assign the expression, `m.effect = m.b * 2`: what has a name is recorded with the "
     "draws"),
    ("Potential factor_term", "a term of the density is named by assignment, `m.term = ss.potential(expression)`"),
    ("MixtureSameFamily MixtureGeneral NormalMixture mixture",
     "it is `ss.Mixture(weights, [components])`, or `ss.Mixture(weights, ss.Normal(mu, sigma))` over the last axis"),
    ("Data MutableData ConstantData", "it is `ss.data(values, dims=...)`, and every named array can be swapped"),
    ("Truncated TruncatedNormal TruncatedDistribution LeftTruncatedDistribution RightTruncatedDistribution "
     "TwoSidedTruncatedDistribution truncnorm Bound",
     "every distribution of one number takes `lower=` and `upper=`"),
    ("Censored", "declare its density with `ss.declare_distribution`, from `.log_density(x)` and `.log_ccdf(x)`"),
    ("CustomDist DensityDist", f"it is {_OWN_DENSITY}"),
    ("sample", "a variable is named by assignment, `m.mu = ss.Normal(0, 1)`; draws are `fit = m.mcmc()`"),
    ("MCMC NUTS HMC Metropolis brm stan sampling sampling_jax", "draw from the model itself, `fit = m.mcmc()`"),
    ("fit ADVI SVI vi", "draw from the model itself, `fit = m.mcmc()`; an approximation is `m.variational()` or "
     "`m.pathfinder()`"),
    ("sample_prior_predictive prior_predictive", "it is `m.prior(draws=1000)`"),
    ("sample_posterior_predictive Predictive posterior_predict",
     "it is `fit.posterior_predictive`, and `fit.predict(data)` at new inputs"),
    ("compute_log_likelihood log_lik", "it is `fit.log_likelihood`"),
    ("summary", "it is `fit.summary()`"),
    ("loo waic", "it is `fit.loo()`"),
    ("compare", "give ArviZ the draws, `az.compare({\"a\": fit_a.idata, \"b\": fit_b.idata})`"),
    ("plot_trace plot_rank plot_forest plot_ppc plot_energy traceplot", "it is `fit.plot_trace()` and the like"),
    ("plot_posterior plot_density", "it is `fit.plot_posterior()`"),
    ("plot_pair plot_pairs", "it is `fit.plot_pairs()`"),
    ("find_MAP find_map optimizing", "it is `m.map()`"),
    ("plate iid", "give the variable an axis, `ss.Normal(0, 1, dims=\"group\")`"),
    ("Independent to_event ExpandedDistribution", "give the variable an axis, `dims=` or `shape=`; there is no event "
     "to declare"),
    ("set_data", "it is `m.with_data(x=...)`, `m.mcmc(data={...})` or `fit.predict({...})`"),
    ("Minibatch subsample", "it is `m.map(batch_size=...)`"),
    ("CmdStanModel StanModel JointDistributionSequential JointDistributionNamed JointDistributionCoroutine",
     "a model is written in Python, `m = ss.Model()`, and `m.stan_code()` shows its program"),
    ("math", "functions stand in `ss` itself, `ss.exp(x)`"),
    ("sigmoid expit", "it is `ss.inv_logit(x)`"),
    ("switch ifelse", "it is `ss.where(condition, a, b)`"),
    ("observe condition", "observe behind the distribution, `m.y = ss.Normal(mu, sigma).observe(values)`"),
    ("prior set_prior Prior", "a prior is a line of the model, `m.b = ss.Normal(0, 1)`"),
    ("eye linspace pi", "it is NumPy's: arrays are data of the model as they are"),
    ("set_random_seed random_seed", "a seed belongs to the call, `m.mcmc(seed=1)`"),
)
NAMES = {name: answer for names, answer in _ANSWERS for name in names.split()}
"""What each name leads to; a name that is spelled as ours but for case and `_` needs no row."""


def spelled_alike(name: str, known: Iterable[str]) -> str:
    """Find the known name that differs in case and underscores alone; "" where there is none.

    >>> spelled_alike("inv_gamma", ["digamma", "InvGamma"])
    'InvGamma'
    """
    bare = name.replace("_", "").lower()
    return next((one for one in known if one.replace("_", "").lower() == bare), "")
