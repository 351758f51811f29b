// The tables: one entry for each kernel, dealer, step rule, target and format, with its name, its
// settings, what is known about it, and how it is made. Everything that lists choices reads them:
// options, config files, completion, help, error messages, Python.
//
// What an entry is stands here; src/assemble fills the tables, since only there all the parts are
// known.
#pragma once

#include "plan/setting.hpp"

#include <starling/deal/orders.hpp>
#include <starling/kernel/all.hpp>
#include <starling/run/roles.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>

namespace starling::mpi {
class Wire; // mpi/wire.hpp
}
namespace starling::cuda {
template <typename Real>
struct Rule; // cuda/move.hpp
}

namespace starling::plan {

struct Plan;

/// A factory for each number type.
template <template <typename> class Make>
struct InBoth {
  Make<double> in_double;
  Make<float> in_single;

  template <typename Real>
  const Make<Real>& in() const {
    if constexpr (std::is_same_v<Real, double>)
      return in_double;
    else
      return in_single;
  }
};

template <typename Real>
using MakeKernel = std::function<kernel::AnyKernel<Real>(const Given& settings, std::size_t dim)>;

struct KernelEntry {
  std::string name, help;
  std::vector<Setting> settings; ///< numbers, written NAME:a=1,m=2
  bool has_bandwidth = false;    ///< these five follow from its type
  bool singular = false;
  bool on_card = false; ///< cards have it too
  bool radial = true;   ///< a function of the distance
  bool vectorised = false;
  bool over_everyone = false;      ///< exact over all particles, not in batches
  bool for_each_parameter = false; ///< a diagonal matrix instead of a number
  std::size_t only_dim = 0;        ///< 0: any
  InBoth<MakeKernel> make;
};

template <typename Real>
using MakeDealer =
    std::function<run::AnyDealer<Real>(const Plan& plan, std::uint64_t seed, Threads& threads)>;

using MakeOrders = std::function<Orders(const Plan& plan, std::uint64_t seed, Threads& threads)>;

/// When none is asked for, the last of the table that fits is taken.
struct DealerEntry {
  std::string name, help;
  bool (*fits)(const Plan& plan); ///< whether it can deal these batches
  InBoth<MakeDealer> make;
  MakeOrders orders;    ///< for ranks and cards. Empty: ranks then share scores and spread no rows
  bool on_card = false; ///< its orders are no lists of all rows
  std::size_t least_particles = 0; ///< of fewer it is taken only by name
};

template <typename Real>
using MakeRule =
    std::function<run::AnyAdvance<Real>(const Plan& plan, const Given& settings, Threads& threads)>;

template <typename Real>
using MakeRuleOnCard = std::function<cuda::Rule<Real>(const Plan& plan, const Given& settings)>;

struct RuleEntry {
  std::string name, help;
  std::vector<Setting> settings; ///< beside the step size; each is an option --NAME-SETTING
  InBoth<MakeRule> make;
  InBoth<MakeRuleOnCard> on_card; ///< empty: cards cannot move by it
  bool for_riesz_pairs = false;   ///< needs the kernel riesz and batches of two
  bool stochastic = false; ///< moves by the batch mean with noise of the kernel; made with its
                           ///< drift, not by `make`
};

/// What a target is made from, beside its settings.
struct TargetContext {
  Threads& threads;
  std::uint64_t seed = 1; ///< of this run
  std::uint64_t data_seed =
      1;                  ///< of what is random and the same in all runs, as the split of the data
  std::string start_file; ///< for a start of the target's own that reads one
  bool in_stages = false; ///< else the raw method
  bool constants = false; ///< log densities with them, for the evidence, where the target can
  std::shared_ptr<mpi::Wire> ranks = {}; ///< that make it too, all alike; empty: none but this one
};
template <typename Real>
using MakeTarget = std::function<run::AnyTarget<Real>(const TargetContext& context)>;

struct TargetEntry {
  std::string name, help;
  std::vector<Setting> settings;
  std::vector<std::string> starts; ///< of its own, by name; FILE.csv is one that reads a file
  std::string default_start = "normal:0,1";
  bool may_be_periodic = false; ///< whether a torus makes sense without a warning
  bool torus = true;            ///< whether a torus makes sense at all
  /// Checks the settings, opening no file, and answers what makes the target.
  InBoth<MakeTarget> (*prepare)(const Given& settings);
  bool of_table = false; ///< its data are a table, which the first rank of a machine reads for all,
                         ///< unless it is a .npy
};

std::span<const KernelEntry> kernels();
std::span<const DealerEntry> dealers();
std::span<const RuleEntry> rules();
std::span<const TargetEntry> targets();

/// The names of a table, in its order.
template <typename Entry>
std::vector<std::string> names_of(std::span<const Entry> table) {
  std::vector<std::string> names;
  for (const Entry& entry : table)
    names.push_back(entry.name);
  return names;
}

/// A setting of targets or step rules as an option of the command line, and whose it is.
struct TableSetting {
  Setting setting; ///< named as the option is
  std::vector<std::string> owners;
  bool of_target = true;

  /// Whether it can be given for this target; settings of step rules can for all.
  bool is_for(const std::string& target) const {
    return !of_target || std::find(owners.begin(), owners.end(), target) != owners.end();
  }
};
/// Every setting in the tables of targets and step rules, once by name, in the order of the tables.
const std::vector<TableSetting>& table_settings();

} // namespace starling::plan
