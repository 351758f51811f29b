// Exceptions as texts, and back.
#include "mpi/agreement.hpp"

#include <starling/error.hpp>

#include <nlohmann/json.hpp>

namespace starling::mpi {

namespace {

using Json = nlohmann::json;

/// The name is what the text has more than one without a name.
std::string parameter_of(const Diverged& error) {
  const std::string text = error.what(), bare = Diverged(error.step(), error.particle(), "").what(),
                    before = ", parameter ";
  return text.substr(bare.find(before) + before.size(), text.size() - bare.size());
}

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
            {"text", parameter_of(error)}};
  } catch (const std::invalid_argument& error) {
    said = {{"kind", "asked"}, {"text", error.what()}};
  } catch (const DoesNotFit& error) {
    said = {{"kind", "fit"}, {"text", error.what()}};
  } catch (const std::bad_alloc& error) {
    said = {{"kind", "memory"}, {"text", error.what()}};
  } catch (const std::exception& error) {
    said = {{"kind", "other"}, {"text", error.what()}};
  } catch (...) {
    said = {{"kind", "other"}, {"text", "the target threw something that is no std::exception"}};
  }
  return said.dump(-1, ' ', true, Json::error_handler_t::replace);
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

void agree(Wire& wire, std::exception_ptr mine) {
  if (wire.size() == 1) {
    if (mine)
      std::rethrow_exception(mine);
    return;
  }
  if (mine && wire.all_know) // thrown on all ranks, and on its way up
    std::rethrow_exception(mine);
  wire.all_know = false;
  if (!any(wire, mine != nullptr))
    return;
  const std::vector<std::string> all = all_texts(wire, mine ? in_words(mine) : std::string());
  wire.all_know = true;
  for (std::size_t r = 0; r < all.size(); ++r)
    if (!all[r].empty()) {
      wire.origin = r;
      if (r == wire.rank())
        std::rethrow_exception(mine);
      rethrow(all[r]);
    }
}

} // namespace starling::mpi
