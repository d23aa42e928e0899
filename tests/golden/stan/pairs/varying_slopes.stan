data {
  int<lower=0> N_a;
  int<lower=0> N_b;
  int<lower=0> N;
  vector[N] y;
  array[N] int<lower=1, upper=N_a> group;
  vector[N] x;
}
parameters {
  real mu_a;
  real mu_b;
  real<lower=0> tau_a;
  real<lower=0> tau_b;
  vector<offset=mu_a, multiplier=tau_a>[N_a] a;
  vector<offset=mu_b, multiplier=tau_b>[N_b] b;
  real<lower=0> sigma;
}
model {
  mu_a ~ std_normal();
  mu_b ~ std_normal();
  tau_a ~ normal(0, 1);
  tau_b ~ normal(0, 1);
  a ~ normal(mu_a, tau_a);
  b ~ normal(mu_b, tau_b);
  sigma ~ normal(0, 1);
  y ~ normal(a[group] + b[group] .* x, sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  {
    vector[N] y_mu = a[group] + b[group] .* x;
    for (n in 1:N) {
      log_lik[n] = normal_lpdf(y[n] | y_mu[n], sigma);
      y_rep[n] = normal_rng(y_mu[n], sigma);
    }
    log_prior = std_normal_lpdf(mu_a | );
    log_prior += std_normal_lpdf(mu_b | );
    log_prior += normal_lpdf(tau_a | 0, 1) + log2();
    log_prior += normal_lpdf(tau_b | 0, 1) + log2();
    log_prior += normal_lpdf(a | mu_a, tau_a);
    log_prior += normal_lpdf(b | mu_b, tau_b);
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
  }
}
