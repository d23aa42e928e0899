data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  cholesky_factor_corr[N] L;
  vector<lower=0>[N] scale;
  vector[N] z;
}
transformed parameters {
  vector[N] effect = scale .* (L * z);
}
model {
  L ~ lkj_corr_cholesky(2.0);
  scale ~ normal(0, 1);
  z ~ std_normal();
  y ~ normal(effect, 1);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(y[n] | effect[n], 1);
    y_rep[n] = normal_rng(effect[n], 1);
  }
  log_prior = lkj_corr_cholesky_lpdf(L | 2.0);
  log_prior += normal_lpdf(scale | 0, 1) + N * log2();
  log_prior += std_normal_lpdf(z | );
}
