// Bytes that cross by way of Python: whatever MPI mpi4py has found will do, and this module is
// linked against none.
#include "wire.hpp"

#include "gil_released.hpp"

#include <nanobind/stl/string.h>

#include <cstdlib>
#include <map>
#include <span>

namespace starling::python {

namespace nb = nanobind;

namespace {

constexpr int to_read = 0x100,
              to_write =
                  0x200; // PyBUF_READ and PyBUF_WRITE, which old stable interfaces do not name

/// Bytes where they lie, for as long as a call takes.
nb::object view(const std::byte* data, std::size_t size, int access) {
  static char nothing = 0; // an empty view must have an address too
  char* const at = size == 0 ? &nothing : const_cast<char*>(reinterpret_cast<const char*>(data));
  nb::object made = nb::steal(PyMemoryView_FromMemory(at, static_cast<Py_ssize_t>(size), access));
  if (!made.is_valid())
    throw nb::python_error();
  return made;
}
nb::object view(std::span<const std::byte> bytes) {
  return view(bytes.data(), bytes.size(), to_read);
}
nb::object view(std::span<std::byte> bytes) { return view(bytes.data(), bytes.size(), to_write); }

nb::list list_of(std::span<const std::size_t> sizes) {
  nb::list list;
  for (const std::size_t size : sizes)
    list.append(size);
  return list;
}

class OverPython final : public mpi::Wire {
public:
  explicit OverPython(nb::handle ranks)
      : ranks_(ranks.inc_ref()), rank_(nb::cast<std::size_t>(ranks.attr("rank"))),
        size_(nb::cast<std::size_t>(ranks.attr("size"))),
        rank_on_machine_(nb::cast<std::size_t>(ranks.attr("rank_on_machine"))) {}
  ~OverPython() override {
    const nb::gil_scoped_acquire held;
    ranks_.dec_ref();
  }
  OverPython(const OverPython&) = delete;
  OverPython& operator=(const OverPython&) = delete;

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  std::size_t rank_on_machine() const override { return rank_on_machine_; }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  std::span<const std::size_t> sizes) override {
    const nb::gil_scoped_acquire held;
    ranks_.attr("all_gather")(view(mine), view(all), list_of(sizes));
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all,
              std::span<const std::size_t> sizes) override {
    const nb::gil_scoped_acquire held;
    ranks_.attr("gather")(view(mine), view(first() ? all : std::span<std::byte>()), list_of(sizes));
  }
  void broadcast(std::span<std::byte> bytes) override {
    const nb::gil_scoped_acquire held;
    ranks_.attr("broadcast")(view(bytes));
  }
  [[noreturn]] void abort(int code) override {
    const nb::gil_scoped_acquire held;
    ranks_.attr("abort")(code);
    std::abort();
  }

protected:
  void exchange_parts(std::span<const std::byte> from, std::span<const std::size_t> sent,
                      std::span<std::byte> to, std::span<const std::size_t> received) override {
    const nb::gil_scoped_acquire held;
    ranks_.attr("exchange")(view(from), list_of(sent), view(to), list_of(received));
  }

private:
  nb::handle
      ranks_; // held by hand: the last one to let go of it may not have the interpreter's lock
  std::size_t rank_, size_, rank_on_machine_;
};

} // namespace

std::shared_ptr<mpi::Wire> wire_over(nb::handle ranks) {
  static std::map<PyObject*, std::weak_ptr<mpi::Wire>>
      open; // those that are gone are few; the lock is held
  if (ranks.is_none())
    return nullptr;
  std::weak_ptr<mpi::Wire>& kept = open[ranks.ptr()];
  std::shared_ptr<mpi::Wire> wire = kept.lock();
  if (!wire)
    kept = wire = std::make_shared<OverPython>(ranks);
  return wire;
}

} // namespace starling::python
