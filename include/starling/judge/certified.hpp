// The verdict that rests on a certificate: whether exact moves would change the cloud.
#pragma once

#include <starling/density.hpp>
#include <starling/judge/move_test.hpp>
#include <starling/judge/searched.hpp>
#include <starling/judge/summary.hpp>
#include <starling/judge/verdict.hpp>
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <functional>
#include <string>
#include <vector>

namespace starling::judge {

/// Confirmed is converged, moved is still moving, undecided is cannot tell. `names` are those of
/// the test's columns; `modes` is how many the scout counted, since moves do not cross between
/// them; `raw` is whether the cloud is the raw method's, whose options can be mended.
Judgement judge_by_moves(const Certificate& certificate, const std::vector<std::string>& names,
                         std::size_t modes, bool raw = false);

/// Whether no spread identity of these particles is out of its bounds beyond its error.
bool identities_hold(Rows<const double> x, Rows<const double> score, Threads& threads);

/// The same judgement, unless it is "converged" and a spread identity speaks against it, beyond its
/// error: moves see what is wrong where they lead, and identities where particles are. An identity
/// takes for granted that the density falls to zero where it ends; `ends_at_a_step` says of a
/// parameter that it does not, and then its identity says nothing.
Judgement with_identities(const Judgement& judgement,
                          const std::vector<ParameterSummary>& positions,
                          const std::function<bool(std::size_t)>& ends_at_a_step = {});

/// The same, unless it is "converged" and the density failed in more than 3 of 1000 of the
/// gradients of exact moves: what lies there is missing from the cloud.
Judgement with_failures(const Judgement& judgement, const Failures& failures,
                        std::uint64_t gradients);

/// The same, unless it is "converged" and a search around the cloud met what is as high and away
/// from it, or a mode that matters and is too light for a particle. Else it says what was searched.
Judgement with_search(const Judgement& judgement, const Searched& searched,
                      const std::vector<std::string>& positions);

/// Whose trait it is: a column by its name, or what of the joint.
std::string name_of(const Displacement& one, const std::vector<std::string>& columns);

/// A finding in a word, as files have it.
const char* word(Finding finding);

} // namespace starling::judge
