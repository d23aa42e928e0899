data {
  int<lower=0> N;
  vector[N] data_1;
  array[N] int<lower=0> y;
}
transformed data {
  real subtract_1 = sum(lgamma(data_1)) - lgamma(sum(data_1));
}
parameters {
  vector[N - 1] log_p_free;
}
transformed parameters {
  vector[N] log_p = log_softmax(append_row(log_p_free, 0));
  vector[N] p = exp(log_p);
}
model {
  target += log_p[N];
  // log_p ~ ExpDirichlet
  target += sum(data_1 .* log_p) - log_p[N] - subtract_1;
  y ~ multinomial(p);
}
generated quantities {
  real log_lik;
  array[N] int y_rep;
  real log_prior;
  log_lik = multinomial_lpmf(y | p);
  y_rep = multinomial_rng(p, 10);
  log_prior = sum(data_1 .* log_p) - log_p[N] - subtract_1;
}
