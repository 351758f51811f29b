// Four groups, each with three parts: scales that the data hardly tell.
data { int N; int G; int P; array[P] int group; array[N] int part; vector[N] y; }
parameters {
  real mu; real<lower=0> tau_group; real<lower=0> tau_part; real<lower=0> sigma;
  vector[G] z_group; vector[P] z_part;
}
transformed parameters {
  vector[G] a = tau_group * z_group;
  vector[P] b = tau_part * z_part;
}
model {
  mu ~ normal(0, 20); tau_group ~ cauchy(0, 5); tau_part ~ cauchy(0, 5); sigma ~ cauchy(0, 5);
  z_group ~ std_normal(); z_part ~ std_normal();
  y ~ normal(mu + (a[group] + b)[part], sigma);
}
