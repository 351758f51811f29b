// Blocks of rows that go to a GPU and come back, by CUDA's driver or by what stands in its place.
#include "crossing.hpp"

#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <dlfcn.h>

namespace starling::python {

namespace {

std::shared_ptr<void> plain_room(std::size_t bytes) {
  return {::operator new(bytes), [](void* memory) { ::operator delete(memory); }};
}

/// The functions of the driver, by the names under which it has them.
struct Driver {
  using Address = unsigned long long;
  int (*stream_context)(void* stream, void** context);
  int (*push)(void* context);
  int (*pop)(void** context);
  int (*to_host)(void* to, Address from, std::size_t bytes, void* stream);
  int (*to_device)(Address to, const void* from, std::size_t bytes, void* stream);
  int (*wait)(void* stream);
  int (*allocate)(void** memory, std::size_t bytes, unsigned flags);
  int (*release)(void* memory);
  int (*name)(int error, const char** text);
};

class CudaDriver final : public Mover {
public:
  explicit CudaDriver(Driver driver) : driver_(driver) {}

  const char* to_host(void* to, const void* from, std::size_t bytes, void* stream) const override {
    return in_words(driver_.to_host(to, reinterpret_cast<std::uintptr_t>(from), bytes, stream));
  }
  const char* to_device(void* to, const void* from, std::size_t bytes,
                        void* stream) const override {
    return in_words(driver_.to_device(reinterpret_cast<std::uintptr_t>(to), from, bytes, stream));
  }
  const char* wait(void* stream) const override { return in_words(driver_.wait(stream)); }

  std::shared_ptr<void> room(std::size_t bytes, void* stream) const override {
    constexpr unsigned in_all_contexts = 1;
    void *context = nullptr, *memory = nullptr;
    if (driver_.stream_context(stream, &context) != 0)
      return plain_room(bytes);
    const Current current(driver_, context);
    if (driver_.allocate(&memory, bytes, in_all_contexts) != 0)
      return plain_room(bytes); // slower, and the same
    return {memory, [driver = driver_, context](void* own) {
              const Current again(driver, context);
              driver.release(own);
            }};
  }

private:
  /// The GPU is the thread's own while it lives.
  struct Current {
    Current(const Driver& given, void* context) : driver(given) { driver.push(context); }
    ~Current() {
      void* context = nullptr;
      driver.pop(&context);
    }
    const Driver& driver;
  };

  const char* in_words(int error) const {
    if (error == 0)
      return nullptr;
    const char* text = nullptr;
    return driver_.name(error, &text) == 0 && text ? text : "an unknown error";
  }

  Driver driver_;
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  return (function = reinterpret_cast<Function>(dlsym(library, name))) != nullptr;
}

/// It stays loaded: who computes on a GPU needs it to the end.
std::unique_ptr<const Mover> found_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  Driver d{};
  const bool whole =
      library && find(library, "cuStreamGetCtx", d.stream_context) &&
      find(library, "cuCtxPushCurrent_v2", d.push) && find(library, "cuCtxPopCurrent_v2", d.pop) &&
      find(library, "cuMemcpyDtoHAsync_v2", d.to_host) &&
      find(library, "cuMemcpyHtoDAsync_v2", d.to_device) &&
      find(library, "cuStreamSynchronize", d.wait) && find(library, "cuMemHostAlloc", d.allocate) &&
      find(library, "cuMemFreeHost", d.release) && find(library, "cuGetErrorName", d.name);
  return whole ? std::make_unique<CudaDriver>(d) : nullptr;
}

class HostInPlace final : public Mover {
public:
  const char* to_host(void* to, const void* from, std::size_t bytes, void*) const override {
    begun().push_back([=] { std::memcpy(to, from, bytes); });
    return nullptr;
  }
  const char* to_device(void* to, const void* from, std::size_t bytes, void*) const override {
    std::memcpy(to, from, bytes);
    return nullptr;
  }
  const char* wait(void*) const override {
    for (const auto& copy : std::exchange(begun(), {}))
      copy();
    return nullptr;
  }
  std::shared_ptr<void> room(std::size_t bytes, void*) const override { return plain_room(bytes); }

private:
  static std::vector<std::function<void()>>& begun() {
    thread_local std::vector<std::function<void()>> all;
    return all;
  }
};

struct Seated {
  std::mutex mutex;
  std::map<std::uint64_t, Crossing*> by_number;
};

Seated& seated() {
  static Seated all;
  return all;
}

std::string failed(const char* why) {
  return why ? std::string("device: the GPU could not copy rows: ") + why : std::string();
}

} // namespace

const Mover* cuda_driver() {
  static const std::unique_ptr<const Mover> driver = found_driver();
  return driver.get();
}

const Mover& host_in_place() {
  static const HostInPlace host;
  return host;
}

Crossing::Crossing(Seat& seat, std::uint64_t number, std::size_t block, std::size_t dim, Room& room)
    : seat_(seat), number_(number), block_(block), dim_(dim), room_(room) {
  const std::lock_guard lock(seated().mutex);
  seated().by_number[number_] = this;
}

Crossing::~Crossing() {
  const std::lock_guard lock(seated().mutex);
  const auto found = seated().by_number.find(number_);
  if (found != seated().by_number.end() && found->second == this) // else the next one sits there
    seated().by_number.erase(found);
}

Crossing* Crossing::of(std::uint64_t number) {
  const std::lock_guard lock(seated().mutex);
  const auto found = seated().by_number.find(number);
  return found == seated().by_number.end() ? nullptr : found->second;
}

void Crossing::make_room(const Mover& mover, void* stream) {
  if (room_.more)
    return;
  room_.positions = mover.room(block_ * dim_ * sizeof(double), stream);
  room_.scores = mover.room(block_ * dim_ * sizeof(double), stream);
  room_.densities = mover.room(block_ * sizeof(double), stream);
  room_.more = mover.room(sizeof(bool), stream);
}

template <typename Number>
std::string Crossing::fetch(const Mover& mover, void* stream, Number* x, bool* more) {
  make_room(mover, stream);
  auto* const here = static_cast<Number*>(room_.positions.get());
  auto* const any = static_cast<bool*>(room_.more.get());
  *any = seat_.fetch(here);
  const char* why = nullptr;
  if (*any)
    why = mover.to_device(x, here, block_ * dim_ * sizeof(Number), stream);
  if (!why)
    why = mover.to_device(more, any, sizeof(bool), stream);
  return failed(why);
}

template <typename Number>
std::string Crossing::exchange(const Mover& mover, void* stream, const Number* density,
                               const Number* score, Number* x, bool* more) {
  make_room(mover, stream);
  auto* const densities = static_cast<Number*>(room_.densities.get());
  auto* const scores = static_cast<Number*>(room_.scores.get());
  const char* why = mover.to_host(densities, density, block_ * sizeof(Number), stream);
  if (!why)
    why = mover.to_host(scores, score, block_ * dim_ * sizeof(Number), stream);
  if (!why)
    why = mover.wait(stream); // the positions that went there have arrived, too
  if (why)
    return failed(why);
  seat_.deliver(densities, scores);
  return fetch(mover, stream, x, more);
}

template std::string Crossing::fetch(const Mover&, void*, double*, bool*);
template std::string Crossing::fetch(const Mover&, void*, float*, bool*);
template std::string Crossing::exchange(const Mover&, void*, const double*, const double*, double*,
                                        bool*);
template std::string Crossing::exchange(const Mover&, void*, const float*, const float*, float*,
                                        bool*);

} // namespace starling::python
