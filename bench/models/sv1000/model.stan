// Stochastic volatility of a thousand returns; innovations are standardised.
data { int T; vector[T] y; }
parameters { real mu; real<lower=0, upper=1> persist; real<lower=0> sigma; vector[T] eps; }
transformed parameters {
  real phi = 2 * persist - 1;
  vector[T] h;
  h[1] = mu + sigma / sqrt(1 - square(phi)) * eps[1];
  for (t in 2:T) h[t] = mu + phi * (h[t - 1] - mu) + sigma * eps[t];
}
model {
  mu ~ normal(0, 5); persist ~ beta(20, 1.5); sigma ~ normal(0, 1); eps ~ std_normal();
  y ~ normal(0, exp(0.5 * h));
}
