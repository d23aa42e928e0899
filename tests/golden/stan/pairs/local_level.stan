data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real<lower=0> tau;
  real<lower=0> sigma;
  vector[N] level_z;
}
transformed parameters {
  vector[N] level = cumulative_sum(append_row(5 * level_z[1], tau * level_z[2:]));
}
model {
  tau ~ normal(0, 1);
  sigma ~ normal(0, 1);
  level_z ~ std_normal();
  y ~ normal(level, sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(y[n] | level[n], sigma);
    y_rep[n] = normal_rng(level[n], sigma);
  }
  log_prior = normal_lpdf(tau | 0, 1) + log2();
  log_prior += normal_lpdf(sigma | 0, 1) + log2();
  log_prior += normal_lpdf(level[1] | 0, 5);
  log_prior += normal_lpdf(level[2:] | level[:N - 1], tau);
}
