// Reads the Zarr folders that Starling wrote.
#include "io/errors.hpp"
#include "io/text.hpp"
#include "io/zarr.hpp"
#include "io/zarr_layout.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace starling::io {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json read_json(const fs::path& file) {
  try {
    return Json::parse(read_bytes(file));
  } catch (const Json::exception&) {
    throw BadData(file, "must be JSON");
  }
}

/// The names of the columns, which are in no other program's folders.
std::vector<std::string> names_of(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputMissing(folder, fs::exists(folder) ? ENOTDIR : ENOENT);
  if (fs::exists(folder / "zarr.json"))
    throw BadData(folder, "zarr: format: must be 2, as starling writes it; got 3");
  const Json attributes = read_json(folder / ".zattrs");
  try {
    return attributes.at(zarr_names).get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    throw BadData(folder,
                  std::string("zarr: was not written by starling: there is no ") + zarr_names);
  }
}

/// How many chains and draws, as the first array says it.
std::pair<std::size_t, std::size_t> extents_of(const fs::path& file) {
  const Json array = read_json(file);
  try {
    const Json &chains = array.at("shape").at(0), &draws = array.at("shape").at(1);
    // Whole numbers: 1e30 would be converted to something.
    if (chains.is_number_unsigned() && draws.is_number_unsigned() && chains > 0 && draws > 0)
      return {chains.get<std::size_t>(), draws.get<std::size_t>()};
  } catch (const Json::exception&) { // said below
  }
  throw BadData(file, "zarr: must have a shape of chains and draws");
}

std::vector<ZarrVariable> layout_of(const fs::path& folder, const std::vector<std::string>& names) {
  try {
    return zarr_layout(names);
  } catch (const std::invalid_argument& error) {
    throw BadData(folder, error.what());
  }
}

} // namespace

std::vector<Draws> read_zarr(const fs::path& folder) {
  const std::vector<std::string> names = names_of(folder);
  const std::vector<ZarrVariable> layout = layout_of(folder, names);
  if (layout.empty())
    throw BadData(folder, std::string("zarr: must name its columns; got no ") + zarr_names);
  const auto [chains, draws] = extents_of(folder / layout[0].path() / ".zarray");
  std::vector<Draws> runs;
  for (const ZarrVariable& v : layout) {
    if (const fs::path file = folder / v.path() / ".zarray";
        read_json(file) != zarr_array(v, chains, draws))
      throw BadData(file, "zarr: must have the array as starling writes it: <f8, not compressed, "
                          "one chunk for each chain");
    for (std::size_t chain = 0; chain < chains; ++chain) {
      const fs::path file = folder / v.path() / zarr_chunk(v, chain);
      const std::string bytes = read_bytes(file);
      const std::size_t cells = v.columns.size();
      if (bytes.size() % (8 * cells) != 0 || bytes.size() / (8 * cells) != draws)
        throw BadData(file, "zarr: must have " + std::to_string(draws) + " x " +
                                std::to_string(cells) + " numbers; got " +
                                std::to_string(bytes.size()) + " bytes");
      if (runs.size() == chain) // the first variable: its file has shown that the size is true
        runs.push_back({names, draws, std::vector<double>(draws * names.size())});
      const char* from = bytes.data();
      for (std::size_t row = 0; row < draws; ++row)
        for (const std::size_t column : v.columns) {
          std::memcpy(&runs[chain].values[row * names.size() + column], from, sizeof(double));
          from += sizeof(double);
        }
    }
  }
  return runs;
}

} // namespace starling::io
