// Logistic regression with a common scale of the coefficients, learnt from the data.
data {
  int<lower=1> rows;
  int<lower=1> features;
  matrix[rows, features] x;
  array[rows] int<lower=0, upper=1> y;
}
parameters {
  real intercept;
  vector[features] beta;
  real<lower=0> scale;
}
model {
  intercept ~ normal(0, 5);
  scale ~ normal(0, 2);
  beta ~ normal(0, scale);
  y ~ bernoulli_logit_glm(x, intercept, beta);
}
generated quantities {
  real share = mean(inv_logit(intercept + x * beta)); // of ones that the model expects
}
