data {
  int<lower=0> N_ability;
  int<lower=0> N;
  array[N] int<lower=0, upper=1> won;
  array[N] int<lower=1, upper=N_ability> first;
  array[N] int<lower=1, upper=N_ability> second;
}
parameters {
  real<lower=0> spread;
  vector<multiplier=spread>[N_ability] ability;
}
model {
  spread ~ normal(0, 1);
  ability ~ normal(0, spread);
  won ~ bernoulli_logit(ability[first] - ability[second]);
}
generated quantities {
  vector[N] log_lik;
  array[N] int won_rep;
  real log_prior;
  {
    vector[N] won_alpha = ability[first] - ability[second];
    for (n in 1:N) {
      log_lik[n] = bernoulli_logit_lpmf(won[n] | won_alpha[n]);
      won_rep[n] = bernoulli_logit_rng(won_alpha[n]);
    }
    log_prior = normal_lpdf(spread | 0, 1) + log2();
    log_prior += normal_lpdf(ability | 0, spread);
  }
}
