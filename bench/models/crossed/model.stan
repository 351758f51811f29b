// Right or wrong answers: subjects and items crossed, and an effect of the condition that varies by subject.
data {
  int N; int subjects; int items;
  array[N] int<lower=1> subject; array[N] int<lower=1> item; vector[N] condition;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real intercept; real effect;
  real<lower=0> sd_subject; real<lower=0> sd_item; real<lower=0> sd_effect;
  vector[subjects] z_subject; vector[items] z_item; vector[subjects] z_effect;
}
transformed parameters {
  vector[subjects] u = sd_subject * z_subject;
  vector[items] w = sd_item * z_item;
  vector[subjects] v = effect + sd_effect * z_effect;
}
model {
  intercept ~ normal(0, 1.5); effect ~ normal(0, 1);
  sd_subject ~ normal(0, 1); sd_item ~ normal(0, 1); sd_effect ~ normal(0, 1);
  z_subject ~ std_normal(); z_item ~ std_normal(); z_effect ~ std_normal();
  y ~ bernoulli_logit(intercept + u[subject] + w[item] + v[subject] .* condition);
}
