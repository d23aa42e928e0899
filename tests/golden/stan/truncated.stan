functions {
  /** Log probability of normal(p1, p2) between two bounds, taken in the tail that they lie in. */
  real normal_between(real low, real high, real p1, real p2) {
    return normal_lcdf(low | p1, p2) < log(0.5)
           ? log_diff_exp(normal_lcdf(high | p1, p2), normal_lcdf(low | p1, p2))
           : log_diff_exp(normal_lccdf(low | p1, p2), normal_lccdf(high | p1, p2));
  }
  /** What a normalizer adds to the log density; where a probability underflows there is none. */
  real if_finite(real added) {
    return added < positive_infinity() ? added : negative_infinity();
  }
}
data {
  int<lower=0> N;
  vector<lower=-2>[N] y;
}
parameters {
  real a;
  real<lower=0> s;
  vector<lower=1, upper=4>[N] t;
  vector<lower=0>[N] u;
}
model {
  a ~ std_normal();
  s ~ normal(0, 1);
  t ~ normal(a, s);
  target += if_finite(-N * normal_between(1, 4, a, s));
  u ~ normal(t, s);
  target += if_finite(-normal_lccdf(0 | t, s));
  y ~ normal(u, 1);
  target += if_finite(-normal_lccdf(-2 | u, 1));
}
generated quantities {
  vector[N] log_lik;
  real log_prior;
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(y[n] | u[n], 1) - normal_lccdf(-2 | u[n], 1);
  }
  log_prior = std_normal_lpdf(a | );
  log_prior += normal_lpdf(s | 0, 1) + log2();
  for (n in 1:N) {
    log_prior += normal_lpdf(t[n] | a, s) - normal_between(1, 4, a, s);
  }
  for (n in 1:N) {
    log_prior += normal_lpdf(u[n] | t[n], s) - normal_lccdf(0 | t[n], s);
  }
}
