// Eight schools, non-centred: the effect of coaching in each school, drawn from a common population.
data {
  int<lower=0> schools;
  vector[schools] effect;             // measured
  vector<lower=0>[schools] error;     // standard errors of the measurements
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[schools] z;
}
transformed parameters {
  vector[schools] theta = mu + tau * z;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  z ~ std_normal();
  effect ~ normal(theta, error);
}
