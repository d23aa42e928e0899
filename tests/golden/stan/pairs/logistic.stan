data {
  int<lower=0> N;
  int<lower=0> K;
  array[N] int<lower=0, upper=1> y;
  matrix[N, K] x;
}
parameters {
  real alpha;
  vector[K] beta;
}
model {
  alpha ~ normal(0, 2.5);
  beta ~ std_normal();
  y ~ bernoulli_logit_glm(x, alpha, beta);
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  {
    vector[N] y_alpha = alpha + x * beta;
    for (n in 1:N) {
      log_lik[n] = bernoulli_logit_lpmf(y[n] | y_alpha[n]);
      y_rep[n] = bernoulli_logit_rng(y_alpha[n]);
    }
    log_prior = normal_lpdf(alpha | 0, 2.5);
    log_prior += std_normal_lpdf(beta | );
  }
}
