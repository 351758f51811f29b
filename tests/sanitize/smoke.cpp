// A small part of the library under sanitizers, quick to build: every dealer and the loop on
// threads, and the readers of tables on texts of all kinds. Built twice by the tests, with the
// address and the thread sanitizer, which end the program at a fault; here it is only seen that the
// figures agree. scripts/sanitize is the whole of it.
#include <starling/advance/explicit_step.hpp>
#include <starling/advance/rules.hpp>
#include <starling/deal/cosets.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>

#include "io/errors.hpp"
#include "io/fields.hpp"
#include "io/table.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using namespace starling;

namespace {

int faults = 0;

void expect(bool holds, const char* what) {
  if (holds)
    return;
  ++faults;
  std::fprintf(stderr, "does not hold: %s\n", what);
}

using Kernel = kernel::Gaussian<double>;

template <typename Deal, typename Drift>
std::vector<double> end_of(std::size_t particles, Deal deal, Drift drift, Threads& threads) {
  Ensemble<double> cloud(particles, 3);
  start_normal(cloud, 1, 0, 1);
  const auto score = [](Step, Ensemble<double>& e, const Batches& batches) {
    for (const std::uint32_t i : batches.order())
      for (std::size_t a = 0; a < 3; ++a)
        e.score()[i][a] = -e.position()[i][a];
  };
  ExplicitStep<double, FadingAdaGrad<double>> advance(FadingAdaGrad<double>(0.1), threads);
  const auto look = [](Step, Ensemble<double>&, const Batches&) {};
  const auto observe = [](Step, const Ensemble<double>&, const Batches&) { return Signal::go_on; };
  rbm_svgd(cloud, Span{0, 70}, deal, score, drift, look, advance, observe); // rows travel at 64
  return {cloud.position().begin(), cloud.position().end()};
}

/// On threads and on one, and by the slow twin.
template <typename Deal>
void fly(std::size_t particles, Deal deal, const char* name) {
  Threads crew(3);
  const auto one =
      end_of(particles, deal, PairwiseDrift<double, Kernel>(Kernel(0.7)), Threads::alone());
  expect(end_of(particles, deal, PairwiseDrift<double, Kernel>(Kernel(0.7), crew), crew) == one,
         name);
  const auto twin =
      end_of(particles, deal, ReferenceDrift<double, Kernel>(Kernel(0.7)), Threads::alone());
  double apart = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    apart = std::max(apart, std::abs(one[i] - twin[i]));
  expect(apart < 1e-6, name);
}

void read(const std::string& text) {
  // Of exactly its size, so that a byte too far is seen.
  std::vector<char> exact(text.begin(), text.end());
  const std::string_view view(exact.data(), exact.size());
  for (const char* label : {"", "0", "-1", "y"})
    try {
      const io::Table table = io::looks_like_libsvm(view)
                                  ? io::parse_libsvm("text", view, {.label = label})
                                  : io::parse_delimited("text", view, {.label = label});
      expect(table.features.size() == table.rows * table.columns,
             "a table has rows x columns features");
    } catch (const io::BadData&) {
    }
}

} // namespace

int main() {
  for (const std::size_t particles : {2u, 9u, 64u}) {
    fly(particles, Matching(2), "matching");
    if (particles > 2) {
      fly(particles, Shuffle(2, 3), "shuffle");
      fly(particles, Moebius(2, 4), "moebius");
      fly(particles, Draw(2, 3), "draw");
    }
  }
  fly(64, Cosets(2, 8), "cosets");
  const std::string texts[] = {"a,b,y\n1,2,0\n3,4,1\n",
                               "1 1:2 3:4\n-1 2:1e-3 # end\n",
                               "\"a \"\"b\"\"\";y\r\n1,5;0\r\n2;1",
                               "1\t2\t0\n3\t4\t1\n",
                               "  1 2 0\n 3  4 1 \n",
                               "a\n",
                               "\n\n",
                               "x,y\nNA,inf\n1e999,2\n"};
  for (const std::string& text : texts)
    for (std::size_t size = 0; size <= text.size(); ++size) { // and cut short anywhere
      read(text.substr(0, size));
      read(text.substr(size));
    }
  if (faults == 0)
    std::puts("all of it holds");
  return faults == 0 ? 0 : 1;
}
