// Logistic regression whose intercept and slope vary by group and are correlated.
data { int N; int J; array[N] int<lower=1, upper=J> group; vector[N] x; array[N] int<lower=0, upper=1> y; }
parameters {
  vector[2] gamma; vector<lower=0>[2] tau; cholesky_factor_corr[2] L; matrix[2, J] z;
}
transformed parameters { matrix[J, 2] b = (diag_pre_multiply(tau, L) * z)'; }
model {
  gamma ~ normal(0, 2); tau ~ exponential(1); L ~ lkj_corr_cholesky(2); to_vector(z) ~ std_normal();
  y ~ bernoulli_logit(gamma[1] + b[group, 1] + (gamma[2] + b[group, 2]) .* x);
}
generated quantities { real correlation = L[2, 1]; }
