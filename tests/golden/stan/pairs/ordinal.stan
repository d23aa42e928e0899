data {
  int<lower=0> N_cut;
  int<lower=0> N;
  int<lower=0> K;
  array[N] int<lower=1> y;
  matrix[N, K] x;
}
parameters {
  vector[K] beta;
  ordered[N_cut] cut;
}
model {
  beta ~ std_normal();
  cut ~ normal(0, 3);
  y ~ ordered_logistic_glm(x, beta, cut);
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  {
    vector[N] y_eta = x * beta;
    for (n in 1:N) {
      log_lik[n] = ordered_logistic_lpmf(y[n] | y_eta[n], cut);
      y_rep[n] = ordered_logistic_rng(y_eta[n], cut);
    }
    log_prior = std_normal_lpdf(beta | );
    log_prior += normal_lpdf(cut | 0, 3);
    log_prior += lgamma(N_cut + 1.0);
  }
}
