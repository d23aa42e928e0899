data {
  int<lower=0> N;
  vector[N] y;
}
transformed data {
  vector[N] lgamma_1 = lgamma(y + 1.0);
  vector[N] greater_1;
  for (n in 1:N) {
    greater_1[n] = ((((y[n] > 0) ? (y[n] * log(((y[n] > 0) ? 0 : 1.0))) : 0.0) - lgamma_1[n]) > -positive_infinity());
  }
  vector[N] subtract_lgamma_1;
  for (n in 1:N) {
    subtract_lgamma_1[n] = ((y[n] > 0) ? (y[n] * log(((y[n] > 0) ? 0 : 1.0))) : 0.0) - lgamma_1[n];
  }
}
parameters {
  real<lower=0, upper=1> psi;
  real<lower=0> rate;
}
model {
  psi ~ beta(1, 1);
  rate ~ gamma(2, 1);
  vector[N] add_1 = log(psi) + y * log(rate) - rate - lgamma_1;
  real log1m_psi = log1m(psi);
  // y ~ Poisson, summed over some
  for (n in 1:N) {
    target += add_1[n] + (greater_1[n] != 0 ? log1p_exp(log1m_psi + subtract_lgamma_1[n] - add_1[n]) : 0);
  }
}
generated quantities {
  vector[N] log_lik;
  real log_prior;
  {
    vector[N] add_2 = log(psi) + y * log(rate) - rate - lgamma_1;
    for (n in 1:N) {
      log_lik[n] = add_2[n] + (greater_1[n] != 0 ? log1p_exp(log1m(psi) + subtract_lgamma_1[n] - add_2[n]) : 0);
    }
    log_prior = beta_lpdf(psi | 1, 1);
    log_prior += gamma_lpdf(rate | 2, 1);
  }
}
