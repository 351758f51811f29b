// Two questions of one survey: the shares of four answers, and three correlated measurements.
data {
  array[4] int<lower=0> answers;
  int<lower=1> people;
  array[people] vector[3] measured;
}
parameters {
  simplex[4] share;
  vector[3] centre;
  vector<lower=0>[3] spread;
  corr_matrix[3] correlation;
}
model {
  share ~ dirichlet(rep_vector(2, 4));
  answers ~ multinomial(share);
  centre ~ normal(0, 10);
  spread ~ normal(0, 5);
  correlation ~ lkj_corr(2);
  measured ~ multi_normal(centre, quad_form_diag(correlation, spread));
}
generated quantities {
  matrix[3, 3] covariance = quad_form_diag(correlation, spread);
}
