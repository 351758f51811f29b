// Results of parts of experiments on disk, so that a run that was cut off goes on where it was.
#include "parts.hpp"

#include "io/errors.hpp"
#include "io/text.hpp"
#include "io/whole_file.hpp"

#include <starling/cpu/level.hpp>
#include <starling/version.hpp>

#include <chrono>
#include <utility>

namespace starling::reproduce {

Parts::Parts(std::filesystem::path folder, std::function<void(const std::string&)> announce,
             std::function<bool()> interrupted)
    : folder_(std::move(folder)), announce_(std::move(announce)),
      interrupted_(std::move(interrupted)) {}

Parts::Json Parts::get(const std::string& key, const Json& settings,
                       const std::function<Json()>& compute) {
  const auto stop_if_asked = [&] {
    if (interrupted_ && interrupted_())
      throw Interrupted();
  };
  stop_if_asked();
  // What a part depends on, as it reads back from a file: numbers keep their last digit.
  const Json wanted = Json::parse(
      Json{{"version", version}, {"simd", cpu::level()}, {"settings", settings}}.dump());
  const std::filesystem::path file = folder_ / (key + ".json");
  try {
    const Json kept = Json::parse(io::read_bytes(file));
    if (kept.at("of") == wanted) {
      seconds_saved_ += kept.at("seconds").get<double>();
      return kept.at("result");
    }
  } catch (const io::InputMissing&) { // not measured yet
  } catch (const Json::exception&) {  // not one of ours, or damaged: measured again
  }
  if (announce_)
    announce_(key);
  const auto begin = std::chrono::steady_clock::now();
  Json part = {{"of", wanted}, {"seconds", 0.0}, {"result", compute()}};
  part["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::string text = part.dump();
  io::write_whole(file, text + "\n");
  stop_if_asked();
  return Json::parse(text).at("result"); // the same whether it was measured now or before
}

} // namespace starling::reproduce
