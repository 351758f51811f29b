// The head of a checkpoint, as JSON.
#include "run/flight_state.hpp"

#include "plan/config.hpp"

#include <starling/version.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <type_traits>

namespace starling::run {

namespace {

using Json = nlohmann::json;

Json to_json(const std::vector<judge::TraceRow>& trace) {
  Json list = Json::array();
  for (const judge::TraceRow& row : trace) {
    Json object;
    judge::for_each_column(row, [&](const char* name, const auto& value) { object[name] = value; });
    list.push_back(std::move(object));
  }
  return list;
}

judge::TraceRow row_from(const Json& object) {
  judge::TraceRow row;
  judge::for_each_column(row, [&](const char* name, auto& value) {
    using Value = std::decay_t<decltype(value)>;
    const Json& found = object.at(name);
    if constexpr (std::is_same_v<Value, double>)
      value = found.is_null() ? NAN : found.get<double>(); // JSON has no NaN
    else
      value = found.get<Value>();
  });
  return row;
}

} // namespace

std::string write_head(const Head& head) {
  const Timing& t = head.seconds;
  return Json{{"version", version},
              {"config", plan::write_config(head.recipe)},
              {"run", head.run},
              {"done", head.done},
              {"settled", head.settled},
              {"memories", head.memories},
              {"seconds", {t.total, t.deal, t.score, t.drift, t.advance}},
              {"trace", to_json(head.trace)},
              {"note", head.note}}
      .dump();
}

Head read_head(const io::Checkpoint& checkpoint, const std::string& where) {
  Head head;
  try {
    const Json json = Json::parse(checkpoint.head);
    plan::parse_config(json.at("config").get<std::string>(), where, head.recipe);
    head.run = json.at("run").get<std::uint64_t>();
    head.done = json.at("done").get<Step>();
    head.settled = json.at("settled").get<bool>();
    head.memories = json.at("memories").get<std::size_t>();
    const auto t = json.at("seconds").get<std::vector<double>>();
    head.seconds = {t.at(0), t.at(1), t.at(2), t.at(3), t.at(4)};
    for (const Json& row : json.at("trace"))
      head.trace.push_back(row_from(row));
    head.note = json.at("note").get<std::string>();
  } catch (const std::exception& error) { // whole, as its checksum says, but not ours
    throw io::BadData(where, std::string("is a checkpoint of another version of starling: ") + error.what());
  }
  return head;
}

Saved saved(const io::Checkpoint& checkpoint, const std::string& where) {
  const Head head = read_head(checkpoint, where);
  return {head.recipe, head.run, head.done, head.note};
}

} // namespace starling::run
