// Where the libraries made for these tests are, and rows of positions to try them on.
#pragma once

#include "foreign/library.hpp"

#include <starling/random/start.hpp>

#include <string>
#include <vector>

namespace starling::foreign {

inline std::string library(const std::string& name) {
  return std::string(STARLING_TEST_LIBRARIES) + "/" + name + ".so";
}

/// What a function of the library that takes nothing returns: a count that it keeps for the tests.
template <typename Result>
Result ask(const std::string& name, const char* function) {
  Result (*f)() = nullptr;
  Library(library(name)).require(function, f);
  return f();
}

/// Positions, and room for what a model says about them.
struct Cloud {
  Cloud(std::size_t count, std::size_t dim, double sd = 1)
      : x(count * dim), score(count * dim, 99),
        density(count, 99), rows{x.data(), count, dim}, scores{score.data(), count, dim} {
    start_normal(rows, 1, 0, sd);
  }
  Cloud(const Cloud&) = delete;

  std::vector<double> score_of(std::size_t i) const { return {scores[i].begin(), scores[i].end()}; }

  std::vector<double> x, score, density;
  Rows<double> rows, scores;
};

/// The words of the exception that it throws; none: "nothing was thrown".
template <typename Error, typename F>
std::string thrown_by(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

} // namespace starling::foreign
