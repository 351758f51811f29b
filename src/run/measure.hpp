// What a cloud at its end is worth: shared by flights and runs in stages.
#pragma once

#include <starling/judge/trace.hpp>
#include <starling/run/flight.hpp>
#include <starling/stages/journey.hpp>

namespace starling::run {

/// Fills in spread, centre, score, identities and shift of a look from positions and scores.
void judge_rows(Rows<const double> x, Rows<const double> score, judge::TraceRow& row,
                Threads& threads);

/// The diagnosis of the outcome's positions, what was held out, and the parameters as users read
/// them. `score`: there; where the outcome has no log densities the target is asked for both. The
/// trace must end with the look at these positions.
void measure_at(const AnyTarget<double>& target, const Settings& settings, Rows<const double> score,
                Outcome& outcome, Threads& threads);

/// The separate groups of the outcome's draws, as the journey found and weighed them; nothing where
/// there is one. A group without particles is at its mode.
void add_groups(const AnyTarget<double>& target, const stages::Journey& journey, Outcome& outcome);

/// A cloud that is not "converged": whether its log density grows without bound, or does not fall,
/// along some way out of it. Then the verdict says so, and where. Not where a log density asks for
/// many rows of data, nor on a torus. `score`: at its positions.
void judge_growth(const AnyTarget<double>& target, Rows<const double> score, Outcome& outcome);

/// The log evidence of a finished journey, after the verdict. Nothing where it was not asked for.
std::optional<EvidenceReport> report_evidence(const stages::Journey& journey,
                                              const AnyTarget<double>& target,
                                              const Outcome& outcome);
/// That of several runs: their mean.
std::optional<EvidenceReport> pool_evidence(std::span<const Outcome> runs);

/// Several groups are not "converged" by local tests alone.
void withdraw_converged(Outcome& outcome);

/// Counts the groups on which a cloud lies, and those around it, by a target of either precision;
/// "converged" by local tests is withdrawn where there are several. On a torus, or of very few
/// particles, nothing is counted.
template <typename Real>
void count_groups(const AnyTarget<Real>& target, Outcome& outcome, Threads& threads);

/// The verdict that a certificate gives, instead of the one that the identities gave.
/// `doubt`: why the shares of groups cannot be trusted.
void judge_by(const judge::Certificate& certificate, const AnyTarget<double>& target, bool raw,
              Outcome& outcome, const std::string& doubt = {});

/// Certifies a raw run's end as its settings ask. Unasked: only where the identities say converged,
/// and the moves cost at most an eighth of the gradients of these sweeps; where they cost more, the
/// sentence says so.
void certify_at(const AnyTarget<double>& target, Threads& threads, double sweeps, Outcome& outcome);

/// Summaries of columns that have no scores; values that are not numbers are passed over.
std::vector<judge::ParameterSummary> summarize_columns(const Constrained& table,
                                                       Threads& threads = Threads::alone());

/// The parameters as users read them, into an outcome that has its positions and their diagnosis.
void take_columns(Constrained columns, Outcome& outcome, Threads& threads);

/// How much the log density rises from particles to points beside them, against what its scores
/// foresee: 1 for a gradient that is its own, the middle of all for one that is not. 1 also where
/// nothing can be told.
double rise_by_scores(const AnyTarget<double>& target, Rows<const double> x);

/// Whether the density ends at a step along this parameter: a short way from an eighth of the
/// particles or more it is zero, and just before as high as in most of the cloud.
bool ends_at_a_step(const AnyTarget<double>& target, Rows<const double> x,
                    std::span<const double> log_density, std::size_t parameter);

/// What the journey did, with a warning where its flight was given up. `particles`: of the cloud at
/// the end, 0 where the flight began with all of them; `columns`: those that are followed.
StageReport report_stages(const stages::Journey& journey, std::size_t particles,
                          std::vector<std::string> columns, std::vector<std::string>& warnings);

/// Into a report, with a warning where few rows could not speak for all.
void report_rows(const stages::RowsReport& rows, StageReport& report,
                 std::vector<std::string>& warnings);

} // namespace starling::run
