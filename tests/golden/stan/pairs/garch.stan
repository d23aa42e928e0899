data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> omega;
  real<lower=0, upper=1> alpha;
  real<lower=0, upper=1> beta;
}
model {
  mu ~ normal(0, 5);
  omega ~ normal(0, 2);
  alpha ~ uniform(0, 1);
  beta ~ uniform(0, 1);
  vector[N - 1] scanned_1 = rep_vector(0, N - 1);
  {
    real state = 1.0;
    for (t in 1:(N - 1)) {
      real sqrt_1 = sqrt(omega + alpha * square(y[t] - mu) + beta * square(state));
      scanned_1[t] += sqrt_1;
      state = sqrt_1;
    }
  }
  y[1] ~ normal(mu, 1.0);
  y[2:] ~ normal(mu, scanned_1);
}
generated quantities {
  vector[N] log_lik;
  real log_prior;
  {
    log_lik[1] = normal_lpdf(y[1] | mu, 1.0);
    vector[N - 1] scanned_2 = rep_vector(0, N - 1);
    {
      real state_2 = 1.0;
      for (t_2 in 1:(N - 1)) {
        real sqrt_2 = sqrt(omega + alpha * square(y[t_2] - mu) + beta * square(state_2));
        scanned_2[t_2] += sqrt_2;
        state_2 = sqrt_2;
      }
    }
    for (n in 1:(N - 1)) {
      log_lik[1 + n] = normal_lpdf(y[1 + n] | mu, scanned_2[n]);
    }
    log_prior = normal_lpdf(mu | 0, 5);
    log_prior += normal_lpdf(omega | 0, 2) + log2();
    log_prior += uniform_lpdf(alpha | 0, 1);
    log_prior += uniform_lpdf(beta | 0, 1);
  }
}
