// Names become variables with indices.
#include "io/zarr_layout.hpp"

#include "io/any_text.hpp"

#include <set>

#include <nlohmann/json.hpp>

namespace starling::io {
namespace {

using Json = nlohmann::ordered_json;
using Indices = std::vector<std::size_t>;

/// A dimension and its coordinate have names of their own, which no variable may have.
bool is_dimension(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return name == "chain" || name == "draw" ||
         (last != std::string::npos && last + 1 < name.size() && last >= 4 &&
          name.compare(last - 4, 5, "_dim_") == 0);
}

/// What is no slash and no end of a text, and does not begin with a dot: a folder of this name
/// stays where it is put, and is not one of Zarr's own.
std::string file_of(const std::string& name) {
  std::string file = utf8(name);
  for (char& c : file)
    if (c == '/' || (static_cast<unsigned char>(c) < 32))
      c = '_';
  if (file.empty() || file[0] == '.')
    file.insert(file.begin(), 'x');
  return file;
}

} // namespace

std::vector<ZarrVariable> zarr_layout(const std::vector<std::string>& names) {
  std::vector<ZarrVariable> layout;
  std::set<std::string> taken;
  const auto add = [&](Variable v, const char* group) {
    std::string file = file_of(v.name);
    while (is_dimension(file) || !taken.insert(group + file).second)
      file += '_';
    layout.push_back({std::move(v), group, std::move(file)});
  };
  std::vector<Variable> variables = variables_of(names);
  for (Variable& v : variables) // figures of the sampler come first
    if (is_figure(v.name)) {
      v.name.resize(v.name.size() - 2);
      add(v, "sample_stats");
      v.columns.clear();
    }
  for (Variable& v : variables)
    if (!v.columns.empty())
      add(std::move(v), "posterior");
  return layout;
}

Json zarr_array(const char* type, const Indices& shape, const Indices& chunks) {
  return {{"chunks", chunks},   {"compressor", nullptr}, {"dtype", type},  {"fill_value", nullptr},
          {"filters", nullptr}, {"order", "C"},          {"shape", shape}, {"zarr_format", 2}};
}

Json zarr_array(const ZarrVariable& variable, std::size_t chains, std::size_t draws) {
  Indices shape = {chains, draws};
  shape.insert(shape.end(), variable.shape.begin(), variable.shape.end());
  Indices chunks = shape;
  chunks[0] = 1;
  return zarr_array("<f8", shape, chunks);
}

std::string zarr_chunk(const ZarrVariable& variable, std::size_t chain) {
  std::string name = std::to_string(chain) + ".0";
  for (std::size_t k = 0; k < variable.shape.size(); ++k)
    name += ".0";
  return name;
}

} // namespace starling::io
