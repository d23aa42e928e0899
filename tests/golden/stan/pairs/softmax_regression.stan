data {
  int<lower=0> N_alpha;
  int<lower=0> N;
  int<lower=0> K;
  array[N] int<lower=1> y;
  matrix[N, K] x;
}
parameters {
  vector[N_alpha] alpha;
  matrix[K, N_alpha] beta;
}
model {
  alpha ~ std_normal();
  to_vector(beta) ~ std_normal();
  y ~ categorical_logit_glm(x, alpha, beta);
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  {
    matrix[N, N_alpha] y_beta = rep_matrix(alpha', N) + x * beta;
    for (n in 1:N) {
      log_lik[n] = categorical_logit_lpmf(y[n] | y_beta[n]');
      y_rep[n] = categorical_logit_rng(y_beta[n]');
    }
    log_prior = std_normal_lpdf(alpha | );
    log_prior += std_normal_lpdf(to_vector(beta) | );
  }
}
