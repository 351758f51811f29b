// Writes draws as a Zarr folder.
#include "io/any_text.hpp"
#include "io/errors.hpp"
#include "io/output_file.hpp"
#include "io/zarr.hpp"
#include "io/zarr_layout.hpp"

#include <starling/error.hpp>
#include <starling/version.hpp>

#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starling::io {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void check(std::span<const Draws> runs) {
  if (runs.empty() || runs[0].names.empty() || runs[0].rows == 0)
    reject("draws", "at least one run, one draw and one column", "none");
  for (const Draws& run : runs) {
    if (run.names != runs[0].names || run.rows != runs[0].rows)
      throw std::invalid_argument(
          "draws: the runs differ in their names or in their number of rows");
    if (!run.complete())
      reject("draws", fmt::format("{} x {} values", run.rows, run.names.size()),
             std::to_string(run.values.size()));
  }
}

/// The folder being written. All that is metadata goes to the file it belongs to and once more into
/// .zmetadata, from which readers get everything at once.
class ZarrFolder {
public:
  explicit ZarrFolder(const fs::path& folder) : folder_(folder) {
    all_["metadata"] = Json::object();
    all_["zarr_consolidated_format"] = 1;
  }

  void describe(const std::string& name, const Json& json) {
    write(name, json.dump(1) + "\n");
    all_["metadata"][name] = json;
  }

  void write(const std::string& name, std::string_view bytes) {
    const fs::path file = folder_ / name;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error)
      throw CannotWrite(file, error.value());
    OutputFile out(file);
    out.write(bytes);
    out.close();
  }

  void group(const std::string& prefix, const Json& attributes) {
    describe(prefix + ".zgroup", {{"zarr_format", 2}});
    describe(prefix + ".zattrs", attributes);
  }

  /// The indices along one dimension, from `first` on.
  void coordinate(const std::string& group, const std::string& name, std::size_t extent,
                  std::size_t first = 0) {
    const std::string path = group + "/" + name + "/";
    describe(path + ".zarray", zarr_array("<i8", {extent}, {extent}));
    describe(path + ".zattrs", {{"_ARRAY_DIMENSIONS", {name}}});
    std::vector<std::int64_t> places(extent);
    std::iota(places.begin(), places.end(), static_cast<std::int64_t>(first));
    write(path + "0", {reinterpret_cast<const char*>(places.data()), 8 * extent});
  }

  void variable(const ZarrVariable& v, std::span<const Draws> runs) {
    Json dimensions = {"chain", "draw"};
    for (std::size_t k = 0; k < v.shape.size(); ++k) {
      dimensions.push_back(fmt::format("{}_dim_{}", v.file, k));
      coordinate(v.group, dimensions.back(), v.shape[k], v.first[k]);
    }
    describe(v.path() + "/.zarray", zarr_array(v, runs.size(), runs[0].rows));
    describe(v.path() + "/.zattrs", {{"_ARRAY_DIMENSIONS", dimensions}});
    std::vector<double> chunk;
    for (std::size_t chain = 0; chain < runs.size(); ++chain) {
      chunk.clear();
      for (std::size_t row = 0; row < runs[chain].rows; ++row)
        for (const std::size_t column : v.columns)
          chunk.push_back(runs[chain].at(row, column));
      write(v.path() + "/" + zarr_chunk(v, chain),
            {reinterpret_cast<const char*>(chunk.data()), 8 * chunk.size()});
    }
  }

  void close() { write(".zmetadata", all_.dump(1) + "\n"); }

private:
  fs::path folder_;
  Json all_ = Json::object();
};

} // namespace

void write_zarr(const fs::path& folder, std::span<const Draws> runs, const Json& attributes) {
  check(runs);
  const std::vector<ZarrVariable> layout = zarr_layout(runs[0].names);
  Json common = {{"created_by", fmt::format("starling {}", version)},
                 {"inference_library", "starling"},
                 {"inference_library_version", version}};
  for (const auto& [key, value] : attributes.items())
    common[key] = value.is_string() ? Json(utf8(value.get<std::string>())) : value;
  Json top = common;
  top[zarr_names] = Json::array();
  for (const std::string& name : runs[0].names)
    top[zarr_names].push_back(utf8(name));

  ZarrFolder out(folder);
  out.group("", top);
  std::set<std::string> groups;
  for (const ZarrVariable& v : layout) {
    if (groups.insert(v.group).second) {
      out.group(v.group + "/", common);
      out.coordinate(v.group, "chain", runs.size());
      out.coordinate(v.group, "draw", runs[0].rows);
    }
    out.variable(v, runs);
  }
  out.close();
}

} // namespace starling::io
