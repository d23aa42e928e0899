data {
  int<lower=0> N;
  array[N] int<lower=0, upper=1> y;
  vector[N] x;
  vector[N] z;
}
transformed data {
  matrix[N, 2] predictors = [x', z']';
}
parameters {
  real a;
  real b;
  real c;
}
model {
  a ~ std_normal();
  b ~ std_normal();
  c ~ std_normal();
  y ~ bernoulli_logit_glm(predictors, a, [b, c]');
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  {
    vector[N] y_alpha = a + b * x + c * z;
    for (n in 1:N) {
      log_lik[n] = bernoulli_logit_lpmf(y[n] | y_alpha[n]);
      y_rep[n] = bernoulli_logit_rng(y_alpha[n]);
    }
    log_prior = std_normal_lpdf(a | );
    log_prior += std_normal_lpdf(b | );
    log_prior += std_normal_lpdf(c | );
  }
}
