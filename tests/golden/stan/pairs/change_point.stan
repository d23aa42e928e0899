data {
  int<lower=0> N;
  vector[N] t;
  vector[N] y;
}
transformed data {
  matrix[119, N] less_t;
  for (n in 1:119) {
    for (k in 1:N) {
      less_t[n, k] = (t[k] < (n - 1 + 1));
    }
  }
  vector[N] lgamma_1 = lgamma(y + 1.0);
}
parameters {
  real<lower=0> early;
  real<lower=0> late;
}
model {
  early ~ gamma(2, 1);
  late ~ gamma(2, 1);
  vector[N] subtract_lgamma_1 = y * log(early) - early - lgamma_1;
  vector[N] subtract_lgamma_1_2 = y * log(late) - late - lgamma_1;
  matrix[119, N] broadcast_to_1 = rep_matrix(0, 119, N);
  for (n in 1:119) {
    for (k in 1:N) {
      broadcast_to_1[n, k] += (less_t[n, k] != 0 ? subtract_lgamma_1[k] : subtract_lgamma_1_2[k]);
    }
  }
  vector[119] add_1 = rep_vector(0, 119);
  for (n in 1:119) {
    add_1[n] += -log1p(119 - 1) + sum(broadcast_to_1[n]);
  }
  // y ~ Poisson, summed over when
  target += log_sum_exp(add_1);
}
generated quantities {
  real log_lik;
  real log_prior;
  {
    vector[N] subtract_lgamma_1_3 = y * log(early) - early - lgamma_1;
    vector[N] subtract_lgamma_1_4 = y * log(late) - late - lgamma_1;
    matrix[119, N] broadcast_to_2 = rep_matrix(0, 119, N);
    for (n in 1:119) {
      for (k in 1:N) {
        broadcast_to_2[n, k] += (less_t[n, k] != 0 ? subtract_lgamma_1_3[k] : subtract_lgamma_1_4[k]);
      }
    }
    vector[119] add_2 = rep_vector(0, 119);
    for (n in 1:119) {
      add_2[n] += -log1p(119 - 1) + sum(broadcast_to_2[n]);
    }
    log_lik = log_sum_exp(add_2);
    log_prior = gamma_lpdf(early | 2, 1);
    log_prior += gamma_lpdf(late | 2, 1);
  }
}
