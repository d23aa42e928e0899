data {
  int<lower=0> N_beta;
  int<lower=0> N;
  vector[N - 1] y;
  vector[N] past;
}
transformed data {
  matrix[N - 1, 2] predictors = [past[2:]', past[:N - 1]']';
}
parameters {
  real alpha;
  vector[N_beta] beta;
  real<lower=0> sigma;
}
model {
  alpha ~ std_normal();
  beta ~ std_normal();
  sigma ~ normal(0, 1);
  y ~ normal_id_glm(predictors, alpha, [beta[1], beta[2]]', sigma);
}
generated quantities {
  vector[N - 1] log_lik;
  vector[N - 1] y_rep;
  real log_prior;
  {
    vector[N - 1] y_mu = alpha + beta[1] * past[2:] + beta[2] * past[:N - 1];
    for (n in 1:(N - 1)) {
      log_lik[n] = normal_lpdf(y[n] | y_mu[n], sigma);
      y_rep[n] = normal_rng(y_mu[n], sigma);
    }
    log_prior = std_normal_lpdf(alpha | );
    log_prior += std_normal_lpdf(beta | );
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
  }
}
