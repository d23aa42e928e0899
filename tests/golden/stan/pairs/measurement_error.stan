data {
  int<lower=0> N;
  vector[N] measured;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector<offset=mu, multiplier=tau>[N] x;
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  mu ~ std_normal();
  tau ~ normal(0, 1);
  x ~ normal(mu, tau);
  alpha ~ std_normal();
  beta ~ std_normal();
  sigma ~ normal(0, 1);
  measured ~ normal(x, 0.5);
  y ~ normal(alpha + beta * x, sigma);
}
generated quantities {
  vector[N] log_lik_measured;
  vector[N] measured_rep;
  vector[N] log_lik_y;
  vector[N] y_rep;
  real log_prior;
  {
    for (n in 1:N) {
      log_lik_measured[n] = normal_lpdf(measured[n] | x[n], 0.5);
      measured_rep[n] = normal_rng(x[n], 0.5);
    }
    vector[N] y_mu = alpha + beta * x;
    for (n in 1:N) {
      log_lik_y[n] = normal_lpdf(y[n] | y_mu[n], sigma);
      y_rep[n] = normal_rng(y_mu[n], sigma);
    }
    log_prior = std_normal_lpdf(mu | );
    log_prior += normal_lpdf(tau | 0, 1) + log2();
    log_prior += normal_lpdf(x | mu, tau);
    log_prior += std_normal_lpdf(alpha | );
    log_prior += std_normal_lpdf(beta | );
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
  }
}
