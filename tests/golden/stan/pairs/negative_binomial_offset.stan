data {
  int<lower=0> N;
  int<lower=0> K;
  array[N] int<lower=0> y;
  matrix[N, K] x;
  vector[N] log_exposure;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> phi;
}
model {
  alpha ~ normal(0, 2.5);
  beta ~ std_normal();
  phi ~ gamma(2, 0.5);
  y ~ neg_binomial_2_log_glm(x, alpha + log_exposure, beta, phi);
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  {
    vector[N] y_eta = alpha + log_exposure + x * beta;
    for (n in 1:N) {
      log_lik[n] = neg_binomial_2_log_lpmf(y[n] | y_eta[n], phi);
      y_rep[n] = neg_binomial_2_log_rng(y_eta[n], phi);
    }
    log_prior = normal_lpdf(alpha | 0, 2.5);
    log_prior += std_normal_lpdf(beta | );
    log_prior += gamma_lpdf(phi | 2, 0.5);
  }
}
