// How large a batch is, and how it grows.
#include "plan/batch.hpp"

#include "plan/names.hpp"
#include "plan/spec.hpp"

#include <starling/error.hpp>

namespace starling::plan {

namespace {

BatchSize growing(const std::string& text, std::size_t p) {
  const auto [rule, argument] = parse_named(text);
  if (choose("grow-batch", rule, {"double", "power"}) == 0)
    return BatchSize::doubling(p, parse_count("grow-batch double:K", argument, 1));
  const double power = parse_number("grow-batch power:G", argument);
  if (!(power >= 0))
    reject("grow-batch power:G", "at least 0", "'" + argument + "'");
  return BatchSize::power(p, power);
}

} // namespace

std::optional<std::size_t> parse_batch(std::string_view text) {
  if (text == "all")
    return std::nullopt;
  return parse_count("batch", text, 2);
}

void resolve_batch(const Recipe& r, Plan& plan) {
  std::string text = r.batch;
  if (text.empty())
    text = r.particles < 8 ? "all" : "8";
  plan.recipe.batch = text;
  const std::optional<std::size_t> p = parse_batch(text);
  if (!p) {
    if (!r.grow_batch.empty())
      refuse("grow-batch", "cannot be used with --batch all, which cannot grow");
    if (plan.replace)
      refuse("replace", "needs a batch smaller than all of the particles; got --batch all");
    return;
  }
  if (*p > r.particles)
    reject("batch", "at most the number of particles, " + std::to_string(r.particles), text);
  plan.recipe.batch = std::to_string(*p);
  plan.batch = BatchSize(*p);
  if (r.grow_batch.empty())
    return;
  if (plan.replace)
    refuse("grow-batch", "cannot be used with --replace");
  plan.batch = growing(r.grow_batch, *p);
  plan.grows = true;
}

} // namespace starling::plan
