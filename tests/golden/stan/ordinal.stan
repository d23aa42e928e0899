data {
  int<lower=0> N_cut;
  int<lower=0> N;
  array[N] int<lower=1> y;
  vector[N] x;
}
parameters {
  real slope;
  ordered[N_cut] cut;
}
model {
  slope ~ std_normal();
  cut ~ normal(0, 3);
  y ~ ordered_logistic(slope * x, cut);
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  real log_prior;
  {
    vector[N] y_eta = slope * x;
    for (n in 1:N) {
      log_lik[n] = ordered_logistic_lpmf(y[n] | y_eta[n], cut);
      y_rep[n] = ordered_logistic_rng(y_eta[n], cut);
    }
    log_prior = std_normal_lpdf(slope | );
    log_prior += normal_lpdf(cut | 0, 3);
    log_prior += lgamma(N_cut + 1.0);
  }
}
