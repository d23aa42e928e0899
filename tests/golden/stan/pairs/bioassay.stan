data {
  int<lower=0> N;
  array[N] int<lower=0> deaths;
  array[N] int animals;
  vector[N] dose;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(10, 10);
  deaths ~ binomial_logit(animals, alpha + beta * dose);
}
generated quantities {
  vector[N] log_lik;
  array[N] int deaths_rep;
  real log_prior;
  {
    vector[N] deaths_alpha = alpha + beta * dose;
    for (n in 1:N) {
      log_lik[n] = binomial_logit_lpmf(deaths[n] | animals[n], deaths_alpha[n]);
      deaths_rep[n] = binomial_rng(animals[n], inv_logit(deaths_alpha[n]));
    }
    log_prior = normal_lpdf(alpha | 0, 2);
    log_prior += normal_lpdf(beta | 10, 10);
  }
}
