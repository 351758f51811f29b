// Calling the functions of a plugin.
#include "foreign/plugin.hpp"

namespace starling::foreign {

namespace {

constexpr std::size_t at_a_time =
    16; // particles handed to a thread at a time: a density may be slow

/// What a plugin in C++ throws through its C functions, in words. In a handler.
std::string thrown() {
  try {
    throw;
  } catch (const std::exception& error) {
    return "the plugin threw: " + one_line(error.what());
  } catch (...) {
    return "the plugin threw something that is not a std::exception";
  }
}

/// It is a failure like any other.
template <typename Call>
int caught(Step k, std::size_t particle, Call&& call) {
  try {
    return call();
  } catch (...) {
    throw TargetError(k, particle, thrown());
  }
}

/// The same before there are particles.
template <typename Call>
auto caught_in(const std::string& file, const char* function, Call&& call) {
  try {
    return call();
  } catch (...) {
    throw BadLibrary(file, std::string(function) + ": " + thrown());
  }
}

} // namespace

Plugin::Plugin(const std::string& file, const std::string& data, Threads& threads)
    : library_(file), threads_(threads) {
  decltype(starling_dim)* dim_of = nullptr;
  decltype(starling_open)* open_with = nullptr;
  decltype(starling_name)* name_of = nullptr;
  decltype(starling_threads_ok)* threads_ok = nullptr;
  library_.require("starling_dim", dim_of);
  library_.find("starling_log_density_all", density_of_all_);
  library_.find("starling_log_density", density_of_one_);
  library_.find("starling_open", open_with);
  library_.find("starling_name", name_of);
  library_.find("starling_threads_ok", threads_ok);
  decltype(starling_rows)* rows_of = nullptr;
  library_.find("starling_error", error_);
  library_.find("starling_rows", rows_of);
  library_.find("starling_log_likelihood_rows", likelihood_);
  library_.find("starling_log_prior", prior_);
  library_.find("starling_row_scores", row_scores_);
  library_.find("starling_score_on_device_single", in_single_on_card_);
  library_.find("starling_score_on_device_double", in_double_on_card_);
  library_.find("starling_log_density_on_device", density_on_card_);
  if (!density_of_all_ && !density_of_one_ && !likelihood_)
    throw BadLibrary(file, "must export starling_log_density_all, starling_log_density or "
                           "starling_log_likelihood_rows; got a library without them");
  if ((likelihood_ == nullptr) != (rows_of == nullptr))
    throw BadLibrary(
        file,
        "must export starling_rows and starling_log_likelihood_rows, or neither; got one of them");
  if (!open_with && !data.empty())
    throw BadLibrary(file, "must export starling_open to be given data; got a library without it");

  if (open_with)
    if (const int code =
            caught_in(file, "starling_open",
                      [&] { return open_with(data.empty() ? nullptr : data.c_str(), &user_); });
        code != 0)
      throw BadLibrary(data.empty() ? file : data, cause(code));
  library_.find("starling_close", close_); // only from here on is there something to close
  try {
    dim_ = caught_in(file, "starling_dim", [&] { return dim_of(user_); });
    if (dim_ == 0)
      throw BadLibrary(file, "starling_dim: must be at least 1; got 0");
    if (rows_of)
      data_rows_ = caught_in(file, "starling_rows", [&] { return rows_of(user_); });
    if (rows_of && data_rows_ == 0)
      throw BadLibrary(file, "starling_rows: must be at least 1; got 0");
    for (std::size_t a = 0; name_of && a < dim_; ++a) {
      const char* text = caught_in(file, "starling_name", [&] { return name_of(a, user_); });
      names_.push_back(text ? one_line(text) : "x[" + std::to_string(a + 1) + "]");
    }
    on_all_threads_ = threads_ok && caught_in(file, "starling_threads_ok",
                                              [&] { return threads_ok(user_); }) != 0;
  } catch (...) {
    close();
    throw;
  }
}

Plugin::~Plugin() { close(); }

void Plugin::close() noexcept {
  if (close_)
    try {
      close_(user_);
    } catch (...) { // there is nothing left that it could spoil
    }
}

void Plugin::evaluate(Step k, Rows<const double> x, Rows<double> score,
                      std::span<double> log_density) {
  if (density_of_all_) {
    const int code = caught(k, 0, [&] {
      return density_of_all_(x.count, x.dim, x.data, score.data, log_density.data(), user_);
    });
    if (code != 0)
      blame(k, x, score, log_density, cause(code));
    return;
  }
  const auto some = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const int code = caught(k, i, [&] {
        return density_of_one_(x.dim, x[i].data(), score[i].data(), &log_density[i], user_);
      });
      if (code != 0)
        throw TargetError(k, i, cause(code));
    }
  };
  on_all_threads_ ? threads_.for_pieces(x.count, at_a_time, some) : some(0, x.count);
}

void Plugin::likelihood(Rows<const double> x, std::span<const std::uint32_t> rows,
                        std::span<const double> weights, Rows<double> score,
                        std::span<double> log_likelihood) {
  const auto some = [&](std::size_t begin, std::size_t end) {
    const Rows<const double> at = x.slice(begin, end);
    const int code = caught(0, begin, [&] {
      return likelihood_(at.count, at.dim, at.data, rows.size(), rows.data(), weights.data(),
                         score.slice(begin, end).data, log_likelihood.data() + begin, user_);
    });
    if (code != 0)
      throw TargetError(0, begin, cause(code));
  };
  on_all_threads_ ? threads_.for_pieces(x.count, at_a_time, some) : some(0, x.count);
}

void Plugin::prior(Rows<const double> x, Rows<double> score, std::span<double> log_density) {
  const int code = caught(
      0, 0, [&] { return prior_(x.count, x.dim, x.data, score.data, log_density.data(), user_); });
  if (code != 0)
    throw TargetError(0, 0, cause(code));
}

void Plugin::row_scores(std::span<const std::uint32_t> rows, std::span<const double> x,
                        Rows<double> scores) {
  const int code = caught(0, 0, [&] {
    return row_scores_(x.size(), x.data(), rows.size(), rows.data(), scores.data, user_);
  });
  if (code != 0)
    throw TargetError(0, 0, cause(code));
}

void Plugin::call_on_card(Step k, const std::function<int()>& call) const {
  if (const int code = caught(k, 0, call); code != 0)
    throw TargetError(k, 0, cause(code) + " (for all particles at once, on the GPU)");
}

std::string Plugin::cause(int code) const {
  std::string line;
  try {
    const char* text = error_ ? error_(user_) : nullptr;
    line = text ? one_line(text) : std::string();
  } catch (...) { // that it failed is known
  }
  return line.empty() ? "the plugin returned " + std::to_string(code) : line;
}

/// Asks for one particle at a time, until one fails.
void Plugin::blame(Step k, Rows<const double> x, Rows<double> score, std::span<double> log_density,
                   const std::string& of_all) const {
  for (std::size_t i = 0; i < x.count; ++i) {
    const int code = caught(k, i, [&] {
      return density_of_all_(1, x.dim, x[i].data(), score[i].data(), &log_density[i], user_);
    });
    if (code != 0)
      throw TargetError(k, i, cause(code));
  }
  throw TargetError(k, 0, of_all + " (for all particles at once)");
}

} // namespace starling::foreign
