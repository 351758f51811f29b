// The table of kernels.
#include "plan/tables.hpp"

#include <starling/cpu/pairwise_drift.hpp>
#include <starling/error.hpp>

#include <fmt/format.h>

namespace starling::plan {

namespace {

/// An entry; what its type says is not said again. `make` is called with a zero of the number type.
template <template <typename> class K, typename Make>
KernelEntry entry(std::string name, std::string help, std::vector<Setting> settings, Make make) {
  KernelEntry e;
  e.name = std::move(name);
  e.help = std::move(help);
  e.settings = std::move(settings);
  e.has_bandwidth = HasBandwidth<K<double>, double>;
  e.singular = is_singular<K<double>>;
  e.radial = RadialKernel<K<double>, double>;
  e.vectorised = cpu::Vectorised<K<double>, double>;
  e.on_card = kernel::is_on_cards<K<double>, double>;
  e.for_each_parameter = CoordinateKernel<K<double>, double>;
  e.make.in_double = [make](const Given& given, std::size_t dim) { return make(0.0, given, dim); };
  e.make.in_single = [make](const Given& given, std::size_t dim) { return make(0.0F, given, dim); };
  return e;
}

/// One that has only a bandwidth, set later.
template <template <typename> class K>
KernelEntry plain(std::string name, std::string help) {
  return entry<K>(std::move(name), std::move(help), {},
                  [](auto zero, const Given&, std::size_t) { return K<decltype(zero)>(1); });
}

/// The exponent a of 1/r^a, which must stay below the dimension.
double below_dim(const char* name, double a, std::size_t dim) {
  if (!(a < static_cast<double>(dim)))
    reject(fmt::format("kernel {}, a", name), fmt::format("below the dimension, {}", dim),
           fmt::format("{}", a));
  return a;
}

std::vector<KernelEntry> make_kernel_table() {
  std::vector<KernelEntry> table;
  table.push_back(plain<kernel::Gaussian>("gaussian", "exp(-r^2 / 2h)"));
  table.push_back(
      entry<kernel::Gaussian>("gaussian-paper", "exp(-r^2 / 2h) / sqrt(2 pi h), as in the paper",
                              {}, [](auto zero, const Given&, std::size_t) {
                                return kernel::Gaussian<decltype(zero)>(1, kernel::Height::paper);
                              }));
  table.push_back(
      plain<kernel::InverseMultiquadric>("imq", "inverse multiquadric, (1 + r^2 / 2h)^(-1/2)"));
  table.push_back(plain<kernel::Matern32>("matern32", "Matern, once differentiable"));
  table.push_back(plain<kernel::Matern52>("matern52", "Matern, twice differentiable"));
  table.push_back(entry<kernel::Polynomial>(
      "polynomial", "(a x.y + 1)^m",
      {{"a", 1.0, "the scale", positive}, {"m", std::uint64_t{2}, "the degree", {1, 64}}},
      [](auto zero, const Given& given, std::size_t) {
        using Real = decltype(zero);
        return kernel::Polynomial<Real>(static_cast<Real>(number(given, "a")),
                                        static_cast<int>(count(given, "m")));
      }));
  table.push_back(entry<kernel::Parameters>(
      "parameters",
      "one for each parameter, exp(-(x_a - y_a)^2 / 2h v_a), v_a its variance in the cloud",
      {{"h", 0.1, "squared width, in variances of the cloud", positive}},
      [](auto zero, const Given& given, std::size_t) {
        using Real = decltype(zero);
        return kernel::Parameters<Real>(static_cast<Real>(number(given, "h")));
      }));
  table.back().vectorised = true;
  table.push_back(entry<kernel::Sinc>(
      "sinc", "sin(a r) / (pi r), in one dimension", {{"a", 1.0, "the frequency", positive}},
      [](auto zero, const Given& given, std::size_t) {
        using Real = decltype(zero);
        return kernel::Sinc<Real>(static_cast<Real>(number(given, "a")));
      }));
  table.back().only_dim = 1;
  table.push_back(entry<kernel::Riesz>("riesz", "1 / r^a, singular: for pairs and the splitting",
                                       {{"a", 0.5, "the exponent, below the dimension", positive}},
                                       [](auto zero, const Given& given, std::size_t dim) {
                                         using Real = decltype(zero);
                                         return kernel::Riesz<Real>(static_cast<Real>(
                                             below_dim("riesz", number(given, "a"), dim)));
                                       }));
  table.push_back(entry<kernel::SmoothRiesz>(
      "riesz-smooth", "1 / r^a mollified by N(0, s^2)",
      {{"a", 0.5, "the exponent, below the dimension", positive},
       {"s", 1.0, "the width of the mollifier", positive}},
      [](auto zero, const Given& given, std::size_t dim) {
        using Real = decltype(zero);
        return kernel::SmoothRiesz<Real>(
            static_cast<Real>(below_dim("riesz-smooth", number(given, "a"), dim)),
            static_cast<Real>(number(given, "s")), dim);
      }));
  KernelEntry marginals; // drift/marginals.hpp
  marginals.name = "marginals";
  marginals.help = "one for each parameter, (1 + z) exp(-z), z^2 = 3 (x_a - y_a)^2 / h v_a: summed "
                   "over all particles, by sorting";
  marginals.settings = {{"h", 0.1, "squared width, in variances of the cloud", positive}};
  marginals.radial = false;
  marginals.vectorised = true;
  marginals.over_everyone = marginals.for_each_parameter = true;
  table.push_back(std::move(marginals));
  KernelEntry bilinear; // no kernel of pairs in batches: drift/bilinear.hpp
  bilinear.name = "bilinear";
  bilinear.help = "(1 + (x - m).(y - m)) / d, m the mean of the cloud: summed over all particles";
  bilinear.radial = false;
  bilinear.vectorised = true;
  bilinear.over_everyone = true;
  table.push_back(std::move(bilinear));
  return table;
}

} // namespace

std::span<const KernelEntry> kernels() {
  static const std::vector<KernelEntry> table = make_kernel_table();
  return table;
}

} // namespace starling::plan
