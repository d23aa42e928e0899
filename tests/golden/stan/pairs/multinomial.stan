data {
  int<lower=0> N;
  int<lower=0> N_2;
  vector[N] data_1;
  array[N_2, N] int<lower=0> y;
  array[N_2] int data_2;
}
parameters {
  simplex[N] theta;
}
model {
  theta ~ dirichlet(data_1);
  for (n in 1:N_2) {
    y[n] ~ multinomial(theta);
  }
}
generated quantities {
  vector[N_2] log_lik;
  array[N_2, N] int y_rep;
  real log_prior;
  for (n in 1:N_2) {
    log_lik[n] = multinomial_lpmf(y[n] | theta);
    y_rep[n] = multinomial_rng(theta, data_2[n]);
  }
  log_prior = dirichlet_lpdf(theta | data_1);
}
