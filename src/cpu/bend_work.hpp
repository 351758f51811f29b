// What bends need in vectors, as plain numbers and pointers: residuals of a fit and their slopes,
// and curves along rows.
#pragma once

#include <cstddef>

namespace starling::cpu {

/// Rows of a fit come in multiples of this; those beyond the data are zero, and then add nothing.
inline constexpr std::size_t fitted_together = 8;

/// One dependent at each row. Its mean and the logarithm of its width are sums of columns of
/// features, `rows` numbers each; its residual is
///     r = exp(u) score + t,   t = (z - mu) / exp(u),   u within +-widest
struct DependentRows {
  std::size_t rows;
  const double* features;
  const double *mean, *log_width; ///< a number for each of the first columns
  std::size_t means, widths;
  const double *z, *score;
  double widest;
  double cap; ///< of a squared residual
};

/// Mean, width and slopes of a dependent of 1 to 3 controllers, at each row. With k controllers c
/// the mean is mean[0] + sum of mean[1 + a] c_a + mean[1 + k + a] (c_a^2 - 1), and then of the
/// products c_a c_b, a < b; the logarithm of the width is the same without products.
struct DependentCurves {
  std::size_t rows, controllers;
  const double* c[3];
  const double *mean, *log_width;
  double widest;
};

/// Columns of the rows' numbers.
struct BendWork {
  /// Sum of the squared residuals, each at most the cap.
  double (*cost)(const DependentRows&);
  /// The same, and slopes of r along the first `of_mean` numbers of the mean and `of_width` of the
  /// width, then r: column after column. Zero where the squared residual has reached the cap; r is
  /// not.
  double (*slopes)(const DependentRows&, std::size_t of_mean, std::size_t of_width, double* to);
  /// Inner products of columns, `count` a multiple of 4: to[i * count + j] for j from i on.
  void (*products)(const double* columns, std::size_t rows, std::size_t count, double* to);
  /// z held within the bound: value = z / r, slope = r^-9, r = (1 + (z / bound)^8)^(1/8).
  void (*hold)(const double* z, std::size_t rows, double bound, double* value, double* slope);
  /// own = mu + exp(u) own.
  void (*bend)(const DependentCurves&, double* own);
  /// own = (own - mu) exp(-u).
  void (*straighten)(const DependentCurves&, double* own);
  /// log_width += u.
  void (*widths)(const DependentCurves&, double* log_width);
  /// Of scores in z to scores in t: adds to `at[a]`, the score of controller a, `bounds[a]` times
  /// its slope of the log density with log determinant; then own *= exp(u).
  void (*pull)(const DependentCurves&, const double* t, double* own, const double* const bounds[3],
               double* const at[3]);
};

/// Of the SIMD level in use.
const BendWork& bend_work_in_use();

} // namespace starling::cpu
