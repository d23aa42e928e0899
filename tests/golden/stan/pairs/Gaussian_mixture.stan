data {
  int<lower=0> N;
  int<lower=0> N_2;
  vector[N] data_1;
  vector[N_2] y;
}
parameters {
  simplex[N] w;
  ordered[N] mu;
  vector<lower=0>[N] sigma;
}
model {
  w ~ dirichlet(data_1);
  mu ~ normal(0, 2);
  sigma ~ normal(0, 1);
  matrix[N, N_2] add_1 = rep_matrix(log(w), N_2) + -0.5 * square((rep_matrix(y', N) - rep_matrix(mu, N_2)) ./ rep_matrix(sigma, N_2)) - rep_matrix(log(sigma), N_2) - 0.9189385332046727;
  // y ~ Normal, summed over z
  for (n in 1:N_2) {
    target += log_sum_exp(add_1[:, n]);
  }
}
generated quantities {
  vector[N_2] log_lik;
  real log_prior;
  {
    matrix[N, N_2] add_2 = rep_matrix(log(w), N_2) + -0.5 * square((rep_matrix(y', N) - rep_matrix(mu, N_2)) ./ rep_matrix(sigma, N_2)) - rep_matrix(log(sigma), N_2) - 0.9189385332046727;
    for (n in 1:N_2) {
      log_lik[n] = log_sum_exp(add_2[:, n]);
    }
    log_prior = dirichlet_lpdf(w | data_1);
    log_prior += normal_lpdf(mu | 0, 2);
    log_prior += lgamma(N + 1.0);
    log_prior += normal_lpdf(sigma | 0, 1) + N * log2();
  }
}
