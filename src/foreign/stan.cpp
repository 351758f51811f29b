// Calling a Stan model.
#include "foreign/stan.hpp"

#include <starling/random/philox.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

namespace starling::foreign {

namespace {

constexpr std::size_t grain = 16; // particles handed to a thread at a time: a gradient is slow
constexpr double radius = 2;      // of the start, as in Stan
constexpr int attempts = 100;     // as in Stan

/// Stan's generators take 32 bits: the seed of the model, and that of its generated quantities.
unsigned seed_for(std::uint64_t seed, std::size_t use) {
  return Philox(seed)(Stream::stan, 0, 0)[use];
}
constexpr std::size_t for_data = 0, for_quantities = 1;

bool finite(double value) { return std::isfinite(value); }

// Stan models may print. Stdout belongs to results.
void to_stderr(const char* text, std::size_t size) { std::fwrite(text, 1, size, stderr); }
void to_nobody(const char*, std::size_t) {}

/// "theta.1.2" as theta[1,2], the form of all our names; a name without indices stays.
std::string bracketed(std::string name) {
  const std::size_t dot = name.find('.');
  if (dot == name.npos || name.find_first_not_of("0123456789.", dot) != name.npos)
    return name;
  std::replace(name.begin() + static_cast<std::ptrdiff_t>(dot), name.end(), '.', ',');
  name[dot] = '[';
  return name + "]";
}

/// stanli calls a datum that is missing unknown; other reasons stay.
std::string why_no_model(std::string reason) {
  for (const std::string_view mark :
       {"unknown data variable ", "size expression needs unknown int "})
    if (const std::size_t at = reason.find(mark); at != reason.npos)
      return "must have every variable of the program's data block; got no " +
             reason.substr(at + mark.size());
  return reason;
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    names.push_back(bracketed(std::string(list.substr(0, comma))));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

} // namespace

StanModel::StanModel(const std::string& file, const std::string& data, std::uint64_t seed,
                     Threads& threads, std::uint64_t data_seed, ShownAs shown, bool constants)
    : library_(file), data_(data),
      shown_(shown.model.empty() ? ShownAs{file, data} : std::move(shown)), stan_(library_),
      threads_(threads), seed_(seed), model_(nullptr, stan_.model_destruct),
      gradients_("the gradient", "its score was set to zero"),
      constraints_("constraining a draw", "it is nan in the results") {
  if (stan_.set_print_callback)
    stan_.set_print_callback(to_stderr, nullptr);
  char* error = nullptr;
  model_.reset(stan_.model_construct(data.c_str(), seed_for(data_seed, for_data), &error));
  if (!model_)
    throw BadLibrary(shown_.data.empty() ? shown_.model : shown_.data,
                     why_no_model(reason(-1, error)) +
                         (shown_.data.empty() ? "; no data were given" : ""));
  names_ = names_in(stan_.param_unc_names(model_.get()));
  constrained_names_ = names_in(stan_.param_names(model_.get(), true, true));
  if (names_.empty())
    throw BadLibrary(shown_.model, "is a model without parameters: there is nothing to sample");
  const auto agree = [](const std::vector<std::string>& names, int count) {
    return count >= 0 && names.size() == static_cast<std::size_t>(count);
  };
  if (!agree(names_, stan_.param_unc_num(model_.get())) ||
      !agree(constrained_names_, stan_.param_num(model_.get(), true, true)))
    throw BadLibrary(shown_.model, "is a model that does not name each of its parameters");
  const std::string_view info = stan_.model_info(model_.get());
  on_all_threads_ = info.find("STAN_THREADS=true") != info.npos;
  constants_ = constants && can_give_constants();
}

template <typename One>
void StanModel::each(std::size_t count, One&& one) {
  const auto some = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      one(i);
  };
  on_all_threads_ ? threads_.for_pieces(count, grain, some) : some(0, count);
}

/// The model's words for a failure; nothing if there was none.
std::string StanModel::reason(int code, char* error) const {
  std::string words = error ? one_line(error) : std::string();
  if (error)
    stan_.free_error_msg(error);
  // A copy in the cache is not a file that users know.
  const std::string& user = shown_.data.empty() ? shown_.model : shown_.data;
  for (std::size_t at = 0; !data_.empty() && (at = words.find(data_, at)) != words.npos;
       at += user.size())
    words.replace(at, data_.size(), user);
  if (code == 0)
    return {};
  return words.empty() ? "the model gives no reason" : words;
}

/// Why it failed; nothing if it did not.
std::string StanModel::gradient(std::span<const double> x, std::span<double> score,
                                double& density) const {
  char* error = nullptr;
  const int code = stan_.log_density_gradient(model_.get(), !constants_, true, x.data(), &density,
                                              score.data(), &error);
  std::string why = reason(code, error);
  if (why.empty() && !(finite(density) && std::ranges::all_of(score, finite)))
    why = "the log density or its gradient is not finite";
  return why;
}

/// Some compilers leave them out for good: then every gradient with them fails, wherever it is.
bool StanModel::can_give_constants() {
  std::vector<double> x(dim()), score(dim());
  double density = 0;
  constants_ = false;
  if (!draw(0, x).empty())
    return true; // nothing is known; the run will say what fails
  constants_ = true;
  return gradient(x, score, density).empty();
}

void StanModel::evaluate(Step, Rows<const double> x, Rows<double> score,
                         std::span<double> log_density) {
  each(x.count, [&](std::size_t i) {
    std::string why = gradient(x[i], score[i], log_density[i]);
    if (why.empty())
      return;
    std::ranges::fill(score[i], 0.0);
    log_density[i] = -std::numeric_limits<double>::infinity();
    gradients_.note(i, std::move(why));
  });
  gradients_.settle();
}

StanModel::Random StanModel::random(unsigned seed) const {
  char* error = nullptr;
  Random made(stan_.rng_construct(seed, &error), stan_.rng_destruct);
  if (!made)
    throw BadLibrary(shown_.model, reason(-1, error));
  return made;
}

/// By the model itself, from a seed of the particle's own.
std::string StanModel::initialize(std::size_t particle, std::span<double> x) const {
  const Random rng = random(Philox(seed_)(Stream::start, 0, particle)[0]);
  char* error = nullptr;
  const int code = stan_.param_initialize(model_.get(), nullptr, rng.get(), radius, attempts, true,
                                          x.data(), &error);
  return reason(code, error);
}

/// The same for models that cannot do it.
std::string StanModel::draw(std::size_t particle, std::span<double> x) const {
  const Philox philox(seed_);
  std::vector<double> score(x.size());
  std::string why;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    for (std::size_t a = 0; a < x.size(); ++a) { // two coordinates share a block
      const Block bits = philox(Stream::start, a / 2, particle, static_cast<std::uint8_t>(attempt));
      x[a] = -radius + 2 * radius * uniform(bits, static_cast<int>(a % 2));
    }
    double density = 0;
    why = gradient(x, score, density);
    if (why.empty())
      break;
  }
  return why;
}

void StanModel::start(Rows<double> x) {
  if (stan_.set_print_callback) // a draw that is refused is no news
    stan_.set_print_callback(to_nobody, nullptr);
  each(x.count, [&](std::size_t i) {
    const std::string why = stan_.param_initialize ? initialize(i, x[i]) : draw(i, x[i]);
    if (!why.empty())
      throw TargetError(0, i, "no place to start was found: " + why);
  });
  if (stan_.set_print_callback)
    stan_.set_print_callback(to_stderr, nullptr);
}

std::vector<double> StanModel::constrain(Rows<const double> x) {
  const std::size_t width = constrained_names_.size();
  std::vector<double> values(x.count * width);
  const Random rng = random(seed_for(seed_, for_quantities));
  for (std::size_t i = 0; i < x.count; ++i) {
    const std::span<double> row(values.data() + i * width, width);
    char* error = nullptr;
    const int code =
        stan_.param_constrain(model_.get(), true, true, x[i].data(), row.data(), rng.get(), &error);
    std::string why = reason(code, error);
    if (why.empty())
      continue;
    std::ranges::fill(row, std::numeric_limits<double>::quiet_NaN());
    constraints_.note(i, std::move(why));
  }
  constraints_.settle();
  return values;
}

std::vector<std::string> StanModel::parameter_names() const {
  return names_in(stan_.param_names(model_.get(), false, false));
}

std::string StanModel::unconstrain(std::span<const double> parameters, std::span<double> x) const {
  if (!stan_.param_unconstrain)
    throw BadLibrary(shown_.model, "must export bs_param_unconstrain to start from draws; got a "
                                   "library without it");
  char* error = nullptr;
  const int code = stan_.param_unconstrain(model_.get(), parameters.data(), x.data(), &error);
  std::string why = reason(code, error);
  if (why.empty() && !std::ranges::all_of(x, finite))
    why = "a position that is not finite";
  return why;
}

std::vector<std::string> StanModel::warnings() const {
  std::vector<std::string> all;
  if (!on_all_threads_ && threads_.count() > 1)
    all.push_back("model " + shown_.model +
                  " was compiled without STAN_THREADS=true: its gradients run on one thread");
  for (const Failures* failures : {&gradients_, &constraints_})
    for (std::string& line : failures->lines())
      all.push_back(std::move(line));
  return all;
}

} // namespace starling::foreign
