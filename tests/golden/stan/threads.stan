functions {
  /** Log density of the observations `start` to `end` of y. */
  real y_part_lpmf(array[] int rows, int start, int end, vector y, vector a, array[] int group, matrix x, vector beta, real value, vector exposure) {
    return student_t_lupdf(y[start:end] | 4, a[group[start:end]] + x[start:end] * beta, value * exposure[start:end]);
  }
}
data {
  int<lower=0> N_a;
  int<lower=0> N;
  int<lower=0> K;
  vector[N] y;
  array[N] int<lower=1, upper=N_a> group;
  matrix[N, K] x;
  vector[N] exposure;
}
transformed data {
  array[N] int rows = linspaced_int_array(N, 1, max(1, N));
}
parameters {
  vector[N_a] a;
  vector[K] beta;
  real log_scale;
}
model {
  a ~ std_normal();
  beta ~ std_normal();
  log_scale ~ std_normal();
  target += reduce_sum(y_part_lupmf, rows, 1, y, a, group, x, beta, exp(log_scale), exposure);
}
