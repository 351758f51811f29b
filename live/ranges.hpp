// Algorithms over ranges that the standard library of Debian's emscripten lacks, for the live page
// alone: it is included before every file that the page compiles.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#if !defined(_LIBCPP_VERSION) || _LIBCPP_VERSION >= 15000
#error "this standard library has its own: leave this file out of live/build.py"
#endif

namespace std::ranges {

// Those that take a test of each element, and a projection before it.
#define STARLING_OF_EACH(name)                                                                     \
  template <typename Range, typename Test, typename Projection = std::identity>                    \
  auto name(Range&& range, Test test, Projection of = {}) {                                        \
    return std::name(std::begin(range), std::end(range), [&](const auto& one) -> bool {            \
      return std::invoke(test, std::invoke(of, one));                                              \
    });                                                                                            \
  }
STARLING_OF_EACH(all_of)
STARLING_OF_EACH(any_of)
STARLING_OF_EACH(none_of)
STARLING_OF_EACH(count_if)
STARLING_OF_EACH(find_if)
#undef STARLING_OF_EACH

// Those that put elements in order, and a projection before it.
template <typename Less, typename Projection>
auto starling_order(Less less, Projection of) {
  return [less, of](const auto& a, const auto& b) -> bool {
    return std::invoke(less, std::invoke(of, a), std::invoke(of, b));
  };
}
#define STARLING_IN_ORDER(name)                                                                    \
  template <typename Range, typename Less = std::less<>, typename Projection = std::identity>      \
  auto name(Range&& range, Less less = {}, Projection of = {}) {                                   \
    return std::name(std::begin(range), std::end(range), starling_order(less, of));                \
  }
STARLING_IN_ORDER(sort)
STARLING_IN_ORDER(stable_sort)
STARLING_IN_ORDER(max_element)
STARLING_IN_ORDER(min_element)
STARLING_IN_ORDER(minmax_element)
#undef STARLING_IN_ORDER

#define STARLING_BOUND(name, test)                                                                 \
  template <typename Range, typename Value, typename Less = std::less<>,                           \
            typename Projection = std::identity>                                                   \
  auto name(Range&& range, const Value& value, Less less = {}, Projection of = {}) {               \
    return std::partition_point(std::begin(range), std::end(range),                                \
                                [&](const auto& one) -> bool { return test; });                    \
  }
STARLING_BOUND(lower_bound, std::invoke(less, std::invoke(of, one), value))
STARLING_BOUND(upper_bound, !std::invoke(less, value, std::invoke(of, one)))
#undef STARLING_BOUND

template <typename Range, typename At, typename Less = std::less<>,
          typename Projection = std::identity>
void nth_element(Range&& range, At nth, Less less = {}, Projection of = {}) {
  std::nth_element(std::begin(range), nth, std::end(range), starling_order(less, of));
}
template <typename Range>
auto min(Range&& range) {
  return *std::min_element(std::begin(range), std::end(range));
}
template <typename Range, typename Value, typename Projection = std::identity>
auto find(Range&& range, const Value& value, Projection of = {}) {
  return ranges::find_if(
      range, [&](const auto& one) { return one == value; }, of);
}
template <typename Range, typename Other>
bool is_permutation(const Range& range, const Other& other) {
  return std::is_permutation(std::begin(range), std::end(range), std::begin(other),
                             std::end(other));
}
template <typename Range, typename Value>
auto count(Range&& range, const Value& value) {
  return std::count(std::begin(range), std::end(range), value);
}
template <typename Range, typename Same = std::equal_to<>>
auto adjacent_find(Range&& range, Same same = {}) {
  return std::adjacent_find(std::begin(range), std::end(range), same);
}
template <typename Range, typename Out>
void copy(Range&& range, Out out) {
  std::copy(std::begin(range), std::end(range), out);
}
template <typename Range, typename Out, typename Test>
void copy_if(Range&& range, Out out, Test test) {
  std::copy_if(std::begin(range), std::end(range), out, test);
}
template <typename Range, typename Out>
void move(Range&& range, Out out) {
  std::move(std::begin(range), std::end(range), out);
}
template <typename Range, typename Act>
void for_each(Range&& range, Act act) {
  std::for_each(std::begin(range), std::end(range), act);
}
template <typename Range, typename Other, typename Out, typename Make>
void transform(const Range& range, const Other& other, Out out, Make make) {
  std::transform(std::begin(range), std::end(range), std::begin(other), out, make);
}
template <typename Range, typename Out, typename Make>
void transform(Range&& range, Out out, Make make) {
  std::transform(std::begin(range), std::end(range), out, make);
}
template <typename Range, typename Value>
void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}

} // namespace std::ranges
