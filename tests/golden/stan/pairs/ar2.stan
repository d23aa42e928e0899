data {
  int<lower=0> N_phi;
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real a;
  vector[N_phi] phi;
  real<lower=0> sigma;
}
model {
  a ~ std_normal();
  phi ~ std_normal();
  sigma ~ normal(0, 1);
  y[3:] ~ normal(a + phi[1] * y[2:N - 1] + phi[2] * y[:N - 2], sigma);
}
generated quantities {
  vector[N - 2] log_lik;
  real log_prior;
  {
    vector[N - 2] y_mu = a + phi[1] * y[2:N - 1] + phi[2] * y[:N - 2];
    for (n in 1:(N - 2)) {
      log_lik[n] = normal_lpdf(y[2 + n] | y_mu[n], sigma);
    }
    log_prior = std_normal_lpdf(a | );
    log_prior += std_normal_lpdf(phi | );
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
  }
}
