// The wire over MPI: starling_mpi.so, built where an MPI is found. module.cpp loads it.
#include "mpi/module.hpp"
#include "mpi/room.hpp"

#include <starling/version.hpp>

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h> // OpenMPI's
#endif
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace starling::mpi {

namespace {

/// MPI counts in int: longer messages go in pieces.
constexpr std::size_t longest = std::size_t{1} << 30;

/// Whether it reads and writes the memory of cards.
bool knows_cuda() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA) // MPICH's
  int yes = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &yes) == MPI_SUCCESS && yes != 0;
#else
  return false;
#endif
}

/// MPI ends all ranks itself when a call fails: nobody could go on.
class OverMpi final : public Wire {
public:
  OverMpi() {
    int began = 0;
    MPI_Initialized(&began);
    ours_ = began == 0;
    if (ours_) {
      int level = 0;
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    }
    join(MPI_COMM_WORLD);
  }
  /// These ranks, of a wire that began MPI and outlives this one.
  explicit OverMpi(MPI_Comm some) : ours_(false) { join(some); }
  ~OverMpi() override {
    int ended = 0;
    MPI_Finalized(&ended);
    here_.reset();
    for (SharedPart& one : common_)
      if (!ended) {
        MPI_Win_unlock_all(one.window);
        MPI_Win_free(&one.window);
      }
    if (ours_)
      MPI_Finalize();
  }
  OverMpi(const OverMpi&) = delete;
  OverMpi& operator=(const OverMpi&) = delete;

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }
  std::size_t rank_on_machine() const override {
    return static_cast<std::size_t>(rank_on_machine_);
  }
  bool takes_cards() const override { return knows_cuda(); }
  std::shared_ptr<Wire> on_machine() override {
    if (!here_)
      here_ = std::make_shared<OverMpi>(machine_);
    return here_;
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  std::span<const std::size_t> sizes) override {
    if (all.size() <= longest) {
      const auto [counts, places] = in_ints(sizes);
      const bool there = mine.data() == all.data() + places[rank()];
      let_see();
      MPI_Allgatherv(there ? MPI_IN_PLACE : mine.data(), static_cast<int>(mine.size()), MPI_BYTE,
                     all.data(), counts.data(), places.data(), MPI_BYTE, comm_);
      let_see();
      return;
    }
    for (std::size_t r = 0, at = 0; r < sizes.size(); at += sizes[r++]) {
      const std::span<std::byte> part = all.subspan(at, sizes[r]);
      if (r == rank() && mine.data() != part.data())
        std::ranges::copy(mine, part.begin());
      broadcast_from(static_cast<int>(r), part);
    }
    meet();
  }

  void gather(std::span<const std::byte> mine, std::span<std::byte> all,
              std::span<const std::size_t> sizes) override {
    std::vector<MPI_Request> open;
    if (first())
      for (std::size_t r = 0, at = 0; r < sizes.size(); at += sizes[r++])
        if (r == 0)
          std::ranges::copy(mine, all.begin());
        else
          in_pieces(sizes[r], [&](std::size_t begin, int count) {
            MPI_Irecv(all.data() + at + begin, count, MPI_BYTE, static_cast<int>(r), 1, comm_,
                      &open.emplace_back());
          });
    else
      in_pieces(mine.size(), [&](std::size_t begin, int count) {
        MPI_Isend(mine.data() + begin, count, MPI_BYTE, 0, 1, comm_, &open.emplace_back());
      });
    MPI_Waitall(static_cast<int>(open.size()), open.data(), MPI_STATUSES_IGNORE);
  }

  void broadcast(std::span<std::byte> bytes) override { broadcast_from(0, bytes); }

  /// Parts that nobody uses any more are given again: to let one go all ranks would have to come,
  /// and one may be failing.
  std::shared_ptr<std::byte> shared_memory(std::size_t bytes) override {
    int here = 0;
    MPI_Comm_size(machine_, &here);
    if (here != size_)
      return nullptr;
    for (SharedPart& one : common_)
      if (all_of_us(one.bytes >= bytes && one.used.expired()))
        return taken(one);
    if (!all_of_us(!first() || has_room(bytes)))
      return nullptr;
    SharedPart made{bytes, MPI_WIN_NULL, nullptr, {}};
    void *own = nullptr, *all = nullptr;
    MPI_Aint size = 0;
    int unit = 0;
    const bool given =
        MPI_Win_allocate_shared(first() ? static_cast<MPI_Aint>(bytes + alignment) : 0, 1,
                                MPI_INFO_NULL, machine_, &own, &made.window) == MPI_SUCCESS &&
        MPI_Win_shared_query(made.window, 0, &size, &unit, &all) == MPI_SUCCESS;
    const std::uint64_t before =
        (alignment - reinterpret_cast<std::uintptr_t>(all) % alignment) % alignment;
    std::uint64_t of_first =
        before; // of pages that all see, the same: else they would not look at the same place
    broadcast(std::as_writable_bytes(std::span(&of_first, 1)));
    if (!all_of_us(given && before == of_first))
      return nullptr;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, made.window);
    made.data = static_cast<std::byte*>(all) + before;
    common_.push_back(made);
    return taken(common_.back());
  }

  void meet() override {
    let_see();
    MPI_Barrier(comm_);
    let_see();
  }

  [[noreturn]] void abort(int code) override {
    MPI_Abort(comm_, code);
    std::abort();
  }

  void finish() override {
    MPI_Waitall(static_cast<int>(open_.size()), open_.data(), MPI_STATUSES_IGNORE);
    open_.clear();
  }
  void go_on() override {
    int done = 0;
    if (!open_.empty())
      MPI_Testall(static_cast<int>(open_.size()), open_.data(), &done, MPI_STATUSES_IGNORE);
    if (done)
      open_.clear();
  }

protected:
  void exchange_parts(std::span<const std::byte> from, std::span<const std::size_t> sent,
                      std::span<std::byte> to, std::span<const std::size_t> received) override {
    start_parts(from, sent, to, received);
    finish();
  }

  void start_parts(std::span<const std::byte> from, std::span<const std::size_t> sent,
                   std::span<std::byte> to, std::span<const std::size_t> received) override {
    std::size_t here = 0, at = 0;
    for (std::size_t r = 0; r < size(); at += received[r++])
      if (r == rank())
        here = at;
      else
        in_pieces(received[r], [&](std::size_t begin, int count) {
          MPI_Irecv(to.data() + at + begin, count, MPI_BYTE, static_cast<int>(r), 2, comm_,
                    &open_.emplace_back());
        });
    at = 0;
    for (std::size_t r = 0; r < size(); at += sent[r++])
      if (r == rank())
        std::copy_n(from.data() + at, sent[r], to.data() + here);
      else
        in_pieces(sent[r], [&](std::size_t begin, int count) {
          MPI_Isend(from.data() + at + begin, count, MPI_BYTE, static_cast<int>(r), 2, comm_,
                    &open_.emplace_back());
        });
  }

private:
  void join(MPI_Comm ranks) {
    MPI_Comm_dup(ranks, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine_);
    MPI_Comm_rank(machine_, &rank_on_machine_);
    MPI_Comm_set_errhandler(
        machine_, MPI_ERRORS_RETURN); // where memory in common is not given, there are messages
  }
  /// A part of memory that all ranks of the machine see.
  struct SharedPart {
    std::size_t bytes;
    MPI_Win window;
    std::byte* data;
    std::weak_ptr<int> used; // by whoever asked for it
  };
  static std::shared_ptr<std::byte> taken(SharedPart& one) {
    const auto mark = std::make_shared<int>(0);
    one.used = mark;
    return {mark, one.data};
  }
  /// Where Linux keeps such memory.
  static bool has_room(std::size_t bytes) {
    struct statvfs there;
    return statvfs("/dev/shm", &there) == 0 &&
           leaves_room(bytes, std::size_t{there.f_bavail} * there.f_frsize);
  }
  void let_see() {
    for (const SharedPart& one : common_)
      if (!one.used.expired())
        MPI_Win_sync(one.window);
  }
  bool all_of_us(bool here) {
    const int mine = here ? 1 : 0;
    int least = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, comm_);
    return least == 1;
  }
  template <typename Send>
  static void in_pieces(std::size_t bytes, Send&& send) {
    for (std::size_t begin = 0; begin < bytes; begin += longest)
      send(begin, static_cast<int>(std::min(longest, bytes - begin)));
  }
  static std::pair<std::vector<int>, std::vector<int>> in_ints(std::span<const std::size_t> sizes) {
    std::vector<int> counts(sizes.begin(), sizes.end()), places(sizes.size());
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    return {counts, places};
  }
  void broadcast_from(int root, std::span<std::byte> bytes) {
    in_pieces(bytes.size(), [&](std::size_t begin, int count) {
      MPI_Bcast(bytes.data() + begin, count, MPI_BYTE, root, comm_);
    });
  }

  MPI_Comm comm_ = MPI_COMM_NULL, machine_ = MPI_COMM_NULL; // all ranks; those of this machine
  std::shared_ptr<OverMpi> here_;                           // these, once somebody asked
  std::vector<SharedPart> common_;
  std::vector<MPI_Request> open_; // of what is under way
  int rank_ = 0, size_ = 1, rank_on_machine_ = 0;
  bool ours_ = true; // else whoever began MPI ends it
};

std::shared_ptr<Wire> over_mpi() { return std::make_shared<OverMpi>(); }

std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string words(text, static_cast<std::size_t>(length));
  return words.substr(0, words.find_first_of(",\n"));
}

std::size_t ranks_of_world() {
  int began = 0, ended = 0, size = 1;
  MPI_Initialized(&began);
  MPI_Finalized(&ended);
  if (began != 0 && ended == 0)
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  return static_cast<std::size_t>(size);
}

} // namespace

} // namespace starling::mpi

extern "C" __attribute__((visibility("default")))
const starling::mpi::Module starling_mpi_module_with_build = {
    starling::version, STARLING_MPI_BUILD, starling::mpi::library, starling::mpi::ranks_of_world,
    starling::mpi::over_mpi};
