data {
  int<lower=0> N_school;
  vector[N_school] y;
  vector[N_school] sigma;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector<offset=mu, multiplier=tau>[N_school] theta;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, sigma);
}
generated quantities {
  vector[N_school] log_lik;
  vector[N_school] y_rep;
  real log_prior;
  for (n in 1:N_school) {
    log_lik[n] = normal_lpdf(y[n] | theta[n], sigma[n]);
    y_rep[n] = normal_rng(theta[n], sigma[n]);
  }
  log_prior = normal_lpdf(mu | 0, 5);
  log_prior += cauchy_lpdf(tau | 0, 5) + log2();
  log_prior += normal_lpdf(theta | mu, tau);
}
