data {
  int<lower=0> N;
  vector[N] y;
  vector[N] x;
  vector[N] z;
}
transformed data {
  matrix[N, 3] predictors = [x', z', (x .^ 2)']';
}
parameters {
  real a;
  real b;
  real c;
  real d;
  real<lower=0> sigma;
}
model {
  a ~ std_normal();
  b ~ std_normal();
  c ~ std_normal();
  d ~ std_normal();
  sigma ~ normal(0, 1);
  y ~ normal_id_glm(predictors, a, [b, c, -d]', sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  {
    vector[N] y_mu = a + b * x + c * z - d * x .^ 2;
    for (n in 1:N) {
      log_lik[n] = normal_lpdf(y[n] | y_mu[n], sigma);
      y_rep[n] = normal_rng(y_mu[n], sigma);
    }
    log_prior = std_normal_lpdf(a | );
    log_prior += std_normal_lpdf(b | );
    log_prior += std_normal_lpdf(c | );
    log_prior += std_normal_lpdf(d | );
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
  }
}
