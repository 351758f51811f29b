// Exceptions as texts, and back.
#include "mpi/agreement.hpp"

#include <starling/error.hpp>

#include <nlohmann/json.hpp>

namespace starling::mpi {

namespace {

using Json = nlohmann::json;

std::string in_words(const std::exception_ptr& caught) {
  Json said;
  try {
    std::rethrow_exception(caught);
  } catch (const TargetError& error) {
    said = {{"kind", "target"},
            {"step", error.step()},
            {"particle", error.particle()},
            {"text", error.cause()}};
  } catch (const Diverged& error) {
    said = {{"kind", "diverged"},
            {"step", error.step()},
            {"particle", error.particle()},
            {"text", error.parameter()}};
  } catch (const std::invalid_argument& error) {
    said = {{"kind", "asked"}, {"text", error.what()}};
  } catch (const DoesNotFit& error) {
    said = {{"kind", "fit"}, {"text", error.what()}};
  } catch (const std::bad_alloc& error) {
    said = {{"kind", "memory"}, {"text", error.what()}};
  } catch (const std::exception& error) {
    said = {{"kind", "other"}, {"text", error.what()}};
  } catch (...) {
    said = {{"kind", "other"}, {"text", "the target threw something that is not a std::exception"}};
  }
  return said.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// What stays the same while a failure goes up: the caller of a target counts rows otherwise.
std::string mark_of(const std::exception_ptr& failure) {
  const Json said = Json::parse(in_words(failure));
  return said.at("kind").get<std::string>() + ": " + said.at("text").get<std::string>();
}

[[noreturn]] void rethrow(const std::string& words) {
  const Json said = Json::parse(words);
  const std::string kind = said.at("kind"), text = said.at("text");
  if (kind == "target")
    throw TargetError(said.at("step"), said.at("particle"), text);
  if (kind == "diverged")
    throw Diverged(said.at("step"), said.at("particle"), text);
  if (kind == "asked")
    throw std::invalid_argument(text);
  if (kind == "fit")
    throw DoesNotFit(text);
  if (kind == "memory")
    throw std::bad_alloc();
  throw std::runtime_error(text);
}

} // namespace

bool failure_agreed(const Wire& wire, const std::exception_ptr& failure) {
  return failure && !wire.agreed_failure.empty() && wire.agreed_failure == mark_of(failure);
}

void note_agreed(Wire& wire, const std::exception_ptr& failure, std::size_t origin) {
  wire.agreed_failure = mark_of(failure);
  wire.origin = origin;
}

void agree(Wire& wire, std::exception_ptr mine) {
  if (wire.size() == 1) {
    if (mine)
      std::rethrow_exception(mine);
    return;
  }
  if (failure_agreed(wire, mine)) // thrown on all ranks, and on its way up
    std::rethrow_exception(mine);
  wire.agreed_failure.clear();
  if (!any(wire, mine != nullptr))
    return;
  const std::vector<std::string> all = all_texts(wire, mine ? in_words(mine) : std::string());
  for (std::size_t r = 0; r < all.size(); ++r)
    if (!all[r].empty()) {
      try {
        if (r == wire.rank())
          std::rethrow_exception(mine);
        rethrow(all[r]);
      } catch (...) {
        note_agreed(wire, std::current_exception(), r);
        throw;
      }
    }
}

} // namespace starling::mpi
