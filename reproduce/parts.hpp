// Results of parts of experiments on disk, so that a run that was cut off goes on where it was.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>

namespace starling::reproduce {

/// Thrown between parts when the user asked to stop; everything finished so far is on disk.
struct Interrupted {};

/// DIR/parts/KEY.json, one file per part, written at once or not at all.
class Parts {
public:
  using Json = nlohmann::ordered_json;

  /// `announce(key)` is told before a part is computed; `interrupted()` is asked before and after.
  Parts(std::filesystem::path folder, std::function<void(const std::string&)> announce = {},
        std::function<bool()> interrupted = {});

  /// The part as an earlier run left it, if its settings (and the program's version and SIMD level)
  /// were the same; else computes and keeps it. Keys are like "mixture-error/p=2".
  Json get(const std::string& key, const Json& settings, const std::function<Json()>& compute);

  /// What the parts taken over from earlier runs had cost, in seconds.
  double seconds_saved() const { return seconds_saved_; }

private:
  std::filesystem::path folder_;
  std::function<void(const std::string&)> announce_;
  std::function<bool()> interrupted_;
  double seconds_saved_ = 0;
};

} // namespace starling::reproduce
