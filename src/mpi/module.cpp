// The MPI back end, loaded when somebody asks for it: a program that runs alone needs no MPI on its
// machine.
#include "mpi/module.hpp"

#include <starling/back_ends.hpp>
#include <starling/error.hpp>
#include <starling/version.hpp>

#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>

namespace starling::mpi {

namespace {

namespace fs = std::filesystem;

/// Beside the program, or where an install puts it. Empty where there is none.
fs::path found() {
  std::error_code none;
  const fs::path beside = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& folder : {beside, beside / STARLING_MODULES})
    if (const fs::path file = folder / "starling_mpi.so"; !beside.empty() && fs::exists(file, none))
      return file;
  return {};
}

const Module* load() {
  const fs::path file = found();
  if (file.empty())
    throw NotBuilt("mpi");
  // Global, since parts that an MPI loads in its turn may look for it there. It stays loaded to the
  // end.
  void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!module)
    throw std::runtime_error(std::string("mpi: ") + ::dlerror());
  const auto* offered = static_cast<const Module*>(::dlsym(module, module_symbol));
  if (!offered || offered->version != version)
    throw std::runtime_error("mpi: " + file.string() + " is not of starling " +
                             std::string(version));
  if (offered->build != STARLING_MPI_BUILD)
    throw std::runtime_error("mpi: " + file.string() +
                             " is of another build of starling: build or install both together");
  return offered;
}

const Module& module() {
  static const Module* const loaded = load();
  return *loaded;
}

} // namespace

BackEnd back_end() {
  try {
    return {"mpi", true, {module().library()}, ""};
  } catch (const NotBuilt& error) {
    return {"mpi", false, {}, error.what()};
  } catch (const std::runtime_error& error) {
    return {"mpi", true, {}, error.what()};
  }
}

std::size_t ranks() { return module().ranks(); }

std::shared_ptr<Wire> open() { return module().open(); }

} // namespace starling::mpi
