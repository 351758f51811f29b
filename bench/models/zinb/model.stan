// Counts with too many zeros, in groups; centred.
data { int N; int J; array[N] int group; vector[N] x; array[N] int<lower=0> y; }
parameters {
  vector[J] a; real mean_a; real<lower=0> sd_a; real slope; real<lower=0> shape;
  real zero_intercept; real zero_slope;
}
model {
  vector[N] eta = a[group] + slope * x;
  vector[N] zero = zero_intercept + zero_slope * x;
  for (i in 1:N) {
    if (y[i] == 0)
      target += log_sum_exp(log_inv_logit(zero[i]), log1m_inv_logit(zero[i]) + neg_binomial_2_log_lpmf(0 | eta[i], shape));
    else
      target += log1m_inv_logit(zero[i]) + neg_binomial_2_log_lpmf(y[i] | eta[i], shape);
  }
  mean_a ~ normal(0, 2); sd_a ~ cauchy(0, 1); slope ~ normal(0, 1); shape ~ gamma(2, 0.5);
  zero_intercept ~ normal(0, 2); zero_slope ~ normal(0, 1);
  a ~ normal(mean_a, sd_a);
}
