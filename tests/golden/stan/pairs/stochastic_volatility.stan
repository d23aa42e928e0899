data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
  vector[N] h_z;
}
transformed parameters {
  vector[N] h;
  {
    vector[N - 1] scanned_1;
    {
      real scanned_1_now = mu + sigma / sqrt(1 - phi^2) * h_z[1];
      for (t in 1:(N - 1)) {
        scanned_1_now = mu + phi * (scanned_1_now - mu) + sigma * h_z[t + 1];
        scanned_1[t] = scanned_1_now;
      }
    }
    h = append_row(mu + sigma / sqrt(1 - phi^2) * h_z[1], scanned_1);
  }
}
model {
  mu ~ normal(0, 3);
  phi ~ uniform(-1, 1);
  sigma ~ normal(0, 1);
  h_z ~ std_normal();
  y ~ normal(0, exp(h / 2));
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  real log_prior;
  {
    vector[N] y_sigma = exp(h / 2);
    for (n in 1:N) {
      log_lik[n] = normal_lpdf(y[n] | 0, y_sigma[n]);
      y_rep[n] = normal_rng(0, y_sigma[n]);
    }
    log_prior = normal_lpdf(mu | 0, 3);
    log_prior += uniform_lpdf(phi | -1, 1);
    log_prior += normal_lpdf(sigma | 0, 1) + log2();
    log_prior += normal_lpdf(h[1] | mu, sigma / sqrt(1 - phi^2));
    log_prior += normal_lpdf(h[2:] | mu + phi * (h[:N - 1] - mu), sigma);
  }
}
