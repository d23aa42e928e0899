data {
  int<lower=0> N_mu;
  int<lower=0> N_ab;
  int<lower=0> N;
  vector[N] y;
  array[N] int<lower=1, upper=N_ab> group;
  vector[N] x;
}
parameters {
  vector[N_mu] mu;
  vector<lower=0>[N_mu] tau;
  cholesky_factor_corr[N_mu] L;
  matrix[N_ab, N_mu] ab_z;
  real<lower=0> sigma;
}
transformed parameters {
  matrix[N_ab, N_mu] ab = rep_matrix(mu', N_ab) + ab_z * diag_pre_multiply(tau, L)';
}
model {
  mu ~ std_normal();
  tau ~ normal(0, 1);
  L ~ lkj_corr_cholesky(2.0);
  to_vector(ab_z) ~ std_normal();
  sigma ~ normal(0, 1);
  y ~ normal(ab[group, 1] + ab[group, 2] .* x, sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  {
    vector[N] y_mu = ab[group, 1] + ab[group, 2] .* x;
    for (n in 1:N) {
      log_lik[n] = normal_lpdf(y[n] | y_mu[n], sigma);
      y_rep[n] = normal_rng(y_mu[n], sigma);
    }
    log_prior = std_normal_lpdf(mu | );
    log_prior += normal_lpdf(tau | 0, 1) + N_mu * log2();
    log_prior += lkj_corr_cholesky_lpdf(L | 2.0);
    matrix[N_mu, N_mu] multiply_L = diag_pre_multiply(tau, L);
    for (n in 1:N_ab) {
      log_prior += multi_normal_cholesky_lpdf(ab[n]' | mu, multiply_L);
    }
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
  }
}
