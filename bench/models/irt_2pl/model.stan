// Answers of persons to items, two-parameter logistic.
data { int persons; int items; array[persons, items] int<lower=0, upper=1> y; }
parameters {
  vector[persons] ability;
  vector<lower=0>[items] discrimination; vector[items] difficulty;
  real mean_difficulty; real<lower=0> sd_difficulty; real<lower=0> sd_discrimination;
}
model {
  ability ~ normal(0, 1);
  discrimination ~ lognormal(0, sd_discrimination);
  difficulty ~ normal(mean_difficulty, sd_difficulty);
  mean_difficulty ~ normal(0, 2); sd_difficulty ~ cauchy(0, 2); sd_discrimination ~ cauchy(0, 1);
  for (i in 1:items) y[, i] ~ bernoulli_logit(discrimination[i] * (ability - difficulty[i]));
}
