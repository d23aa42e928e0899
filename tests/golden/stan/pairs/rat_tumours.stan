data {
  int<lower=0> N;
  array[N] int<lower=0> y;
  array[N] int n;
}
parameters {
  real<lower=0, upper=1> mean;
  real<lower=1> strength;
  vector<lower=0, upper=1>[N] theta;
}
model {
  mean ~ beta(1, 1);
  strength ~ pareto(1, 1.5);
  theta ~ beta(mean * strength, (1 - mean) * strength);
  y ~ binomial(n, theta);
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  for (n_ in 1:N) {
    log_lik[n_] = binomial_lpmf(y[n_] | n[n_], theta[n_]);
    y_rep[n_] = binomial_rng(n[n_], theta[n_]);
  }
  log_prior = beta_lpdf(mean | 1, 1);
  log_prior += pareto_lpdf(strength | 1, 1.5);
  log_prior += beta_lpdf(theta | mean * strength, (1 - mean) * strength);
}
