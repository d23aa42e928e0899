data {
  int<lower=0> N;
  int<lower=0> N_2;
  matrix[N, N] data_1;
  vector[N] data_2;
  vector[N_2] y;
}
transformed data {
  vector[N] log_data_2 = log(data_2);
}
parameters {
  array[N] simplex[N] P;
  ordered[N] mu;
}
model {
  for (n in 1:N) {
    P[n] ~ dirichlet(data_1[n]');
  }
  mu ~ normal(0, 2);
  matrix[N_2, N] transpose_1 = (-0.5 * square((rep_matrix(y', N) - rep_matrix(mu, N_2)) / 1) - log(1) - 0.9189385332046727)';
  matrix[N_2 - 1, N] index_transpose_1 = transpose_1[2:];
  matrix[N, N] index_1 = rep_matrix(0, N, N);
  for (n in 1:N) {
    for (k in 1:N) {
      index_1[n, k] += log(P[n, k]);
    }
  }
  matrix[N_2 - 1, N] scanned_1 = rep_matrix(0, N_2 - 1, N);
  {
    vector[N] scanned_1_now = log_data_2 + transpose_1[1]';
    for (t in 1:(N_2 - 1)) {
      matrix[N, N] add_index_1 = rep_matrix(scanned_1_now, N) + index_1;
      vector[N] add_1 = rep_vector(0, N);
      for (n in 1:N) {
        add_1[n] += log_sum_exp(add_index_1[:, n]) + (index_transpose_1[t]')[n];
      }
      scanned_1_now = add_1;
      scanned_1[t] += scanned_1_now';
    }
  }
  // y ~ Normal, summed over s
  target += log_sum_exp(scanned_1[N_2 - 1]');
}
generated quantities {
  real log_lik;
  real log_prior;
  {
    matrix[N_2, N] transpose_2 = (-0.5 * square((rep_matrix(y', N) - rep_matrix(mu, N_2)) / 1) - log(1) - 0.9189385332046727)';
    matrix[N_2 - 1, N] index_transpose_2 = transpose_2[2:];
    matrix[N, N] index_2 = rep_matrix(0, N, N);
    for (n in 1:N) {
      for (k in 1:N) {
        index_2[n, k] += log(P[n, k]);
      }
    }
    matrix[N_2 - 1, N] scanned_2 = rep_matrix(0, N_2 - 1, N);
    {
      vector[N] scanned_2_now = log_data_2 + transpose_2[1]';
      for (t_2 in 1:(N_2 - 1)) {
        matrix[N, N] add_index_2 = rep_matrix(scanned_2_now, N) + index_2;
        vector[N] add_2 = rep_vector(0, N);
        for (n in 1:N) {
          add_2[n] += log_sum_exp(add_index_2[:, n]) + (index_transpose_2[t_2]')[n];
        }
        scanned_2_now = add_2;
        scanned_2[t_2] += scanned_2_now';
      }
    }
    log_lik = log_sum_exp(scanned_2[N_2 - 1]');
    log_prior = 0;
    for (n in 1:N) {
      log_prior += dirichlet_lpdf(P[n] | data_1[n]');
    }
    log_prior += normal_lpdf(mu | 0, 2);
    log_prior += lgamma(N + 1.0);
  }
}
