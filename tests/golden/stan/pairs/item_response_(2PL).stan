data {
  int<lower=0> N_ability;
  int<lower=0> N_difficulty;
  int<lower=0> N_discrimination;
  int<lower=0> N;
  array[N] int<lower=0, upper=1> y;
  array[N] int<lower=1, upper=N_discrimination> item;
  array[N] int<lower=1, upper=N_ability> person;
}
parameters {
  vector[N_ability] ability;
  vector[N_difficulty] difficulty;
  vector<lower=0>[N_discrimination] discrimination;
}
model {
  ability ~ std_normal();
  difficulty ~ normal(0, 2);
  discrimination ~ lognormal(0, 0.5);
  y ~ bernoulli_logit(discrimination[item] .* (ability[person] - difficulty[item]));
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  {
    vector[N] y_alpha = discrimination[item] .* (ability[person] - difficulty[item]);
    for (n in 1:N) {
      log_lik[n] = bernoulli_logit_lpmf(y[n] | y_alpha[n]);
      y_rep[n] = bernoulli_logit_rng(y_alpha[n]);
    }
    log_prior = std_normal_lpdf(ability | );
    log_prior += normal_lpdf(difficulty | 0, 2);
    log_prior += lognormal_lpdf(discrimination | 0, 0.5);
  }
}
