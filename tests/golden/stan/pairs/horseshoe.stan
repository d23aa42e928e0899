data {
  int<lower=0> N;
  int<lower=0> K;
  vector[N] y;
  matrix[N, K] x;
}
parameters {
  real<lower=0> tau;
  vector<lower=0>[K] lambda_;
  vector<multiplier=tau * lambda_>[K] beta;
  real<lower=0> sigma;
}
model {
  tau ~ cauchy(0, 0.1);
  lambda_ ~ cauchy(0, 1);
  beta ~ normal(0, tau * lambda_);
  sigma ~ normal(0, 1);
  y ~ normal_id_glm(x, 0.0, beta, sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  {
    vector[N] y_mu = x * beta;
    for (n in 1:N) {
      log_lik[n] = normal_lpdf(y[n] | y_mu[n], sigma);
      y_rep[n] = normal_rng(y_mu[n], sigma);
    }
    log_prior = cauchy_lpdf(tau | 0, 0.1) + log2();
    log_prior += cauchy_lpdf(lambda_ | 0, 1) + K * log2();
    log_prior += normal_lpdf(beta | 0, tau * lambda_);
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
  }
}
