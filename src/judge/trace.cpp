// Trends along a trace, and the trace as text.
#include <starling/judge/trace.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace starling::judge {

namespace {

constexpr std::size_t for_a_trend = 8, for_a_stop = 20; // looks at least

std::string cell(const std::optional<Verdict>& verdict) { return verdict ? word(*verdict) : ""; }
std::string cell(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{}", value);
}
template <typename Whole>
std::string cell(Whole value) {
  return fmt::format("{}", value);
}

template <typename Figure>
Trend trend_of(const std::vector<TraceRow>& trace, Figure figure) {
  const std::size_t quarter = trace.size() / 4;
  const auto mean = [&](std::size_t first, auto&& value) {
    double sum = 0;
    for (std::size_t m = first; m < first + quarter; ++m)
      sum += value(trace[m]) / static_cast<double>(quarter);
    return sum;
  };
  const std::size_t last = trace.size() - quarter;
  const double now = mean(last, figure), before = mean(last - quarter, figure);
  const double square = mean(last, [&](const TraceRow& row) {
    const double off = figure(row) - now;
    return off * off;
  });
  return {now - before, std::sqrt(square)};
}

} // namespace

std::string trace_csv(const std::vector<TraceRow>& trace) {
  std::string text;
  const auto line = [&text](const TraceRow& row, auto&& cell_of) {
    const std::size_t begin = text.size();
    for_each_column(row, [&](const char* name, const auto& value) {
      if (text.size() > begin)
        text += ',';
      text += cell_of(name, value);
    });
    text += '\n';
  };
  line(TraceRow(), [](const char* name, const auto&) { return std::string(name); });
  for (const TraceRow& row : trace)
    line(row, [](const char*, const auto& value) { return cell(value); });
  return text;
}

Trends trends(const std::vector<TraceRow>& trace) {
  if (trace.size() < for_a_trend)
    return {};
  const double scale = trace.back().spread;
  return {trend_of(trace, [](const TraceRow& row) { return std::log(row.spread); }),
          trend_of(trace, [](const TraceRow& row) { return std::log(row.score); }),
          trend_of(trace, [scale](const TraceRow& row) { return row.centre / scale; })};
}

bool settled(const std::vector<TraceRow>& trace) {
  if (trace.size() < for_a_stop)
    return false;
  const std::size_t streak = std::max(for_a_trend, (trace.size() + 3) / 4);
  const Trends going = trends(trace);
  return !going.spread.beyond(least_trend) && !going.centre.beyond(least_trend) &&
         std::all_of(trace.end() - static_cast<std::ptrdiff_t>(streak), trace.end(),
                     [](const TraceRow& row) { return row.verdict == Verdict::converged; });
}

} // namespace starling::judge
