parameters {
  simplex[3] p;
  ordered[2] c;
  cholesky_factor_corr[2] L;
  matrix[2, 2] M;
  array[2] real<lower=1> a;
}
transformed parameters {
  vector[2] s = c + 1;
}
model {
  p ~ dirichlet([2, 3, 4]');
  c ~ normal(0, 1);
  L ~ lkj_corr_cholesky(2);
  to_vector(M) ~ normal(1, 2);
  a ~ exponential(1);
}
generated quantities {
  matrix[2, 2] R = L * L';
  complex z = to_complex(a[1], a[2]);
  tuple(real, vector[2]) t = (sum(p), s);
}
