// What an experiment is here: a place in the paper, a question, and a measurement that ends in
// claims.
#pragma once

#include "parts.hpp"

#include <starling/threads.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace starling::reproduce {

using Json = nlohmann::ordered_json;

/// What a measurement gets. Quick means fewer starts and smaller sizes, the same code and claims.
struct Scope {
  bool quick = false;
  Threads& threads;                ///< all cores; starts run side by side on them, one thread each
  std::filesystem::path covertype; ///< the data file; empty: none given
  Parts& parts; ///< what was measured already, by an earlier run that was cut off
};

/// Whether something the paper says was seen. Unclear: the sampling error is too large to decide.
enum class Verdict { holds, differs, unclear };

/// One thing the paper says, beside what was measured.
struct Claim {
  std::string says;     ///< in a sentence of our own
  std::string where;    ///< "Table 1", "section 4.1", "Lemma 1"
  std::string measured; ///< in words, with figures and errors
  Verdict verdict = Verdict::unclear;
  std::string because; ///< the rule by which the verdict fell; where we differ, why
};

/// holds when |value - expected| <= tolerance * error; unclear when the error exceeds the least
/// difference that would matter.
Claim claim_near(std::string says, std::string where, double value, double error, double expected,
                 double tolerance, double matters);

/// "a is less than b": holds or differs when the difference exceeds twice its error, else unclear.
Claim claim_less(std::string says, std::string where, double a, double error_of_a, double b,
                 double error_of_b);

std::string to_text(Verdict verdict);
Json to_json(const Claim& claim);

/// Of claims as JSON: "differs" when one differs, "holds" when all hold, else "unclear".
std::string verdict_on_all(const Json& claims);

/// An entry of the list: `measure` returns {"settings": {...}, "data": {...}, "claims": [...]}.
struct Experiment {
  std::string name;     ///< "mixture-error"
  std::string title;    ///< a heading for people
  std::string paper;    ///< "Figure 2"
  std::string question; ///< what a reader wants to know, in a sentence
  Json (*measure)(Scope& scope);
};

/// All of them, in the order of the report.
const std::vector<Experiment>& experiments();

Json measure_mixture_density(Scope& scope);
Json measure_mixture_error(Scope& scope);
Json measure_mixture_runtime(Scope& scope);
Json measure_logistic_accuracy(Scope& scope);
Json measure_logistic_runtime(Scope& scope);
Json measure_lemma(Scope& scope);
Json measure_theorem(Scope& scope);
Json measure_algorithm_2(Scope& scope);
Json measure_growing_batch(Scope& scope);

} // namespace starling::reproduce
