// Stages in a list of one's own: a start of one's own, certified and, if it must be, settled.
#include <starling/starling.hpp>

#include <cstdio>
#include <utility>

int main() {
  using namespace starling;
  const DensityOfRows density = [](Rows<const double> x, Rows<double> score, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i) { // a normal, 1 and 100 wide
      score[i][0] = -x[i][0];
      score[i][1] = -x[i][1] / 1e4;
      l[i] = -(x[i][0] * x[i][0] + x[i][1] * x[i][1] / 1e4) / 2;
    }
  };
  std::vector<double> start(2 * 256);
  start_normal(Rows<double>{start.data(), 256, 2}, 1, 0, 1); // too narrow in the second

  std::vector<stages::Stage> list;
  list.emplace_back(stages::Certify());
  list.emplace_back(stages::Settle());
  stages::Settings settings;
  settings.particles = 256;
  stages::Group group(density, 2, settings, Threads::alone(), {}, std::move(list));
  group.begin_from({start.data(), 256, 2});
  while (!group.finished())
    group.unit();
  const bool right = group.certificate()->finding == judge::Finding::confirmed;
  std::printf("%s; sd of the second %.1f\n", right ? "confirmed" : "not confirmed",
              group.state().pool.sds[1]);
  return right && group.state().settled ? 0 : 1;
}
