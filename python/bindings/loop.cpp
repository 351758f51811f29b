// The class Loop: what JAX compiled over blocks of rows, as Python has it.
#include "arrays.hpp"
#include "block_queue.hpp"
#include "gil_released.hpp"

#include <array>
#include <memory>
#include <utility>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// A queue as Python has it. The loop that it borrows is its attribute `functions`, so that
/// Python's collector sees it.
struct Loop {
  explicit Loop(std::shared_ptr<BlockQueue> given) : queue(std::move(given)) {}
  Loop(Loop&&) = default;
  ~Loop() {
    if (queue)
      queue->close();
  }

  std::shared_ptr<BlockQueue> queue;
};

nb::object loop_over_blocks(nb::object function, std::size_t block, std::size_t dim,
                            std::uint64_t number) {
  nb::object made = nb::cast(Loop(std::make_shared<BlockQueue>(function, block, dim, number)));
  made.attr("functions") = nb::make_tuple(function);
  return made;
}

template <typename Real, std::size_t Dims>
nb::object as_array(std::unique_ptr<Real[]> numbers, std::array<std::size_t, Dims> shape) {
  Real* const data = numbers.get();
  nb::capsule owner(numbers.release(), [](void* p) noexcept { delete[] static_cast<Real*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Real, nb::ndim<Dims>>(data, Dims, shape.data(), owner));
}

template <typename Real>
nb::object evaluate(Loop& loop,
                    nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> x) {
  const std::size_t n = x.shape(0), dim = x.shape(1);
  if (dim != loop.queue->dim())
    throw nb::value_error("x: has another number of columns than the loop was compiled for");
  auto density = std::make_unique<Real[]>(n), score = std::make_unique<Real[]>(n * dim);
  {
    const GilReleased released;
    loop.queue->evaluate<Real>({{x.data(), n, dim}, {score.get(), n, dim}, {density.get(), n}});
  }
  return nb::make_tuple(as_array(std::move(density), std::array{n}),
                        as_array(std::move(score), std::array{n, dim}));
}

} // namespace

std::shared_ptr<BlockQueue> queue_in(nb::handle loop) { return nb::cast<Loop&>(loop).queue; }

void add_block_queue(nb::module_& m) {
  nb::class_<Loop>(m, "Loop", nb::dynamic_attr())
      .def("evaluate", &evaluate<double>, "x"_a.noconvert())
      .def("evaluate", &evaluate<float>, "x"_a.noconvert());
  m.def("loop_over_blocks", &loop_over_blocks, "function"_a, "block"_a, "dim"_a, "number"_a = 0);
  m.def("xla_handlers", &xla_handlers);
  m.def("xla_handlers_on_cuda", &xla_handlers_on_cuda);
}

} // namespace starling::python
