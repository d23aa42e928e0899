data {
  int<lower=0> N;
  array[N] int<lower=0, upper=1> y;
  int<lower=0> K;
  array[K] int<lower=0> count;
}
parameters {
  real<lower=0, upper=1> theta;
  real<lower=0> rate;
}
model {
  theta ~ beta(2, 3);
  profile("coins") {
    y ~ bernoulli(theta);
  }
  rate ~ gamma(2, 1);
  count ~ poisson(rate);
}
generated quantities {
  int y_rep = bernoulli_rng(theta);
  real log_rate = log(rate);
}
