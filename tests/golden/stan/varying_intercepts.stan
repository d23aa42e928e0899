data {
  int<lower=0> N_alpha;
  int<lower=0> N;
  vector[N] y;
  vector[N] x;
  array[N] int<lower=1, upper=N_alpha> group;
}
transformed data {
  matrix[N, 1] predictors = to_matrix(x);
}
parameters {
  real mu;
  real<lower=0> tau;
  vector<offset=mu, multiplier=tau>[N_alpha] alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  mu ~ std_normal();
  tau ~ normal(0, 1);
  alpha ~ normal(mu, tau);
  beta ~ std_normal();
  sigma ~ normal(0, 1);
  y ~ normal_id_glm(predictors, alpha[group], [beta]', sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  {
    vector[N] y_mu = alpha[group] + beta * x;
    for (n in 1:N) {
      log_lik[n] = normal_lpdf(y[n] | y_mu[n], sigma);
      y_rep[n] = normal_rng(y_mu[n], sigma);
    }
    log_prior = std_normal_lpdf(mu | );
    log_prior += normal_lpdf(tau | 0, 1) + log2();
    log_prior += normal_lpdf(alpha | mu, tau);
    log_prior += std_normal_lpdf(beta | );
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
  }
}
