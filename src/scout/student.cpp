// Student's t in a frame: its density, its draws, and the tails that fit a cloud.
#include <starling/scout/student.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace starling::scout {

std::vector<double> Student::log_density(Rows<const double> x) const {
  const Frame::Matrix y = frame.inverse(x);
  const Frame::Vector stretched = frame.log_determinant(y);
  const double f = double(freedom), d = double(frame.dim());
  const double constant = freedom > 0 ? std::lgamma((f + d) / 2) - std::lgamma(f / 2) -
                                            d / 2 * std::log(f * std::numbers::pi)
                                      : -d / 2 * std::log(2 * std::numbers::pi);
  std::vector<double> all(x.count);
  for (std::size_t i = 0; i < x.count; ++i) {
    const double squared = y.row(Eigen::Index(i)).squaredNorm();
    const double falls = freedom > 0 ? (f + d) / 2 * std::log1p(squared / f) : squared / 2;
    all[i] = constant - stretched[Eigen::Index(i)] - falls;
  }
  return all;
}

Frame::Matrix Student::draw(const Philox& philox, Stream stream, Step step,
                            std::size_t count) const {
  const std::size_t d = frame.dim(), width = d + freedom;
  Frame::Matrix z = Frame::Matrix::Zero(Eigen::Index(count), Eigen::Index(d));
  for (std::size_t i = 0; i < count; ++i) {
    double chi = 0;
    for (std::size_t a = 0; a < width; ++a) {
      const double normal = normal_pair(philox(stream, step, i * width + a))[0];
      if (a < d)
        z(Eigen::Index(i), Eigen::Index(a)) = normal;
      else
        chi += normal * normal;
    }
    if (freedom > 0)
      z.row(Eigen::Index(i)) *= std::sqrt(double(freedom) / chi);
  }
  return frame.forward(z);
}

Student likeliest_student(const Frame& frame, Rows<const double> x) {
  Student best;
  double most = -std::numeric_limits<double>::infinity();
  for (const std::size_t freedom : std::array<std::size_t, 5>{0, 30, 10, 5, 3}) {
    Student one{frame, freedom};
    const std::vector<double> each = one.log_density(x);
    const double sum = std::accumulate(each.begin(), each.end(), 0.0);
    if (sum > most) {
      most = sum;
      best = std::move(one);
    }
  }
  return best;
}

} // namespace starling::scout
