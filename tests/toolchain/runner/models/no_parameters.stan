data {
  real mu;
}
generated quantities {
  real x = normal_rng(mu, 1);
}
