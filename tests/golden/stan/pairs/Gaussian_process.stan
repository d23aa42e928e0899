data {
  int<lower=0> N;
  vector[N] data_1;
  vector[N] x;
  vector[N] y;
}
transformed data {
  vector[N] multiply_x = 0.0 * x;
}
parameters {
  real<lower=0> rho;
  real<lower=0> height;
  real<lower=0> sigma;
}
model {
  rho ~ inv_gamma(5, 5);
  height ~ normal(0, 1);
  sigma ~ normal(0, 1);
  y ~ multi_normal_cholesky(data_1, cholesky_decompose(add_diag(gp_exp_quad_cov(to_array_1d(x), height, rho), multiply_x + square(sigma))));
}
generated quantities {
  real log_lik;
  vector[N] y_rep;
  real log_prior;
  log_lik = multi_normal_cholesky_lpdf(y | data_1, cholesky_decompose(add_diag(gp_exp_quad_cov(to_array_1d(x), height, rho), multiply_x + square(sigma))));
  y_rep = multi_normal_cholesky_rng(data_1, cholesky_decompose(add_diag(gp_exp_quad_cov(to_array_1d(x), height, rho), multiply_x + square(sigma))));
  log_prior = inv_gamma_lpdf(rho | 5, 5);
  log_prior += normal_lpdf(height | 0, 1) + log2();
  log_prior += normal_lpdf(sigma | 0, 1) + log2();
}
