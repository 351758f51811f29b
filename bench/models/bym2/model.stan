// Counts of cases in regions of a map: spatial and unstructured effects with one scale and a mixing share.
data {
  int<lower=1> n; int<lower=1> m;
  array[m] int<lower=1, upper=n> from; array[m] int<lower=1, upper=n> to;
  array[n] int<lower=0> cases; vector<lower=0>[n] expected; vector[n] x;
  real<lower=0> scaling;
}
transformed data { vector[n] offset_log = log(expected); }
parameters {
  real alpha; real beta;
  real<lower=0> sigma; real<lower=0, upper=1> rho;
  vector[n] theta; vector[n] phi;
}
transformed parameters {
  vector[n] effect = sigma * (sqrt(1 - rho) * theta + sqrt(rho / scaling) * phi);
}
model {
  target += -0.5 * dot_self(phi[from] - phi[to]);
  sum(phi) ~ normal(0, 0.001 * n);
  theta ~ normal(0, 1);
  alpha ~ normal(0, 2); beta ~ normal(0, 1);
  sigma ~ normal(0, 1); rho ~ beta(0.5, 0.5);
  cases ~ poisson_log(offset_log + alpha + beta * x + effect);
}
