data {
  int<lower=0> N;
  int<lower=0> K;
  matrix[N, K] y;
}
parameters {
  real theta;
  real<lower=0> between;
  real<lower=0> within;
  vector<offset=theta, multiplier=between>[N] mu;
}
model {
  theta ~ normal(1500, 100);
  between ~ normal(0, 50);
  within ~ normal(0, 50);
  mu ~ normal(theta, between);
  to_vector(y) ~ normal(to_vector(rep_matrix(mu, K)), within);
}
generated quantities {
  matrix[N, K] log_lik;
  matrix[N, K] y_rep;
  real log_prior;
  {
    matrix[N, 1] y_mu = to_matrix(mu, N, 1);
    for (n in 1:N) {
      for (k in 1:K) {
        log_lik[n, k] = normal_lpdf(y[n, k] | y_mu[n, 1], within);
        y_rep[n, k] = normal_rng(y_mu[n, 1], within);
      }
    }
    log_prior = normal_lpdf(theta | 1500, 100);
    log_prior += normal_lpdf(between | 0, 50) + log2();
    log_prior += normal_lpdf(within | 0, 50) + log2();
    log_prior += normal_lpdf(mu | theta, between);
  }
}
