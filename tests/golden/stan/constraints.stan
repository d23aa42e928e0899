functions {
  /** Rotate n free numbers to n + 1 numbers that sum to zero; lengths are kept. */
  vector sum_to_zero(vector free) {
    int n = num_elements(free);
    vector[n + 1] x = rep_vector(0, n + 1);
    for (k in 1:n) {
      real w = free[k] / sqrt(k * (k + 1.0));
      x[1:k] += w;
      x[k + 1] -= k * w;
    }
    return x;
  }
}
data {
  int<lower=0> N;
  int<lower=0> N_b;
  int<lower=0> N_c;
  int<lower=0> N_q;
  int<lower=0> N_2;
  int<lower=0> K_b;
  int<lower=0> K_c;
  vector[N_2] data_1;
  real y;
  vector[N] data_2;
}
transformed data {
  real subtract_1 = sum(lgamma(data_1)) - lgamma(sum(data_1));
}
parameters {
  vector[N - 1] a_free;
  array[N_b] positive_ordered[K_b] b;
  array[N_c] vector[K_c - 1] c_free;
  real<lower=0, upper=0.9> w;
  array[N_q] vector[N_2 - 1] q_free;
}
transformed parameters {
  vector[N] a = sum_to_zero(a_free);
  array[N_c] vector[K_c] c;
  for (n in 1:N_c) {
    c[n] = sum_to_zero(c_free[n]);
  }
  array[N_q] vector[N_2] q;
  for (n in 1:N_q) {
    q[n] = log_softmax(append_row(q_free[n], 0));
  }
}
model {
  for (n in 1:N_q) {
    target += q[n, N_2];
  }
  a ~ std_normal();
  for (n in 1:N_b) {
    b[n] ~ normal(0, 2);
  }
  for (n in 1:N_c) {
    c[n] ~ std_normal();
  }
  w ~ beta(2, 2);
  matrix[N_q, N_2] data_1_q = rep_matrix(0, N_q, N_2);
  for (n in 1:N_q) {
    for (k in 1:N_2) {
      data_1_q[n, k] += data_1[k] * q[n, k];
    }
  }
  // q ~ ExpDirichlet
  for (n in 1:N_q) {
    target += sum(data_1_q[n]) - q[n, N_2] - subtract_1;
  }
  matrix[N_b, K_b] b_matrix;
  for (n in 1:N_b) {
    for (k in 1:K_b) {
      b_matrix[n, k] = b[n, k];
    }
  }
  matrix[N_c, K_c] c_c = rep_matrix(0, N_c, K_c);
  for (n in 1:N_c) {
    for (k in 1:K_c) {
      c_c[n, k] += c[n, k] * c[n, k];
    }
  }
  matrix[N_q, N_2] q_matrix;
  for (n in 1:N_q) {
    for (k in 1:N_2) {
      q_matrix[n, k] = q[n, k];
    }
  }
  y ~ normal(dot_product(a, data_2) + sum(b_matrix) + sum(c_c) + w + sum(q_matrix), 1);
}
generated quantities {
  real log_lik;
  real y_rep;
  real log_prior;
  {
    matrix[N_b, K_b] b_matrix_2;
    for (n in 1:N_b) {
      for (k in 1:K_b) {
        b_matrix_2[n, k] = b[n, k];
      }
    }
    matrix[N_c, K_c] c_c_2 = rep_matrix(0, N_c, K_c);
    for (n in 1:N_c) {
      for (k in 1:K_c) {
        c_c_2[n, k] += c[n, k] * c[n, k];
      }
    }
    matrix[N_q, N_2] q_matrix_2;
    for (n in 1:N_q) {
      for (k in 1:N_2) {
        q_matrix_2[n, k] = q[n, k];
      }
    }
    log_lik = normal_lpdf(y | dot_product(a, data_2) + sum(b_matrix_2) + sum(c_c_2) + w + sum(q_matrix_2), 1);
    y_rep = normal_rng(dot_product(a, data_2) + sum(b_matrix_2) + sum(c_c_2) + w + sum(q_matrix_2), 1);
    log_prior = std_normal_lpdf(a | );
    log_prior += 0.9189385332046727;
    for (n in 1:N_b) {
      for (k in 1:K_b) {
        log_prior += normal_lpdf(b[n, k] | 0, 2);
      }
    }
    log_prior += (lgamma(K_b + 1.0) - K_b * normal_lcdf(((0 - 0.0) / 2) | 0, 1)) * N_b;
    for (n in 1:N_c) {
      for (k in 1:K_c) {
        log_prior += std_normal_lpdf(c[n, k] | );
      }
    }
    log_prior += 0.9189385332046727 * N_c;
    log_prior += beta_lpdf(w | 2, 2) - beta_lcdf(0.9 | 2, 2);
    matrix[N_q, N_2] data_1_q_2 = rep_matrix(0, N_q, N_2);
    for (n in 1:N_q) {
      for (k in 1:N_2) {
        data_1_q_2[n, k] += data_1[k] * q[n, k];
      }
    }
    for (n in 1:N_q) {
      log_prior += sum(data_1_q_2[n]) - q[n, N_2] - subtract_1;
    }
  }
}
