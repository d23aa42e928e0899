data {
  int<lower=0> N;
  vector[N] y;
  vector[N - 1] zero;
}
parameters {
  real mu;
  real phi;
  real theta;
  real<lower=0> sigma;
}
transformed parameters {
  vector[N - 1] error;
  {
    real error_now = y[1] - mu;
    for (t in 1:(N - 1)) {
      error_now = y[t + 1] - mu - phi * y[t] - theta * error_now;
      error[t] = error_now;
    }
  }
}
model {
  mu ~ normal(0, 10);
  phi ~ normal(0, 2);
  theta ~ normal(0, 2);
  sigma ~ cauchy(0, 2.5);
  zero ~ normal(error, sigma);
}
generated quantities {
  vector[N - 1] log_lik;
  vector[N - 1] zero_rep;
  real log_prior;
  for (n in 1:(N - 1)) {
    log_lik[n] = normal_lpdf(zero[n] | error[n], sigma);
    zero_rep[n] = normal_rng(error[n], sigma);
  }
  log_prior = normal_lpdf(mu | 0, 10);
  log_prior += normal_lpdf(phi | 0, 2);
  log_prior += normal_lpdf(theta | 0, 2);
  log_prior += cauchy_lpdf(sigma | 0, 2.5) + log2();
}
