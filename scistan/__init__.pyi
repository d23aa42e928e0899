"""What type checkers and editors see of `ss`, printed from the declarations by `python docs/generate.py`."""

# ruff: noqa: E501
from collections.abc import Sequence

from scistan.distributions.mixture import Mixture as Mixture
from scistan.distributions.potential import potential as potential
from scistan.distributions.series import Series as Series
from scistan.distributions.series_kinds import AR as AR
from scistan.distributions.series_kinds import GARCH as GARCH
from scistan.distributions.series_kinds import LocalLinearTrend as LocalLinearTrend
from scistan.distributions.series_kinds import RandomWalk as RandomWalk
from scistan.distributions.unnamed import Unnamed
from scistan.distributions.user import declare_distribution as declare_distribution
from scistan.errors import DataError as DataError
from scistan.errors import InternalError as InternalError
from scistan.errors import ModelError as ModelError
from scistan.errors import SamplingError as SamplingError
from scistan.errors import ScistanError as ScistanError
from scistan.errors import ToolchainError as ToolchainError
from scistan.errors import UnsupportedError as UnsupportedError
from scistan.history import history as history
from scistan.inference.capabilities.backends import backends as backends
from scistan.inference.compile import compile_models as compile_models
from scistan.inference.many import sample_models as sample_models
from scistan.inference.planning.function import plan as plan
from scistan.inference.planning.function import run_with_fallback as run_with_fallback
from scistan.inference.planning.workload import Workload as Workload
from scistan.inference.profile.profile import profile as profile
from scistan.inference.transform import array as array
from scistan.inference.transform import full as full
from scistan.inference.transform import grad as grad
from scistan.inference.transform import hessian as hessian
from scistan.inference.transform import hvp as hvp
from scistan.inference.transform import jacobian as jacobian
from scistan.inference.transform import jit as jit
from scistan.inference.transform import ones as ones
from scistan.inference.transform import tree_flatten as tree_flatten
from scistan.inference.transform import tree_map as tree_map
from scistan.inference.transform import tree_unflatten as tree_unflatten
from scistan.inference.transform import value_and_grad as value_and_grad
from scistan.inference.transform import vmap as vmap
from scistan.inference.transform import zeros as zeros
from scistan.model import Model as Model
from scistan.model import data as data
from scistan.model import factor as factor
from scistan.model import standardize as standardize
from scistan.model.loading import load as load
from scistan.ops import declare_op as declare_op
from scistan.ops.expression import Expression
from scistan.settings import defaults as defaults
from scistan.settings import set_default as set_default
from scistan.settings import using as using
from scistan.toolchain.doctor import doctor as doctor
from scistan.transforms.purity import check_purity as check_purity
from scistan.version import __version__ as __version__

def Bernoulli(theta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Success (1) with probability `theta`, else failure (0)."""

def BernoulliLogit(alpha: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Success or failure with log odds `alpha`."""

def Beta(alpha: object, beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The beta distribution: `alpha - 1` prior successes and `beta - 1` prior failures."""

def BetaBinomial(N: object, alpha: object, beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Successes in `N` trials whose probability is beta with `alpha` and `beta`."""

def BetaProportion(mu: object, kappa: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The beta distribution with mean `mu` and precision `kappa`."""

def Binomial(N: object, theta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Successes in `N` trials with probability `theta` each."""

def BinomialLogit(N: object, alpha: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Successes in `N` trials with log odds `alpha`."""

def Categorical(theta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """One of the categories 0, 1, … with probabilities `theta`."""

def CategoricalLogit(beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """One of the categories 0, 1, … with probabilities `softmax(beta)`."""

def Cauchy(mu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None, centred: bool | None = None) -> Unnamed:
    """The Cauchy distribution with median `mu` and scale `sigma`."""

def ChiSquare(nu: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The sum of the squares of `nu` standard normals."""

def Dirichlet(alpha: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Probabilities that sum to 1, with concentrations `alpha`."""

def DiscreteRange(lower: object, upper: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Every whole number from `lower` to `upper` alike."""

def ExpDirichlet(alpha: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Logarithms of probabilities whose exponentials are Dirichlet with concentrations `alpha`."""

def ExpExponential(beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The logarithm of a waiting time that is exponential with rate `beta`."""

def ExpGamma(alpha: object, beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The logarithm of a gamma variable with shape `alpha` and rate `beta`."""

def ExpLomax(lambda_: object, alpha: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The logarithm of a Lomax variable with scale `lambda_` and shape `alpha`."""

def ExpModNormal(mu: object, sigma: object, lambda_: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The sum of a normal with `mu` and `sigma` and an exponential with rate `lambda_`."""

def Exponential(beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """Waiting times of events that come at the rate `beta`."""

def Flat(*, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """No preference: the improper prior whose density is 1 everywhere, or between `lower` and `upper`."""

def Frechet(alpha: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The distribution whose inverse is Weibull: shape `alpha`, scale `sigma`."""

def Gamma(alpha: object, beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The gamma distribution with shape `alpha` and rate `beta`."""

def Gumbel(mu: object, beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None, centred: bool | None = None) -> Unnamed:
    """The distribution of extremes, with mode `mu` and scale `beta`."""

def HalfCauchy(sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The Cauchy distribution about 0, folded to the positive side."""

def HalfNormal(sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The normal distribution about 0, folded to the positive side."""

def HalfStudentT(nu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """Student's t about 0, folded to the positive side."""

def HyperGeometric(N: object, a: object, b: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Balls of the first kind among `N` drawn without replacement from `a` of the first kind and `b` others."""

def InvChiSquare(nu: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The distribution whose inverse is chi-square with `nu` degrees of freedom."""

def InvGamma(alpha: object, beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The distribution whose inverse is gamma with shape `alpha` and rate `beta`."""

def InvWishart(nu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Covariance matrices whose inverse is Wishart with `nu` degrees of freedom and the inverse of `sigma`."""

def LKJCholesky(K: object, eta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Cholesky factors of K × K correlation matrices; `eta` above 1 draws them towards the identity."""

def LKJCorr(K: object, eta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Correlation matrices of K variables; `eta` above 1 draws them towards the identity."""

def Laplace(mu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None, centred: bool | None = None) -> Unnamed:
    """The double exponential distribution with median `mu` and scale `sigma`."""

def LogLogistic(alpha: object, beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The distribution whose logarithm is logistic: median `alpha`, shape `beta`."""

def LogNormal(mu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The distribution whose logarithm is normal with `mu` and `sigma`."""

def Logistic(mu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None, centred: bool | None = None) -> Unnamed:
    """The logistic distribution with mean `mu` and scale `sigma`."""

def Lomax(lambda_: object, alpha: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The power law from 0 on with scale `lambda_` and shape `alpha` (Pareto of type 2)."""

def Multinomial(N: object, theta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Counts in categories: `N` in all, with probabilities `theta`."""

def MultinomialLogTheta(N: object, log_theta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Counts in categories: `N` in all, with the logarithms `log_theta` of the probabilities."""

def MultinomialLogit(N: object, gamma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Counts in categories: `N` in all, with probabilities `softmax(gamma)`."""

def MultivariateNormal(mu: object, *, cov: object = None, prec: object = None, chol: object = None, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """The normal distribution of vectors with mean `mu` and a covariance, precision or Cholesky factor."""

def MultivariateStudentT(nu: object, mu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Student's t of vectors: `nu` degrees of freedom, location `mu`, scale matrix `sigma`."""

def NegBinomial(alpha: object, beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Counts whose rate is gamma with shape `alpha` and rate `beta`."""

def NegBinomial2(mu: object, phi: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Counts with mean `mu` and variance `mu + mu² / phi`."""

def NegBinomial2Log(eta: object, phi: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Counts with mean `exp(eta)` and variance `exp(eta) + exp(2 eta) / phi`."""

def Normal(mu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None, centred: bool | None = None) -> Unnamed:
    """The normal distribution with mean `mu` and standard deviation `sigma`."""

def OrderedLogistic(eta: object, c: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Ordered categories 0, 1, … cut from a logistic distribution about `eta` at the points `c`."""

def Pareto(y_min: object, alpha: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """A power law above `y_min` with shape `alpha`."""

def Poisson(lambda_: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Counts of events that occur at the rate `lambda_`."""

def PoissonLog(alpha: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Counts of events that occur at the rate `exp(alpha)`."""

def Rayleigh(sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The length of a vector of two normals about 0 with standard deviation `sigma`."""

def ScaledInvChiSquare(nu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """`nu · sigma²` over a chi-square with `nu` degrees of freedom."""

def SkewDoubleExponential(mu: object, sigma: object, tau: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None, centred: bool | None = None) -> Unnamed:
    """Two exponentials back to back at `mu` with scale `sigma`; a share `tau` of the mass lies below `mu`."""

def SkewNormal(xi: object, omega: object, alpha: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None, centred: bool | None = None) -> Unnamed:
    """The normal distribution of location `xi` and scale `omega`, skewed by `alpha`."""

def StdNormal(*, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The normal distribution with mean 0 and standard deviation 1."""

def StudentT(nu: object, mu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None, centred: bool | None = None) -> Unnamed:
    """Student's t with `nu` degrees of freedom, location `mu` and scale `sigma`."""

def Uniform(alpha: object, beta: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """Every number between `alpha` and `beta` alike."""

def VonMises(mu: object, kappa: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """Directions between -π and π about `mu`, with concentration `kappa`."""

def Weibull(alpha: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None, lower: object = None, upper: object = None, constraint: str | None = None) -> Unnamed:
    """The Weibull distribution with shape `alpha` and scale `sigma`."""

def Wishart(nu: object, sigma: object, *, shape: int | tuple[int, ...] | None = None, dims: str | tuple[str, ...] | None = None) -> Unnamed:
    """Covariance matrices about `nu · sigma`, with `nu` degrees of freedom."""

def Phi(x: object, /) -> Expression:
    """The standard normal cumulative probability."""

def abs(x: object, /) -> Expression:
    """The absolute value."""

def add(x: object, y: object, /) -> Expression:
    """Add."""

def arange(length: object) -> Expression:
    """Count 0, 1, 2, … up to a length that may follow the data."""

def arccos(x: object, /) -> Expression:
    """The inverse cosine."""

def arccosh(x: object, /) -> Expression:
    """The inverse hyperbolic cosine."""

def arcsin(x: object, /) -> Expression:
    """The inverse sine."""

def arcsinh(x: object, /) -> Expression:
    """The inverse hyperbolic sine."""

def arctan(x: object, /) -> Expression:
    """The inverse tangent."""

def arctan2(y: object, x: object, /) -> Expression:
    """The angle of the point (`x`, `y`)."""

def arctanh(x: object, /) -> Expression:
    """The inverse hyperbolic tangent."""

def broadcast_to(x: object, shape: object) -> Expression:
    """Repeat a value to a larger shape, as in NumPy."""

def ceil(x: object, /) -> Expression:
    """Round up."""

def cholesky(x: object, /) -> Expression:
    """The lower Cholesky factor."""

def clip(x: object, lower: object = None, upper: object = None) -> Expression:
    """Limit to the range from `lower` to `upper`; either may be None."""

def concatenate(values: Sequence[object], axis: int = 0) -> Expression:
    """Put values one after the other along an axis they have."""

def convolve_sequence(weights: object, sequence: object) -> Expression:
    """Slide `weights` (window × alphabet) along a sequence of 0-based letters and sum what it meets."""

def cos(x: object, /) -> Expression:
    """The cosine."""

def cosh(x: object, /) -> Expression:
    """The hyperbolic cosine."""

def cumsum(x: object, axis: int | None = None) -> Expression:
    """Give the running sum along `axis`; without one, of all elements row by row, as in NumPy."""

def diagonal(x: object, /) -> Expression:
    """The diagonal of a square matrix."""

def diagonal_matrix(x: object, /) -> Expression:
    """The square matrix with this diagonal."""

def digamma(x: object, /) -> Expression:
    """The derivative of `lgamma`."""

def divide(x: object, y: object, /) -> Expression:
    """Divide, always as real numbers."""

def dot(a: object, b: object) -> Expression:
    """Multiply as `numpy.dot` does for vectors and matrices."""

def equal(x: object, y: object, /) -> Expression:
    """1 where both are equal, else 0."""

def erf(x: object, /) -> Expression:
    """The error function."""

def erfc(x: object, /) -> Expression:
    """The complementary error function."""

def exp(x: object, /) -> Expression:
    """The exponential."""

def exp2(x: object, /) -> Expression:
    """2 to the power of x."""

def expm1(x: object, /) -> Expression:
    """`exp(x) - 1`, exact near 0."""

def exponential_growth(t: object, start: object, rate: object) -> Expression:
    """Grow over time `t` from `start` at the rate `rate`: `start · exp(rate · t)`."""

def floor(x: object, /) -> Expression:
    """Round down."""

def floor_divide(x: object, y: object) -> Expression:
    """Divide and round down."""

def frozen(x: object, /) -> Expression:
    """The value as it is in the fit, also where predictions are made for other data."""

def gamma_p(a: object, x: object, /) -> Expression:
    """The regularized lower incomplete gamma function of shape `a` at `x`."""

def gamma_q(a: object, x: object, /) -> Expression:
    """The regularized upper incomplete gamma function of shape `a` at `x`."""

def gp_exp_quad_cov(x: object, alpha: object, rho: object, /) -> Expression:
    """The covariances `alpha² exp(-(x_i - x_j)² / (2 rho²))` of a Gaussian process at the points `x`."""

def greater(x: object, y: object, /) -> Expression:
    """1 where the first is greater, else 0."""

def greater_equal(x: object, y: object, /) -> Expression:
    """1 where the first is greater or equal, else 0."""

def inc_beta(a: object, b: object, x: object, /) -> Expression:
    """The regularized incomplete beta function of shapes `a`, `b` at `x`."""

def inv_Phi(x: object, /) -> Expression:
    """The standard normal quantile: the inverse of `Phi`."""

def inv_logit(x: object, /) -> Expression:
    """`1 / (1 + exp(-x))`."""

def inverse(x: object, /) -> Expression:
    """The inverse matrix."""

def lbeta(x: object, y: object, /) -> Expression:
    """The logarithm of the beta function."""

def length(x: object) -> Expression:
    """Give the number of elements along the last axis, as a quantity that follows the data."""

def less(x: object, y: object, /) -> Expression:
    """1 where the first is less, else 0."""

def less_equal(x: object, y: object, /) -> Expression:
    """1 where the first is less or equal, else 0."""

def lgamma(x: object, /) -> Expression:
    """The logarithm of the gamma function."""

def live(x: object, /) -> Expression:
    """The value computed anew where predictions are made for other data."""

def log(x: object, /) -> Expression:
    """The natural logarithm."""

def log10(x: object, /) -> Expression:
    """The logarithm to base 10."""

def log1m(x: object, /) -> Expression:
    """`log(1 - x)`."""

def log1m_exp(x: object, /) -> Expression:
    """`log(1 - exp(x))` for `x < 0`."""

def log1p(x: object, /) -> Expression:
    """`log(1 + x)`, exact near 0."""

def log2(x: object, /) -> Expression:
    """The logarithm to base 2."""

def log_Phi(x: object, /) -> Expression:
    """The logarithm of `Phi`, exact in the tail."""

def log_choose(n: object, k: object, /) -> Expression:
    """The logarithm of the number of ways to choose `k` of `n`."""

def log_determinant(x: object, /) -> Expression:
    """The logarithm of the absolute determinant."""

def log_diff_exp(x: object, y: object, /) -> Expression:
    """`log(exp(x) - exp(y))` for `x > y`."""

def log_exponential_growth(t: object, log_start: object, rate: object) -> Expression:
    """Give the logarithm of `exponential_growth` over time `t`, from `log_start = log(start)`, at the rate `rate`."""

def log_gamma_p(a: object, x: object, /) -> Expression:
    """The logarithm of `gamma_p`, exact in the tails."""

def log_gamma_q(a: object, x: object, /) -> Expression:
    """The logarithm of `gamma_q`, exact in the tails."""

def log_i0(x: object, /) -> Expression:
    """The logarithm of the modified Bessel function of the first kind and order 0."""

def log_inc_beta(a: object, b: object, x: object, /) -> Expression:
    """The logarithm of `inc_beta`, exact in the tails."""

def log_inv_logit(x: object, /) -> Expression:
    """The logarithm of `inv_logit`."""

def log_logistic_growth(t: object, log_capacity: object, midpoint: object, rate: object) -> Expression:
    """Give the logarithm of `logistic_growth` over time `t`, from `log_capacity`, `midpoint` and `rate`."""

def log_logistic_growth_from(t: object, log_capacity: object, log_start: object, rate: object) -> Expression:
    """Give the logarithm of `logistic_growth_from` over time `t`, from `log_capacity`, `log_start` and `rate`."""

def log_softmax(x: object, axis: int = -1) -> Expression:
    """Give the logarithm of `softmax` along `axis`."""

def logaddexp(x: object, y: object, /) -> Expression:
    """`log(exp(x) + exp(y))`."""

def logical_and(x: object, y: object) -> Expression:
    """Give 1 where neither is 0, else 0."""

def logical_not(x: object) -> Expression:
    """Give 1 where `x` is 0, else 0."""

def logical_or(x: object, y: object) -> Expression:
    """Give 1 where one of the two is not 0, else 0."""

def logistic_growth(t: object, capacity: object, midpoint: object, rate: object) -> Expression:
    """Grow over `t` to `capacity`, half at `midpoint`, at `rate`: `capacity / (1 + exp(-rate · (t - midpoint)))`."""

def logistic_growth_from(t: object, capacity: object, start: object, rate: object) -> Expression:
    """Grow logistically over time `t` to `capacity`, from the value `start` at `t = 0`, at the rate `rate`."""

def logit(x: object, /) -> Expression:
    """`log(p / (1 - p))`."""

def logsumexp(x: object, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Expression:
    """Compute `log(sum(exp(x)))` along `axis` without overflow."""

def matmul(a: object, b: object) -> Expression:
    """Multiply as matrices; a vector on either side loses its axis, as in NumPy."""

def max(x: object, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Expression:
    """Give the largest along `axis` (all axes by default)."""

def maximum(x: object, y: object, /) -> Expression:
    """The larger of two, elementwise."""

def mean(x: object, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Expression:
    """Average along `axis` (all axes by default)."""

def min(x: object, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Expression:
    """Give the smallest along `axis` (all axes by default)."""

def minimum(x: object, y: object, /) -> Expression:
    """The smaller of two, elementwise."""

def multiply(x: object, y: object, /) -> Expression:
    """Multiply elementwise."""

def multiply_log(x: object, y: object, /) -> Expression:
    """`x · log(y)`, 0 where `x` is 0."""

def negative(x: object, /) -> Expression:
    """Change the sign."""

def normalize(x: object, axis: int | tuple[int, ...] | None = -1) -> Expression:
    """Divide by the sum along `axis` (None: over all of them), so that the result sums to 1."""

def not_equal(x: object, y: object, /) -> Expression:
    """1 where the two differ, else 0."""

def ode(rhs: object, y0: object, t0: object, times: object, method: str = 'rk45', rtol: float = 1e-06, atol: float = 1e-06, max_steps: int = 10000) -> Expression:
    """Solve a differential equation: `rhs(t, state)` gives the slope of the state, which is `y0` at `t0`."""

def outer(x: object, y: object, /) -> Expression:
    """All products of the elements of two vectors."""

def owens_t(h: object, a: object, /) -> Expression:
    """Owen's T: the normal probability of `X > h` and `0 < Y < a X`."""

def pick(x: object, position: object) -> Expression:
    """Take `x[..., position]`, one position for each row of `x` (or for many rows of one vector)."""

def positions(x: object) -> Expression:
    """Count 0, 1, 2, … along the last axis of `x`."""

def pow(x: object, y: object, /) -> Expression:
    """Raise the first to the power of the second."""

def power(x: object, y: object, /) -> Expression:
    """Raise the first to the power of the second."""

def prod(x: object, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Expression:
    """Multiply along `axis` (all axes by default)."""

def quadratic_form(A: object, x: object, /) -> Expression:
    """`x' A x` for a matrix `A` and a vector `x`."""

def remainder(x: object, y: object) -> Expression:
    """Give what rounding down leaves: `x - y · floor(x / y)`, with the sign of `y`."""

def reshape(x: object, shape: object) -> Expression:
    """Put the elements, row by row, in another shape; one length may be -1."""

def round(x: object, /) -> Expression:
    """Round to the nearest whole number, halves to even."""

def scan(step: object, init: object, over: object = None, length: object = None, reverse: bool = False) -> Expression:
    """Carry a state from step to step: `step(state, *elements)` gives the next state, or a pair (state, output)."""

def sin(x: object, /) -> Expression:
    """The sine."""

def sinh(x: object, /) -> Expression:
    """The hyperbolic sine."""

def softmax(x: object, axis: int = -1) -> Expression:
    """Give `exp(x) / sum(exp(x))` along `axis`."""

def softplus(x: object, /) -> Expression:
    """`log(1 + exp(x))`."""

def solve(a: object, b: object) -> Expression:
    """Solve `a @ x = b` for a square matrix `a` and a vector or matrix `b`."""

def solve_lower(a: object, b: object) -> Expression:
    """Solve `a @ x = b` for a lower-triangular matrix `a`."""

def sqrt(x: object, /) -> Expression:
    """The square root."""

def square(x: object, /) -> Expression:
    """The square."""

def stack(values: Sequence[object], axis: int = 0) -> Expression:
    """Put values of one shape side by side along a new axis."""

def std(x: object, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ddof: float = 0) -> Expression:
    """Give the standard deviation along `axis`, with divisor `n - ddof` as in NumPy."""

def subtract(x: object, y: object, /) -> Expression:
    """Subtract the second from the first."""

def sum(x: object, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Expression:
    """Sum along `axis` (all axes by default)."""

def tan(x: object, /) -> Expression:
    """The tangent."""

def tanh(x: object, /) -> Expression:
    """The hyperbolic tangent."""

def trace(x: object) -> Expression:
    """Sum the diagonal of a square matrix."""

def transpose(x: object, axes: Sequence[int] | None = None) -> Expression:
    """Reorder the axes; reversed when `axes` is not given."""

def trigamma(x: object, /) -> Expression:
    """The derivative of `digamma`."""

def var(x: object, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ddof: float = 0) -> Expression:
    """Give the variance along `axis`, with divisor `n - ddof` as in NumPy."""

def where(condition: object, x: object, y: object, /) -> Expression:
    """Choose elementwise: the second where the first is not 0, else the third."""
