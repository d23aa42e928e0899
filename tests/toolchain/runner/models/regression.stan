data {
  int<lower=0> N;
  matrix[N, 2] x;
  vector[N] y;
}
parameters {
  vector[2] beta;
}
model {
  beta ~ normal(0, 2);
  y ~ normal(x * beta, 1.0);
}
