functions {
  vector dz_dt(real t, vector state, real theta_2, real theta_1, real theta_4, real theta_3) {
    return [(theta_1 - theta_2 * state[2]) * state[1], (theta_4 * state[1] - theta_3) * state[2]]';
  }
}
data {
  int<lower=0> N_theta;
  int<lower=0> N;
  vector[N] ts;
  matrix<lower=0>[N, 2] y;
}
transformed data {
  array[N] real ts_array = to_array_1d(ts);
}
parameters {
  vector<lower=0>[N_theta] theta;
  vector<lower=0>[2] z_init;
  vector<lower=0>[2] sigma;
}
transformed parameters {
  matrix[N, 2] z = rep_matrix(0, N, 2);
  {
    array[N] vector[2] z_states = ode_rk45_tol(dz_dt, z_init, 0.0, ts_array, 1e-06, 1e-06, 10000, theta[2], theta[1], theta[4], theta[3]);
    for (n in 1:N) {
      z[n] += z_states[n]';
    }
  }
}
model {
  theta ~ lognormal(-1, 1);
  z_init ~ lognormal(2, 1);
  sigma ~ lognormal(-1, 1);
  to_vector(y) ~ lognormal(to_vector(log(z)), to_vector(rep_matrix(sigma', N)));
}
generated quantities {
  matrix[N, 2] log_lik;
  matrix[N, 2] y_rep;
  real log_prior;
  {
    matrix[N, 2] y_mu = log(z);
    for (n in 1:N) {
      for (k in 1:2) {
        log_lik[n, k] = lognormal_lpdf(y[n, k] | y_mu[n, k], sigma[k]);
        y_rep[n, k] = lognormal_rng(y_mu[n, k], sigma[k]);
      }
    }
    log_prior = lognormal_lpdf(theta | -1, 1);
    log_prior += lognormal_lpdf(z_init | 2, 1);
    log_prior += lognormal_lpdf(sigma | -1, 1);
  }
}
