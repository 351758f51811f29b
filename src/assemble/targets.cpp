// The table of targets.
#include "assemble/wrap.hpp"
#include "plan/spec.hpp"

#include <starling/cpu/mixture.hpp>
#include <starling/error.hpp>
#include <starling/target/even_normal.hpp>
#include <starling/target/mixture.hpp>
#include <starling/target/shapes.hpp>

#include <fmt/format.h>

namespace starling::plan {

namespace {

using assemble::in_both;
using assemble::numbered;

InBoth<MakeTarget> mixture(const Given& given) {
  return in_both(
      [components = assemble::mixture_components(given)](auto zero, const TargetContext& context) {
        using Real = decltype(zero);
        Mixture<Real> one(components);
        if (one.dim() == 1)
          return assemble::row_by_row(
              assemble::wrap<Real>(cpu::MixtureOnTheLine<Real>(one, context.threads), {"x"}));
        return assemble::wrap_one<Real>(one, context.threads, numbered("x", one.dim()));
      });
}

InBoth<MakeTarget> normal(const Given& given) {
  return in_both([dim = count(given, "dim"), correlation = number(given, "correlation")](
                     auto zero, const TargetContext& context) {
    using Real = decltype(zero);
    return assemble::row_by_row(assemble::wrap<Real>(
        EvenNormal<Real>(dim, correlation, context.threads), numbered("x", dim)));
  });
}

InBoth<MakeTarget> banana(const Given& given) {
  return in_both([curvature = number(given, "curvature"),
                  width = number(given, "width")](auto zero, const TargetContext& context) {
    using Real = decltype(zero);
    return assemble::wrap_one<Real>(Banana<Real>(Real(curvature), Real(width)), context.threads,
                                    numbered("x", 2));
  });
}

InBoth<MakeTarget> funnel(const Given& given) {
  return in_both([dim = count(given, "dim"),
                  width = number(given, "width")](auto zero, const TargetContext& context) {
    using Real = decltype(zero);
    auto names = numbered("x", dim - 1);
    names.insert(names.begin(), "v");
    return assemble::wrap_one<Real>(Funnel<Real>(dim, Real(width)), context.threads,
                                    std::move(names));
  });
}

const Setting model = {"model", std::string(),
                       "The library, LIB.so: the same as MODEL after TARGET"};

std::vector<TargetEntry> make_target_table() {
  const Setting data = {"data", std::string(),
                        "FILE: csv, csv.gz, csv.xz, covtype.data[.gz], libsvm or a large .npy for "
                        "regressions, .json for stan, any for plugin"};
  const auto dim = [](double least) {
    return Setting{"dim", std::uint64_t{2}, "Dimension", at_least(least)};
  };
  const auto width = [](double usual) {
    return Setting{
        "width", usual,
        "Standard deviation of the first coordinate (default 1 for banana, 3 for funnel)",
        positive};
  };
  const Setting data_batch = {"data-batch", std::uint64_t{0},
                              "Data rows that a step reads (0: 100, or all if fewer; with --method "
                              "auto 1000 of 20,000 or more, else all)"};
  const std::vector<Setting> table = {
      data,
      {"label", std::string(),
       "Label column: NAME, or INDEX from 0 (negative: from the end); default the last"},
      {"drop", std::string(), "Columns to leave out: NAME,NAME, or indices as for the label"},
      {"category", std::string(),
       "Columns of numbers to read as categories: NAME,NAME; columns of text are read so by "
       "default"},
      {"base", std::string(),
       "The level that other levels are compared with: COLUMN=LEVEL,COLUMN=LEVEL; default the "
       "first in order"},
      {"missing",
       std::string("refuse"),
       "Rows with missing values (empty, NA, NaN): refuse them, or drop them and say how many",
       any_number,
       {"refuse", "drop"},
       true},
      {"scale",
       std::string("minmax"),
       "Scaling of the features: minmax, standard or none; results are in the columns' own units",
       any_number,
       {"minmax", "standard", "none"},
       true},
      data_batch,
      {"holdout",
       0.0,
       "Share of the rows held out for testing, from 0 to below 1",
       {0, 1, false, true}},
  };
  std::vector<Setting> with_positive = table;
  with_positive.insert(with_positive.begin() + 2,
                       {"positive", std::string(),
                        "The label VALUE that counts as 1; needed when there are more than two"});
  return {
      {"mixture",
       "a mixture of normals; by default the paper's",
       {{"weights", std::string("1/3,2/3"), "Weights of the components: 1/3,2/3"},
        {"means", std::string("-2;2"),
         "Means of the components, ';' between, ',' inside: -2;2 or 0,0;3,3"},
        {"sds", std::string("1"), "Standard deviations: one for all, or one for each component"}},
       {},
       "normal:0,1",
       false,
       true,
       mixture},
      {"normal",
       "a normal with equal correlations",
       {dim(1),
        {"correlation", 0.0, "Correlation between any two coordinates", {-1, 1, true, true}}},
       {},
       "normal:0,1",
       false,
       true,
       normal},
      {"banana",
       "a normal bent into a parabola",
       {{"curvature", 0.5, "How much it bends"}, width(1)},
       {},
       "normal:0,1",
       false,
       true,
       banana},
      {"funnel", "Neal's funnel", {dim(2), width(3)}, {}, "normal:0,1", false, true, funnel},
      {"logistic",
       "Bayesian logistic regression on a table",
       with_positive,
       {"prior"},
       "normal:0,1",
       false,
       false,
       assemble::prepare_logistic,
       true},
      {"linear",
       "Bayesian linear regression on a table",
       table,
       {},
       "normal:0,1",
       false,
       false,
       assemble::prepare_linear,
       true},
      {"poisson",
       "Bayesian Poisson regression on a table",
       table,
       {},
       "normal:0,1",
       false,
       false,
       assemble::prepare_poisson,
       true},
      {"multinomial",
       "Bayesian multinomial regression on a table",
       table,
       {},
       "normal:0,1",
       false,
       false,
       assemble::prepare_multinomial,
       true},
      {"stan",
       "a Stan model through BridgeStan's C interface",
       {model, data},
       {"stan", "FILE.csv"},
       "stan",
       false,
       false,
       assemble::prepare_stan},
      {"plugin",
       "a C function in a library of your own",
       {model, data, data_batch},
       {},
       "normal:0,1",
       true,
       true,
       assemble::prepare_plugin},
  };
}

} // namespace

std::span<const TargetEntry> targets() {
  static const std::vector<TargetEntry> table = make_target_table();
  return table;
}

} // namespace starling::plan

namespace starling::assemble {

std::vector<MixtureComponent> mixture_components(const plan::Given& given) {
  using namespace plan;
  const auto weights = parse_numbers("weights", text(given, "weights"));
  const auto means = plan::split(text(given, "means"), ';');
  auto sds = parse_numbers("sds", text(given, "sds"));
  if (sds.size() == 1)
    sds.assign(means.size(), sds[0]);
  if (weights.size() != means.size() || sds.size() != means.size())
    reject("mixture weights and sds", "as many as the means, " + std::to_string(means.size()),
           fmt::format("{} weights and {} sds", weights.size(), sds.size()));
  std::vector<MixtureComponent> components;
  for (std::size_t c = 0; c < means.size(); ++c) {
    const auto mean = parse_numbers("means", means[c]);
    if (!(sds[c] > 0))
      reject("sds", "positive", fmt::format("{}", sds[c]));
    const auto d = static_cast<Eigen::Index>(mean.size());
    components.push_back({weights[c], Eigen::Map<const Eigen::VectorXd>(mean.data(), d),
                          Eigen::MatrixXd::Identity(d, d) * sds[c] * sds[c]});
  }
  return components;
}

} // namespace starling::assemble
