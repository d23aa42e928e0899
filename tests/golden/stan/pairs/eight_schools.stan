data {
  int<lower=0> N;
  vector[N] y;
  vector[N] sigma;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector<offset=mu, multiplier=tau>[N] theta;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(y[n] | theta[n], sigma[n]);
    y_rep[n] = normal_rng(theta[n], sigma[n]);
  }
  log_prior = normal_lpdf(mu | 0, 5);
  log_prior += cauchy_lpdf(tau | 0, 5) + log2();
  log_prior += normal_lpdf(theta | mu, tau);
}
