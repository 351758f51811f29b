// Counts with a smooth log rate: a Gaussian process, by its Cholesky factor.
data { int n; array[n] real x; array[n] int<lower=0> y; }
parameters { real mean_log; real<lower=0> length; real<lower=0> amplitude; vector[n] z; }
transformed parameters {
  vector[n] f;
  {
    matrix[n, n] C = add_diag(gp_exp_quad_cov(x, amplitude, length), 1e-8);
    f = mean_log + cholesky_decompose(C) * z;
  }
}
model {
  length ~ inv_gamma(3, 3); amplitude ~ normal(0, 2); mean_log ~ normal(0, 2); z ~ std_normal();
  y ~ poisson_log(f);
}
