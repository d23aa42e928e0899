data {
  int<lower=0> N;
  vector[N] y;
  array[N] int<lower=0> y_int;
}
transformed data {
  real sum_y = sum(y);
  real sum_1 = sum(lgamma(y + 1.0));
}
parameters {
  real<lower=0> rate;
}
model {
  rate ~ gamma(2, 0.5);
  // y ~ Poisson, by its sufficient statistics
  target += lmultiply(sum_y, rate) - N * rate - sum_1;
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  for (n in 1:N) {
    log_lik[n] = poisson_lpmf(y_int[n] | rate);
    y_rep[n] = poisson_rng(rate);
  }
  log_prior = gamma_lpdf(rate | 2, 0.5);
}
