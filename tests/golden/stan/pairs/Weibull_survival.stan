data {
  int<lower=0> N;
  vector<lower=0>[N] t;
  vector[N] x;
}
parameters {
  real<lower=0> shape_;
  real alpha;
  real beta;
}
model {
  shape_ ~ gamma(2, 1);
  alpha ~ std_normal();
  beta ~ std_normal();
  t ~ weibull(shape_, exp(-(alpha + beta * x) / shape_));
}
generated quantities {
  vector[N] log_lik;
  vector[N] t_rep;
  real log_prior;
  {
    vector[N] t_sigma = exp(-(alpha + beta * x) / shape_);
    for (n in 1:N) {
      log_lik[n] = weibull_lpdf(t[n] | shape_, t_sigma[n]);
      t_rep[n] = weibull_rng(shape_, t_sigma[n]);
    }
    log_prior = gamma_lpdf(shape_ | 2, 1);
    log_prior += std_normal_lpdf(alpha | );
    log_prior += std_normal_lpdf(beta | );
  }
}
