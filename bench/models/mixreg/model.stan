// Two lines through one cloud of points; the intercepts are ordered.
data { int N; vector[N] x; vector[N] y; }
parameters {
  ordered[2] intercept; vector[2] slope; vector<lower=0>[2] sigma; real<lower=0, upper=1> share;
}
model {
  intercept ~ normal(0, 2); slope ~ normal(0, 2); sigma ~ normal(0, 2); share ~ beta(2, 2);
  for (i in 1:N)
    target += log_mix(share, normal_lpdf(y[i] | intercept[1] + slope[1] * x[i], sigma[1]),
                      normal_lpdf(y[i] | intercept[2] + slope[2] * x[i], sigma[2]));
}
