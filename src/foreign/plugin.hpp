// A target from a shared library of the user's, with the functions of starling/plugin.h.
#pragma once

#include "foreign/library.hpp"

#include <starling/error.hpp>
#include <starling/plugin.h>
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace starling::foreign {

class Plugin {
public:
  /// `data` is empty when there is none. Throws BadLibrary.
  Plugin(const std::string& file, const std::string& data, Threads& threads);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  std::size_t dim() const { return dim_; }
  const std::vector<std::string>& names() const { return names_; } ///< empty when it gives none

  /// Scores and log densities of all rows: one call for all, or one for each on all threads if the
  /// library allows that. A failure is a TargetError that names the row.
  void evaluate(Step k, Rows<const double> x, Rows<double> score, std::span<double> log_density);

  /// Rows of data that it is made of; 0: it is asked as a whole. The calls below are for one that
  /// has them. A failure is a TargetError.
  std::size_t data_rows() const { return data_rows_; }
  void likelihood(Rows<const double> x, std::span<const std::uint32_t> rows,
                  std::span<const double> weights, Rows<double> score,
                  std::span<double> log_likelihood);
  bool has_prior() const { return prior_ != nullptr; }
  void prior(Rows<const double> x, Rows<double> score, std::span<double> log_density);
  bool has_row_scores() const { return row_scores_ != nullptr; }
  void row_scores(std::span<const std::uint32_t> rows, std::span<const double> x,
                  Rows<double> scores);

  /// Scores of n rows that lie on a card, by work on that stream; where it has such a function for
  /// the type.
  template <typename Real>
  bool scores_on_card() const {
    return on_card(Real()) != nullptr;
  }
  template <typename Real>
  void score_on_card(Step k, std::size_t n, const Real* x, Real* score, void* stream) {
    call_on_card(k, [&] { return on_card(Real())(n, dim_, x, score, stream, user_); });
  }
  /// The same with log densities, in double.
  bool has_density_on_card() const { return density_on_card_ != nullptr; }
  void density_on_card(std::size_t n, const double* x, double* score, double* log_density,
                       void* stream) {
    call_on_card(0,
                 [&] { return density_on_card_(n, dim_, x, score, log_density, stream, user_); });
  }

private:
  auto on_card(float) const { return in_single_on_card_; }
  auto on_card(double) const { return in_double_on_card_; }
  void call_on_card(Step k, const std::function<int()>& call) const;
  std::string cause(int code) const;
  void close() noexcept;
  [[noreturn]] void blame(Step k, Rows<const double> x, Rows<double> score,
                          std::span<double> log_density, const std::string& of_all) const;

  Library library_;
  Threads& threads_;
  decltype(starling_log_density_all)* density_of_all_ = nullptr;
  decltype(starling_log_density)* density_of_one_ = nullptr;
  decltype(starling_log_likelihood_rows)* likelihood_ = nullptr;
  decltype(starling_log_prior)* prior_ = nullptr;
  decltype(starling_row_scores)* row_scores_ = nullptr;
  decltype(starling_score_on_device_single)* in_single_on_card_ = nullptr;
  decltype(starling_score_on_device_double)* in_double_on_card_ = nullptr;
  decltype(starling_log_density_on_device)* density_on_card_ = nullptr;
  decltype(starling_close)* close_ = nullptr;
  decltype(starling_error)* error_ = nullptr;
  void* user_ = nullptr;
  std::size_t dim_ = 0, data_rows_ = 0;
  std::vector<std::string> names_;
  bool on_all_threads_ = false;
};

} // namespace starling::foreign
