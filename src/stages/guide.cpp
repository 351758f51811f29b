// A guide by the whole density: it leads and it decides.
#include <starling/stages/guide.hpp>

#include <utility>

namespace starling::stages {

namespace {

class WholeDensity final : public Guide {
public:
  WholeDensity(DensityOfRows density, std::size_t dim) : density_(std::move(density)), dim_(dim) {}

  std::size_t dim() const override { return dim_; }

  bool scout(const Settings& asked, scout::Report& report) override {
    if (!scouting_) {
      scout::Settings settings;
      settings.starts = asked.starts;
      settings.climb_from = asked.climb_from;
      if (asked.metric == Metric::low_rank)
        settings.form = Frame::Form::low_rank;
      else if (asked.metric == Metric::dense)
        settings.form = Frame::Form::dense;
      else if (dim_ > settings.dense_up_to)
        settings.form = Frame::Form::diagonal;
      scouting_ = std::make_unique<scout::Scouting>(density_, dim_, asked.seed, settings);
      return false;
    }
    if (scouting_->step())
      return false;
    report = scouting_->report();
    return true;
  }
  void forget_scout() override { scouting_.reset(); }

  Cloud start(const Frame& frame, const Settings& settings, std::size_t particles,
              bool /*flies*/) override {
    const Frame::Matrix x = scout::start(frame, density_, particles, settings.seed);
    return cloud_at(rows_of(x), density_);
  }
  bool reframes(Metric metric) const override {
    return metric == Metric::none || metric == Metric::diagonal;
  }

  CountedDensity& density() override { return density_; }
  void score(Step /*k*/, Rows<const double> x, Rows<double> score,
             std::span<double> log_density) override {
    density_(x, score, log_density);
  }
  void estimate(Rows<const double> x, Rows<double> score, std::span<double> log_density) override {
    density_(x, score, log_density);
  }
  Spent spent() const override { return {density_.gradients(), {}, density_.failures()}; }

private:
  CountedDensity density_;
  std::size_t dim_;
  std::unique_ptr<scout::Scouting> scouting_; // under way; not saved
};

} // namespace

std::unique_ptr<Guide> guide_by(DensityOfRows density, std::size_t dim) {
  return std::make_unique<WholeDensity>(std::move(density), dim);
}

} // namespace starling::stages
