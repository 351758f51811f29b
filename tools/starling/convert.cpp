// starling convert: the same draws in another kind of file.
#include "commands.hpp"

#include "io/errors.hpp"
#include "io/output_folder.hpp"
#include "io/runs.hpp"
#include "io/whole_file.hpp"
#include "io/written_here.hpp"
#include "io/zarr.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <filesystem>
#include <functional>

#include <unistd.h>

namespace starling::tool {

namespace {

namespace fs = std::filesystem;
using Runs = std::vector<io::Draws>;

/// Files that come into place together, once all of them are written.
class Staged {
public:
  Staged() = default;
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;
  ~Staged() {
    std::error_code ignored;
    for (const auto& [unfinished, file] : files_)
      fs::remove(unfinished, ignored);
  }

  void write(const fs::path& file, const std::function<void(const fs::path&)>& write_to) {
    std::error_code error;
    if (file.has_parent_path())
      fs::create_directories(file.parent_path(), error);
    if (error)
      throw io::CannotWrite(file.parent_path(), error.value());
    const fs::path unfinished = fmt::format("{}.{}", file.string(), ::getpid());
    files_.emplace_back(unfinished, file);
    write_to(unfinished);
    io::sync(unfinished);
  }

  void commit() {
    for (const auto& [unfinished, file] : files_) {
      std::error_code error;
      fs::rename(unfinished, file, error);
      if (error)
        throw io::CannotWrite(file, error.value());
      io::sync(fs::absolute(file).parent_path());
    }
    files_.clear();
  }

private:
  std::vector<std::pair<fs::path, fs::path>> files_; // as it is written, as it will be
};

void refuse_if_there(const fs::path& path, bool force) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status) && !fs::is_symlink(fs::symlink_status(path, ignored)))
    return;
  if (!force)
    throw io::CannotWrite(path, EEXIST, "exists; choose another name or add --force");
  const bool folder = fs::is_directory(status), wanted = path.extension() == ".zarr";
  if (folder != wanted)
    throw io::CannotWrite(path, EEXIST,
                          folder ? "exists and is a folder; choose another name"
                                 : "exists and is not a folder; choose another name");
  if (folder && !fs::exists(path / ".zgroup") && !fs::is_empty(path, ignored))
    throw io::CannotWrite(path, EEXIST, "exists and is not a Zarr folder; choose another name");
  if (!folder && !io::written_by_starling(path))
    throw io::CannotWrite(path, EEXIST,
                          fs::is_symlink(fs::symlink_status(path, ignored))
                              ? "is a link, which --force does not follow; choose another name"
                              : "exists, and starling did not write it; move it away or choose "
                                "another name");
}

/// NAME.csv for one run; NAME-1.csv, NAME-2.csv .. for several.
std::vector<fs::path> csv_files(const fs::path& to, std::size_t runs) {
  if (runs == 1)
    return {to};
  std::vector<fs::path> files;
  for (std::size_t k = 1; k <= runs; ++k)
    files.push_back(to.parent_path() / fmt::format("{}-{}.csv", to.stem().string(), k));
  return files;
}

void write_files(const fs::path& to, const Runs& runs, bool force) {
  Staged staged;
  if (to.extension() == ".npz") {
    refuse_if_there(to, force);
    staged.write(to, [&](const fs::path& file) {
      io::NpzWriter npz(file);
      io::add_runs(npz, runs);
      npz.close();
    });
  } else {
    const std::vector<fs::path> files = csv_files(to, runs.size());
    for (const fs::path& file : files)
      refuse_if_there(file, force);
    for (std::size_t k = 0; k < runs.size(); ++k)
      staged.write(files[k], [&](const fs::path& file) {
        io::StanHeader header;
        header.run = k + 1;
        io::write_stan_csv(file, runs[k], header);
      });
  }
  staged.commit();
}

void write_folder(const fs::path& to, const Runs& runs, bool force) {
  refuse_if_there(to, force);
  io::OutputFolder folder(to, force);
  io::write_zarr(folder.path(".zgroup").parent_path(), runs, nlohmann::ordered_json::object());
  folder.commit();
}

} // namespace

int convert(const ConvertRequest& c) {
  fs::path to = c.to;
  if (!to.has_filename()) // DIR.zarr/
    to = to.parent_path();
  const std::string ending = to.extension();
  if (ending != ".csv" && ending != ".npz" && ending != ".zarr")
    reject("TO", "a name that ends in .csv, .npz or .zarr", fmt::format("'{}'", c.to));
  const Runs runs = io::read_runs(c.from);
  try {
    ending == ".zarr" ? write_folder(to, runs, c.force) : write_files(to, runs, c.force);
  } catch (const std::invalid_argument& error) { // names that become the same, say
    throw io::BadData(c.from, error.what());
  }
  return ok;
}

} // namespace starling::tool
