// A local linear trend: level and slope are random walks; innovations are standardised.
data { int T; vector[T] y; }
parameters {
  real level_0; real slope_0;
  real<lower=0> s_level; real<lower=0> s_slope; real<lower=0> s_obs;
  vector[T] z_level; vector[T] z_slope;
}
transformed parameters {
  vector[T] slope = slope_0 + s_slope * cumulative_sum(z_slope);
  vector[T] level = level_0 + cumulative_sum(slope) + s_level * cumulative_sum(z_level);
}
model {
  level_0 ~ normal(5, 5); slope_0 ~ normal(0, 1);
  s_level ~ normal(0, 1); s_slope ~ normal(0, 0.5); s_obs ~ normal(0, 1);
  z_level ~ std_normal(); z_slope ~ std_normal();
  y ~ normal(level, s_obs);
}
