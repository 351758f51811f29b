// Targets made of rows of data that Python brings.
#include "user_target.hpp"

#include "arrays.hpp"
#include "assemble/row_target.hpp"

#include <nanobind/ndarray.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace starling::python {

namespace nb = nanobind;

namespace {

/// A copy that Python may keep.
template <typename To, typename From>
nb::object copied(std::span<const From> numbers) {
  auto own = std::make_unique<To[]>(numbers.size());
  std::copy(numbers.begin(), numbers.end(), own.get());
  To* const data = own.get();
  nb::capsule owner(own.release(), [](void* p) noexcept { delete[] static_cast<To*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, To, nb::ndim<1>>(data, {numbers.size()}, owner));
}

nb::object row_numbers(RowNumbers rows) { return copied<std::int64_t>(rows); }

/// (values, scores) as they were returned by the function of this name.
void take(nb::handle returned, const char* who, Rows<double> score, std::span<double> value) {
  const bool pair = nb::isinstance<nb::tuple>(returned) && nb::len(returned) == 2;
  if (!pair)
    throw nb::type_error(
        fmt::format("{}: must return a tuple of two arrays, values and scores; got {}", who,
                    text_of_object(returned.type().attr("__name__")))
            .c_str());
  const nb::tuple both = nb::borrow<nb::tuple>(returned);
  const auto v = numbers<double, 1>(both[0], "values", {score.count}, who);
  const auto s = numbers<double, 2>(both[1], "scores", {score.count, score.dim}, who);
  std::copy_n(v.data(), value.size(), value.begin());
  std::copy_n(s.data(), score.size(), score.begin());
}

} // namespace

nb::object target_of_rows(nb::object likelihood_, nb::object prior_, nb::object values_,
                          nb::object row_scores_, std::size_t rows, std::uint64_t data_batch,
                          std::size_t dim, std::vector<std::string> names, bool on_card) {
  // What the closures hold is borrowed from what is returned.
  const nb::handle likelihood = likelihood_, prior = prior_, values = values_,
                   row_scores = row_scores_;
  assemble::BroughtRows brought;
  brought.rows = rows;
  brought.dim = dim;
  brought.data_batch = data_batch;
  const auto positions = shared_positions<double>();
  brought.likelihood = [likelihood, positions](Rows<const double> x, RowNumbers some,
                                               std::span<const double> weights, Rows<double> score,
                                               std::span<double> value) {
    const nb::gil_scoped_acquire held;
    take(likelihood(positions->fill(x), row_numbers(some), copied<double>(weights)), "likelihood",
         score, value);
  };
  if (!prior.is_none())
    brought.prior = [prior, positions](Rows<const double> x, Rows<double> score,
                                       std::span<double> value) {
      const nb::gil_scoped_acquire held;
      take(prior(positions->fill(x)), "prior", score, value);
    };
  if (!values.is_none())
    brought.values = [values, positions](Rows<const double> x, RowNumbers some,
                                         std::span<const double> weights, std::span<double> value) {
      const nb::gil_scoped_acquire held;
      const nb::object returned =
          values(positions->fill(x), row_numbers(some), copied<double>(weights));
      std::copy_n(numbers<double, 1>(returned, "values", {x.count}, "values").data(), x.count,
                  value.begin());
    };
  if (!row_scores.is_none())
    brought.each = [row_scores](RowNumbers some, const Eigen::VectorXd& x, Rows<double> scores) {
      const nb::gil_scoped_acquire held;
      const nb::object returned =
          row_scores(copied<double>(std::span<const double>(x.data(), std::size_t(x.size()))),
                     row_numbers(some));
      const auto s =
          numbers<double, 2>(returned, "scores", {scores.count, scores.dim}, "row_scores", 'B');
      std::copy_n(s.data(), scores.size(), scores.begin());
    };
  assemble::UserTarget target;
  target.dim = dim;
  target.names = std::move(names);
  target.rows = assemble::density_of(brought);
  target.data_batch = data_batch;
  target.rows_on_card = on_card;
  assemble::check_sums(brought);
  if (brought.each) { // a wrong shape comes out now
    const std::vector<std::uint32_t> first = {0};
    std::vector<double> scores(dim);
    brought.each(first, Eigen::VectorXd::Zero(Eigen::Index(dim)), {scores.data(), 1, dim});
  }
  return owning(std::move(target), nb::make_tuple(likelihood_, prior_, values_, row_scores_));
}

} // namespace starling::python
