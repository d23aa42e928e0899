data {
  int<lower=0> N_u;
  int<lower=0> N;
  array[N] int<lower=0> y;
  vector[N] x;
  array[N] int<lower=1, upper=N_u> group;
}
parameters {
  real a;
  real b;
  real<lower=0> tau;
  vector<multiplier=tau>[N_u] u;
}
model {
  a ~ std_normal();
  b ~ std_normal();
  tau ~ normal(0, 1);
  u ~ normal(0, tau);
  y ~ poisson_log(a + b * x + u[group]);
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  {
    vector[N] y_alpha = a + b * x + u[group];
    for (n in 1:N) {
      log_lik[n] = poisson_log_lpmf(y[n] | y_alpha[n]);
      y_rep[n] = poisson_log_rng(y_alpha[n]);
    }
    log_prior = std_normal_lpdf(a | );
    log_prior += std_normal_lpdf(b | );
    log_prior += normal_lpdf(tau | 0, 1) + log2();
    log_prior += normal_lpdf(u | 0, tau);
  }
}
