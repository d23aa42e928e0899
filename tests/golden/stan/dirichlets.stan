data {
  int<lower=0> N;
  int<lower=0> K;
  array[N, K] int<lower=0> z;
  array[N] int data_1;
}
parameters {
  vector<lower=0>[K] concentration;
  array[N] simplex[K] p;
}
model {
  concentration ~ gamma(2, 1);
  p ~ dirichlet(concentration);
  for (n in 1:N) {
    z[n] ~ multinomial(p[n]);
  }
}
generated quantities {
  vector[N] log_lik;
  array[N, K] int z_rep;
  real log_prior;
  for (n in 1:N) {
    log_lik[n] = multinomial_lpmf(z[n] | p[n]);
    z_rep[n] = multinomial_rng(p[n], data_1[n]);
  }
  log_prior = gamma_lpdf(concentration | 2, 1);
  for (n in 1:N) {
    log_prior += dirichlet_lpdf(p[n] | concentration);
  }
}
