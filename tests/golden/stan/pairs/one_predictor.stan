data {
  int<lower=0> N;
  vector[N] y;
  vector[N] x;
}
transformed data {
  matrix[N, 1] predictors = to_matrix(x);
}
parameters {
  real a;
  real b;
  real<lower=0> sigma;
}
model {
  a ~ std_normal();
  b ~ std_normal();
  sigma ~ normal(0, 1);
  y ~ normal_id_glm(predictors, a, [b]', sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  {
    vector[N] y_mu = a + b * x;
    for (n in 1:N) {
      log_lik[n] = normal_lpdf(y[n] | y_mu[n], sigma);
      y_rep[n] = normal_rng(y_mu[n], sigma);
    }
    log_prior = std_normal_lpdf(a | );
    log_prior += std_normal_lpdf(b | );
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
  }
}
