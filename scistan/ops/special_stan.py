"""Functions written out in Stan: what it lacks, or derives wrongly."""

from __future__ import annotations

__all__ = ["LOG_GAMMA_TAIL", "LOWER_TRIANGLE", "PRODUCTS_OF_OTHERS"]

PRODUCTS_OF_OTHERS = """\
/** The product of all other elements, for each. */
vector products_of_others(vector x) {
  int n = size(x);
  vector[n] result = rep_vector(1, n);
  real before = 1;
  real behind = 1;
  for (i in 1:n) {
    result[i] *= before;
    before *= x[i];
    result[n + 1 - i] *= behind;
    behind *= x[n + 1 - i];
  }
  return result;
}"""
LOWER_TRIANGLE = """\
/** The elements on and below the diagonal, and 0 above it. */
matrix lower_triangle(matrix x) {
  int n = rows(x);
  matrix[n, n] result = rep_matrix(0, n, n);
  for (i in 1:n) {
    result[i, 1:i] = x[i, 1:i];
  }
  return result;
}"""

# Stan 2.35: the gradient of `gamma_p` is 0 for x > 10 a, that of `gamma_q` in `a` off by 1e-2 at a = x = 40 and by 80
# at a = 100, x = 40, that of `gamma_lccdf` by 4e-4. This series and this fraction (Abramowitz and Stegun 6.5.29 and
# 6.5.31) are right to 1e-12 with their derivatives. Where `a` is whole the fraction ends, and its derivative does not:
# it goes on for as long as one that does not end would.
LOG_GAMMA_TAIL = """\
/** The log of the regularized incomplete gamma function: from x on, or up to x. */
real log_gamma_tail(real a, real x, int from_x) {
  if (!(a > 0 && x >= 0)) {
    return not_a_number();
  }
  if (x == 0) {
    return from_x ? 0 : negative_infinity();
  }
  if (is_inf(x)) {
    return from_x ? negative_infinity() : 0;
  }
  real head = a * log(x) - x - lgamma(a + 1);
  int is_low = x < a + 1;
  real found;
  if (is_low) {
    real part = 1;
    real whole = 1;
    real k = a;
    while (part > 1e-18 * whole) {
      k += 1;
      part *= x / k;
      whole += part;
    }
    found = head + log(whole);
  } else {
    real b = x + 1 - a;
    real c = 1e300;
    real d = 1 / b;
    real whole = d;
    real change = 2;
    int n = 0;
    while (n < 85 / x + 5 || (abs(change - 1) > 1e-16 && n < 10000)) {
      n += 1;
      b += 2;
      d = 1 / (n * (a - n) * d + b);
      c = b + n * (a - n) / c;
      change = c * d;
      whole *= change;
    }
    found = head + log(a) + log(whole);
  }
  return is_low != from_x ? found : log1m_exp(found);
}"""
