// Calling back into Python, and into C without Python.
#include "user_target.hpp"
#include "block_queue.hpp"
#include "gil_released.hpp"
#include "on_card.hpp"

#include "arrays.hpp"
#include "foreign/in_double.hpp"

#include <starling/error.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Whether this is a number for each row, or one for all: a log density, and no scores.
bool is_log_density_alone(nb::handle returned, std::size_t rows) {
  if (nb::isinstance<nb::float_>(returned))
    return true;
  if (!nb::hasattr(returned, "shape") || !nb::hasattr(returned, "dtype"))
    return false;
  const nb::object shape = returned.attr("shape");
  return shape.equal(nb::make_tuple()) || shape.equal(nb::make_tuple(rows));
}

/// Scores and, if wanted and known, log densities from what the function returned. Whether they
/// were known.
template <typename Real>
bool take(nb::handle returned, Rows<Real> score, std::span<Real> density) {
  nb::handle scores = returned, densities;
  if (nb::isinstance<nb::tuple>(returned)) {
    if (nb::len(returned) != 2)
      throw nb::value_error(
          fmt::format("target: must return scores or (log densities, scores); got a tuple of {}",
                      nb::len(returned))
              .c_str());
    densities = nb::borrow<nb::tuple>(returned)[0];
    scores = nb::borrow<nb::tuple>(returned)[1];
  } else if (is_log_density_alone(returned, score.count)) {
    throw nb::type_error(
        fmt::format("target: must return scores of shape {}, or (log densities, scores); got what "
                    "looks like a log density alone: give its gradient, or use starling.from_jax",
                    shape_in_words(std::array{score.count, score.dim}, 'N'))
            .c_str());
  }
  const auto s = numbers<Real, 2>(scores, "scores", {score.count, score.dim});
  std::copy_n(s.data(), score.size(), score.begin());
  if (densities.is_valid()) { // looked at even when nobody asks: a mistake comes out at once
    const auto d = numbers<Real, 1>(densities, "log densities", {score.count});
    std::copy_n(d.data(), density.size(), density.begin());
  } else {
    std::ranges::fill(density, Real(NAN));
  }
  return densities.is_valid();
}

/// The compiled loops of a function, once they are known. On the CPU one serves any number of rows;
/// on a GPU there is one for each power of two, since a block takes little longer than a row there.
class KnownLoops {
public:
  static constexpr int least = 6, most = 13; ///< of two: rows in a block on a GPU

  /// Null: not known, or of the process that this one was forked from.
  BlockQueue* find(std::size_t rows) const {
    const Known& one = known_[place(rows)];
    return one.there && one.queue->in_its_process() ? one.queue.get() : nullptr;
  }

  /// Asks `loop_of` for one, with the interpreter's lock held; `device`: the GPU's number.
  void ask(nb::handle loop_of, std::size_t dim, bool single, std::size_t rows, nb::object device) {
    if (loop_of.is_none() || known_[place(rows)].there)
      return;
    const std::size_t block = std::size_t{1} << (place(rows) + least);
    const nb::object loop = loop_of(dim, single, block, device);
    if (loop.is_none())
      return;
    const auto queue = queue_in(loop);
    for (std::size_t k = 0; k < known_.size(); ++k)
      if ((k == place(rows) || !queue->on_gpu()) && !known_[k].there) {
        known_[k].queue = queue;
        known_[k].there = true;
      }
  }

private:
  struct Known {
    std::shared_ptr<BlockQueue> queue;
    std::atomic<bool> there = false;
  };

  static std::size_t place(std::size_t rows) {
    return std::size_t(
        std::clamp(int(std::bit_width(std::max<std::size_t>(rows, 1) - 1)), least, most) - least);
  }

  std::array<Known, most - least + 1> known_;
};

/// The first call goes through Python, where the function is compiled and checked.
template <typename Real>
auto caller(nb::handle function, nb::handle loop_of,
            std::shared_ptr<std::atomic<bool>> has_density) {
  return [function, loop_of, has_density, positions = shared_positions<Real>(),
          known = std::make_shared<KnownLoops>()](Step, Rows<const Real> x, Rows<Real> score,
                                                  std::span<Real> density) {
    if (BlockQueue* const queue = known->find(x.count))
      return queue->evaluate<Real>({x, score, density});
    const nb::gil_scoped_acquire held;
    throw_if_interpreter_ends();
    const nb::object returned = function(positions->fill(x));
    *has_density = take<Real>(returned, score, density);
    known->ask(loop_of, x.dim, std::is_same_v<Real, float>, x.count, nb::none());
  };
}

/// Rows of the host on a GPU by such loops. The function is called at the first rows, which is
/// where it is checked.
auto from_host(nb::handle function, nb::handle loop_of) {
  return [=](const std::shared_ptr<cuda::Machine>& machine) -> cuda::RowsFromHost {
    return [=, number = machine->number(), positions = shared_positions<double>(),
            known = std::make_shared<KnownLoops>(), checked = std::make_shared<bool>(false)](
               Rows<const double> x, Rows<double> score, std::span<double> density) {
      if (x.count == 0)
        return true;
      if (!known->find(x.count)) {
        const nb::gil_scoped_acquire held;
        throw_if_interpreter_ends();
        known->ask(loop_of, x.dim, false, x.count, nb::cast(number));
        if (known->find(x.count) && !std::exchange(*checked, true))
          function(positions->fill(x.slice(0, std::min<std::size_t>(x.count, 64))));
      }
      BlockQueue* const queue = known->find(x.count);
      if (queue)
        queue->evaluate<double>({x, score, density});
      return queue != nullptr;
    };
  };
}

using OfAll = int (*)(std::size_t, std::size_t, const double*, double*, double*, void*);
using OfOne = int (*)(std::size_t, const double*, double*, double*, void*);

/// A C function as a model.
class Compiled {
public:
  Compiled(std::uintptr_t address, bool batched, std::size_t dim)
      : address_(address), batched_(batched), dim_(dim) {}

  std::size_t dim() const { return dim_; }
  void evaluate(Step k, Rows<const double> x, Rows<double> s, std::span<double> density) const {
    if (batched_) {
      const auto of_all = reinterpret_cast<OfAll>(address_);
      if (const int code = of_all(x.count, dim_, x.data, s.data, density.data(), nullptr))
        throw TargetError(k, 0, fmt::format("the function of all particles returned {}", code));
      return;
    }
    const auto of_one = reinterpret_cast<OfOne>(address_);
    for (std::size_t i = 0; i < x.count; ++i)
      if (const int code = of_one(dim_, x[i].data(), s[i].data(), &density[i], nullptr))
        throw TargetError(k, i, fmt::format("the function returned {}", code));
  }

private:
  std::uintptr_t address_;
  bool batched_;
  std::size_t dim_;
};

template <typename Real>
auto caller(const std::shared_ptr<Compiled>& function) {
  return [model = foreign::InDouble<Real, Compiled>(function)](
             Step k, Rows<const Real> x, Rows<Real> score, std::span<Real> density) mutable {
    density.empty() ? model(k, x, score) : model.evaluate(x, score, density);
  };
}

} // namespace

nb::object owning(assemble::UserTarget target, nb::tuple functions) {
  nb::object made = nb::cast(std::move(target));
  made.attr("functions") = functions;
  return made;
}

void own_functions(nb::handle flight, nb::handle user_target) {
  if (!user_target.is_none())
    flight.attr("functions") = user_target.attr("functions");
}

const assemble::UserTarget* target_in(nb::handle user_target) {
  return user_target.is_none() ? nullptr : nb::cast<const assemble::UserTarget*>(user_target);
}

nb::object target_of_function(nb::object function, std::size_t dim, std::vector<std::string> names,
                              nb::object there, bool few_sizes, bool single_on_card,
                              nb::object loop_of) {
  const auto has_density = std::make_shared<std::atomic<bool>>(true);
  assemble::UserTarget target{dim, std::move(names), caller<double>(function, loop_of, has_density),
                              caller<float>(function, loop_of, has_density),
                              [has_density] { return has_density->load(); }};
  if (!there.is_none()) {
    const auto straight = loop_of.is_none() ? FromHost() : FromHost(from_host(function, loop_of));
    target.on_card_in_double = on_card<double>(there, few_sizes, has_density, straight);
    target.on_card_in_single = on_card<float>(there, few_sizes, has_density, straight);
    target.card_counts_in_single = single_on_card;
  }
  return owning(std::move(target), nb::make_tuple(function, there, loop_of));
}

nb::object target_at_address(std::uintptr_t address, bool batched, std::size_t dim,
                             std::vector<std::string> names, nb::object code) {
  const auto function = std::make_shared<Compiled>(address, batched, dim);
  return owning({dim, std::move(names), caller<double>(function), caller<float>(function)},
                nb::make_tuple(code));
}

void constrain_by(nb::object user_target, std::vector<std::string> names, nb::object function) {
  auto& target = nb::cast<assemble::UserTarget&>(user_target);
  target.constrain = [names = std::move(names), borrowed = nb::handle(function),
                      positions = shared_positions<double>()](Rows<const double> x) {
    const nb::gil_scoped_acquire held;
    throw_if_interpreter_ends();
    const nb::object returned = borrowed(positions->fill(x));
    const auto values =
        numbers<double, 2>(returned, "draws", {x.count, names.size()}, "parameters");
    return run::Constrained{names, {values.data(), values.data() + values.size()}};
  };
  user_target.attr("functions") = user_target.attr("functions") + nb::make_tuple(function);
}

void add_user_target(nb::module_& m) {
  nb::class_<assemble::UserTarget>(m, "UserTarget", nb::dynamic_attr());
  m.def("constrain_by", &constrain_by, "user_target"_a, "names"_a, "function"_a);
  m.def("target_of_function", &target_of_function, "function"_a, "dim"_a, "names"_a,
        "on_card"_a.none(), "few_sizes"_a = false, "single_on_card"_a = false,
        "loop_of"_a.none() = nb::none());
  m.def("target_of_rows", &target_of_rows, "likelihood"_a, "prior"_a.none(), "values"_a.none(),
        "row_scores"_a.none(), "rows"_a, "data_batch"_a, "dim"_a, "names"_a, "on_card"_a = false);
  m.def("target_at_address", &target_at_address, "address"_a, "batched"_a, "dim"_a, "names"_a,
        "code"_a);
}

} // namespace starling::python
