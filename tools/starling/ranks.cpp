// From the environment of mpirun to a wire, and to the end of all ranks.
#include "ranks.hpp"

#include "commands.hpp"

#include <starling/cpu/level.hpp>
#include <starling/cpu/products.hpp>
#include <starling/error.hpp>
#include <starling/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <vector>

namespace starling::tool {

namespace {

std::shared_ptr<mpi::Wire> wire;
bool each_for_itself = true,
     one_of_one = false; // the second: a rank without others, in a build without MPI

const char* first_of(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* value = std::getenv(name); value && *value)
      return value;
  return nullptr;
}

/// The bytes of a file, mixed (FNV-1a, a word at a time).
std::uint64_t mark_of(const std::filesystem::path& file) {
  std::ifstream bytes_there(file, std::ios::binary);
  std::uint64_t mark = 0xcbf29ce484222325;
  std::vector<std::uint64_t> piece(65536);
  const auto bytes = static_cast<std::streamsize>(piece.size() * sizeof piece[0]);
  while (bytes_there) {
    std::ranges::fill(piece, 0);
    bytes_there.read(reinterpret_cast<char*>(piece.data()), bytes);
    for (const std::uint64_t word : piece)
      mark = (mark ^ word) * 0x100000001b3;
  }
  return mark;
}

/// What mpirun, or the like, said of this process; nullptr where it did not.
const char* all_ranks() {
  return first_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"});
}
const char* own_rank() {
  return first_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"});
}

/// Whether this process was started by a program that mpirun started, and not by mpirun itself or
/// one of its helpers.
bool within_a_rank() {
  std::string parent;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", ::getppid())), parent);
  return std::ranges::none_of(std::initializer_list<const char*>{"mpirun", "mpiexec", "orte",
                                                                 "prte", "prun", "hydra", "srun",
                                                                 "slurmstepd"},
                              [&](const char* launcher) { return parent.starts_with(launcher); });
}

/// Their codes, to all; that of the rank where it began.
int code_of_origin(int code) {
  const std::vector<std::string> codes = mpi::all_texts(*wire, std::to_string(code));
  return std::stoi(codes[wire->origin]);
}

} // namespace

bool started_as_a_rank() {
  return !one_of_one && first_of({"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE",
                                  "MV2_COMM_WORLD_SIZE"}) != nullptr;
}

const std::shared_ptr<mpi::Wire>& ranks() {
  if (wire)
    return wire;
  if (!started_as_a_rank())
    return wire = mpi::alone();
  try {
    wire = mpi::open();
  } catch (const std::runtime_error& error) { // not built, or not to be loaded
    if (const char* all = all_ranks(); all && std::string(all) == "1")
      return one_of_one = true, wire = mpi::alone(); // needs no MPI
    if (const char* own = own_rank(); own && std::string(own) != "0") {
      std::this_thread::sleep_for(
          std::chrono::seconds(2)); // if the first cannot either, it says so, and ends all
      std::fprintf(stderr, "starling: rank %s: %s\n", own, error.what());
      std::_Exit(failed);
    }
    throw;
  }
  unheard = !wire->first();
  mpi::same_everywhere(*wire, "command", "sample");
  return wire;
}

namespace {

/// Where other ranks may be asked for sample, and would wait for this one for ever: all of them say
/// which command is theirs, and then part. Throws what differs, on all of them.
void compare_commands(const std::string& command) {
  try {
    wire = mpi::open();
  } catch (const std::runtime_error&) { // not built, or not to be loaded: sample says so itself
    return;
  }
  unheard = !wire->first();
  mpi::same_everywhere(*wire, "command", command);
  unheard = false;
  wire.reset();
}

} // namespace

bool does_it_alone(const std::string& command) {
  const char *own = own_rank(), *all = all_ranks();
  if (!own || (all && std::string(all) == "1"))
    return true;
  constexpr const char* why =
      "only sample runs on several ranks: the first rank runs this command, the others end";
  std::error_code ignored; // starling-lab takes over from a program that has done all this
  const bool takes_over =
      std::filesystem::read_symlink("/proc/self/exe", ignored).filename() == "starling-lab";
  if (all && !takes_over && !within_a_rank())
    compare_commands(command);
  if (std::string(own) != "0") {
    if (within_a_rank()) // whose program would wonder
      tell_line(fmt::format("rank {}: {}", own, why));
    return false;
  }
  if (all && !takes_over)
    tell_line(why);
  return true;
}

void leave_ranks() { wire.reset(); }

void begin_together(const std::string& settings, const std::vector<ReadFile>& files) {
  mpi::agree(*ranks(), nullptr);
  each_for_itself = false;
  if (wire->size() == 1)
    return;
  const cpu::Products products =
      cpu::products(); // another library, or kernels for another processor, round otherwise
  mpi::same_everywhere(*wire, "build",
                       fmt::format("{} for {}, {:016x}, {} for {}", version, cpu::level(),
                                   mark_of("/proc/self/exe"), products.library, products.core));
  mpi::same_everywhere(*wire, "settings", settings);
  const std::shared_ptr<mpi::Wire> machine = wire->on_machine();
  for (const auto& [file, once_on_machine] : files) {
    const bool for_others = once_on_machine && machine, reads = !for_others || machine->first();
    std::error_code none;
    if (mpi::any(*wire, reads && !std::filesystem::is_regular_file(
                                     file, none))) // where one lacks it, whoever reads it says so
      continue;
    std::string mine = reads ? fmt::format("one of {} bytes, {:016x}",
                                           std::filesystem::file_size(file, none), mark_of(file))
                             : std::string();
    if (for_others) // what its machine has read, a rank has
      mpi::broadcast(*machine, mine);
    mpi::same_everywhere(*wire, file, mine);
  }
}

int end_of_rank(int code, const std::string& text) {
  if (!wire || wire->size() == 1) {
    tell_line(text);
    return code;
  }
  const bool agreed = mpi::failure_agreed(*wire, std::current_exception());
  if (each_for_itself && !agreed) {
    try {
      mpi::agree(*wire, std::make_exception_ptr(std::runtime_error(text)));
    } catch (const std::exception& agreed) {
      return end_of_rank(code, agreed.what());
    }
  }
  if (agreed) {
    tell_line(wire->origin == 0 ? text : fmt::format("rank {}: {}", wire->origin, text));
    return code_of_origin(code);
  }
  unheard = false;
  tell_line(fmt::format("rank {}: {}", wire->rank(), text));
  wire->abort(code);
  return code; // not reached, which g++ 12 does not see
}

} // namespace starling::tool
