// The head of a checkpoint, as JSON, and whether the columns bear it out.
#include "run/state.hpp"

#include <starling/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <set>
#include <stdexcept>
#include <type_traits>

namespace starling::run {

namespace {

using Json = nlohmann::json;

// JSON has neither NaN nor infinities; a look may have seen both, and verdicts rest on looks.
Json number(double value) {
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return std::isnan(value) ? Json(nullptr) : Json(value);
}

double number_from(const Json& json) {
  if (json.is_string())
    return json.get<std::string>() == "inf" ? INFINITY : -INFINITY;
  return json.is_null() ? NAN : json.get<double>();
}

Json to_json(const std::vector<judge::TraceRow>& trace) {
  Json list = Json::array();
  for (const judge::TraceRow& row : trace) {
    Json object = Json::object();
    judge::for_each_column(row, [&](const char* name, const auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
        object[name] = number(value);
      else if constexpr (std::is_same_v<std::decay_t<decltype(value)>,
                                        std::optional<judge::Verdict>>)
        object[name] = value ? judge::word(*value) : "";
      else
        object[name] = value;
    });
    list.push_back(std::move(object));
  }
  return list;
}

/// A number of 1e30 would be converted to something; so would -1.
std::uint64_t whole(const Json& json) {
  if (!json.is_number_unsigned())
    throw std::invalid_argument("must be a whole number; got " +
                                json.dump(-1, ' ', true, Json::error_handler_t::replace));
  return json.get<std::uint64_t>();
}

/// None for an empty text.
std::optional<judge::Verdict> verdict_from(const Json& json) {
  const auto text = json.get<std::string>();
  const std::optional<judge::Verdict> verdict = judge::verdict_from(text);
  if (!verdict && !text.empty())
    throw std::invalid_argument("must be a verdict; got " +
                                json.dump(-1, ' ', true, Json::error_handler_t::replace));
  return verdict;
}

judge::TraceRow row_from(const Json& object) {
  judge::TraceRow row;
  judge::for_each_column(row, [&](const char* name, auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, double>)
      value = number_from(object.at(name));
    else if constexpr (std::is_unsigned_v<Value> && !std::is_same_v<Value, bool>)
      value = static_cast<Value>(whole(object.at(name)));
    else
      value = verdict_from(object.at(name));
  });
  return row;
}

/// Every column of the ensemble has as many bytes as the head says.
void check_columns(const Checkpoint& checkpoint, const Head& head, const std::string& where) {
  const Saved& s = head.saved;
  if (s.particles == 0 || s.dim == 0)
    throw io::BadData(where,
                      fmt::format("must hold at least one particle in one dimension; got {} in {}",
                                  s.particles, s.dim));
  std::set<std::string> seen;
  for (const auto& [name, bytes] : checkpoint.columns)
    if (!seen.insert(name).second)
      throw io::BadData(where, fmt::format("has two columns '{}'", name));
  const auto expect = [&](const std::string& name, std::size_t width, std::size_t size) {
    const std::string* found = checkpoint.find(name);
    const std::size_t row =
        found ? found->size() / s.particles : 0; // no product: it might overflow
    if (!found || found->size() % s.particles != 0 || row % size != 0 || row / size != width)
      refuse_other_shape(where, s.particles, s.dim, s.single, name);
  };
  const std::size_t real = s.single ? sizeof(float) : sizeof(double);
  expect("position", s.dim, real);
  if (head.memories > checkpoint.columns.size())
    refuse_other_shape(where, s.particles, s.dim, s.single, "memory");
  for (std::size_t c = 0; c < head.memories; ++c)
    expect(fmt::format("memory {}", c), s.dim, real);
  expect("moves", 1, sizeof(std::uint32_t));
  expect("id", 1, sizeof(std::uint64_t));
}

/// Rows are put in order by their ids: an id that is none would be written to some other memory.
void check_ids(const Checkpoint& checkpoint, std::size_t particles, const std::string& where) {
  std::vector<std::uint64_t> ids(particles);
  checkpoint.take("id", std::span(ids));
  std::vector<bool> seen(particles);
  for (const std::uint64_t id : ids) {
    if (id >= particles || seen[id])
      throw io::BadData(where, fmt::format("must hold each of the ids 0 to {} once; got {}{}",
                                           particles - 1, id, id < particles ? " twice" : ""));
    seen[id] = true;
  }
}

} // namespace

void refuse_other_shape(const std::string& where, std::size_t particles, std::size_t dim,
                        bool single, const std::string& column) {
  throw io::BadData(
      where,
      fmt::format(
          "is not of {} particles in {} dimensions, in {} precision: its column '{}' does not fit",
          particles, dim, single ? "single" : "double", column));
}

Checkpoint with_head(const Head& head) {
  const Timing& t = head.seconds;
  const Saved& s = head.saved;
  Checkpoint checkpoint;
  checkpoint.head = Json{{"version", version},
                         {"particles", s.particles},
                         {"dim", s.dim},
                         {"single", s.single},
                         {"seed", s.seed},
                         {"run", s.run},
                         {"done", s.done},
                         {"settled", head.settled},
                         {"memories", head.memories},
                         {"seconds", {t.total, t.deal, t.score, t.drift, t.advance, t.look}},
                         {"trace", to_json(head.trace)}}
                        .dump();
  checkpoint.add_text("identity", s.identity);
  checkpoint.add_text("note", s.note);
  return checkpoint;
}

Head read_head(const Checkpoint& checkpoint, const std::string& where) {
  Head head;
  Saved& s = head.saved;
  try {
    const Json json = Json::parse(checkpoint.head);
    s.particles = whole(json.at("particles"));
    s.dim = whole(json.at("dim"));
    s.single = json.at("single").get<bool>();
    s.seed = whole(json.at("seed"));
    s.run = whole(json.at("run"));
    s.done = whole(json.at("done"));
    head.settled = json.at("settled").get<bool>();
    head.memories = whole(json.at("memories"));
    const auto t = json.at("seconds").get<std::vector<double>>();
    head.seconds = {t.at(0), t.at(1), t.at(2), t.at(3), t.at(4), t.size() > 5 ? t[5] : 0.0};
    for (const Json& row : json.at("trace"))
      head.trace.push_back(row_from(row));
  } catch (const std::exception& error) { // whole, as its checksum says, but not ours
    throw io::BadData(where, std::string("is a checkpoint of another version of starling: ") +
                                 error.what());
  }
  check_columns(checkpoint, head, where);
  check_ids(checkpoint, s.particles, where);
  for (const auto& [name, text] :
       {std::pair("identity", &s.identity), std::pair("note", &s.note)}) {
    const std::string* found = checkpoint.find(name);
    if (!found)
      throw io::BadData(where, fmt::format("has no column '{}'", name));
    *text = *found;
  }
  return head;
}

Head read_head_for(const Settings& settings, std::size_t dim, bool single,
                   const Checkpoint& checkpoint, const std::string& where) {
  Head head = read_head(checkpoint, where);
  if (head.saved.particles != settings.particles || head.saved.dim != dim ||
      head.saved.single != single)
    refuse_other_shape(where, settings.particles, dim, single, "position");
  if (head.saved.seed != settings.seed || head.saved.run != settings.run)
    throw io::BadData(
        where, fmt::format("was saved by run {2} of seed {3}; this is run {0} of seed {1}",
                           settings.run + 1, settings.seed, head.saved.run + 1, head.saved.seed));
  return head;
}

Saved saved(const Checkpoint& checkpoint, const std::string& where) {
  return read_head(checkpoint, where).saved;
}

std::vector<double> positions_in(const Checkpoint& checkpoint, const std::string& where) {
  const Saved s = saved(checkpoint, where);
  std::vector<std::uint64_t> id(s.particles);
  checkpoint.take("id", std::span(id));
  std::vector<double> home(s.particles * s.dim);
  const auto read = [&]<typename Number>(Number) {
    std::vector<Number> values(home.size());
    checkpoint.take("position", std::span(values));
    for (std::size_t n = 0; n < values.size(); ++n)
      home[id[n / s.dim] * s.dim + n % s.dim] = static_cast<double>(values[n]);
  };
  s.single ? read(float()) : read(double());
  return home;
}

} // namespace starling::run
