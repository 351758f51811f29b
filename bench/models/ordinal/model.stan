// Ordered ratings in groups, centred.
data { int N; int J; int C; array[N] int group; matrix[N, 2] X; array[N] int<lower=1, upper=C> y; }
parameters { vector[2] beta; ordered[C - 1] cut; vector[J] u; real<lower=0> tau; }
model {
  beta ~ normal(0, 2); cut ~ normal(0, 3); tau ~ student_t(3, 0, 2); u ~ normal(0, tau);
  y ~ ordered_logistic(X * beta + u[group], cut);
}
