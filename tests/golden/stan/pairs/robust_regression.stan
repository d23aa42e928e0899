data {
  int<lower=0> N;
  int<lower=0> K;
  vector[N] y;
  matrix[N, K] x;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> sigma;
  real<lower=0> nu;
}
model {
  alpha ~ normal(0, 2.5);
  beta ~ std_normal();
  sigma ~ normal(0, 1);
  nu ~ gamma(2, 0.1);
  y ~ student_t(nu, alpha + x * beta, sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  {
    vector[N] y_mu = alpha + x * beta;
    for (n in 1:N) {
      log_lik[n] = student_t_lpdf(y[n] | nu, y_mu[n], sigma);
      y_rep[n] = student_t_rng(nu, y_mu[n], sigma);
    }
    log_prior = normal_lpdf(alpha | 0, 2.5);
    log_prior += std_normal_lpdf(beta | );
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
    log_prior += gamma_lpdf(nu | 2, 0.1);
  }
}
