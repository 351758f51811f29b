# The mutants of scripts/mutate: one wrong thing each, and the tests that must notice.
#
# of(FILE, TEST): mutants of this file, judged by the tests in TEST. Each entry is WHAT, OLD, NEW: a
# part of OLD between two @@, or all of it, becomes NEW. An OLD that ends in a semicolon is a
# statement, else an expression.

import stages

mutants = []


def of(file, test, lines):
    for what, old, new in lines:
        mutants.append({"file": file, "test": test, "what": what, "old": old, "new": new})


law = "tests/law/"
of("include/starling/batches.hpp", law + "lemma_1_test.cpp", [
    ("pair weight 1/p", "(n - 1) / (n * static_cast<double>(size - 1))",
     "1 / static_cast<double>(size)"),
    ("pair weight with p for p - 1", "(n - 1) / (n * static_cast<double>(size - 1))",
     "(n - 1) / (n * static_cast<double>(size))"),
    ("self weight times 1.3", "1.0 / static_cast<double>(population)",
     "1.3 / static_cast<double>(population)"),
])
of("include/starling/batches.hpp", law + "partitions_test.cpp", [
    ("batches that lose the last rows", "@@std::min(q, count % pieces)@@);\n    evenly_ = true",
     "std::size_t{0}"),
    ("one batch too many", "(n + p / 2) / p", "(n + p - 1) / p"),
])
of("include/starling/drift/pairwise.hpp", law + "lemma_1_test.cpp", [
    ("repulsion that attracts", "c * w.repulsion", "-c * w.repulsion"),
    ("self term with the weight of a pair", "add(i, self);", "add(i, pair);"),
    ("lift forgotten", "phi[a] += lift * xi[a];", ";"),
    ("a neighbour passed over", "std::size_t j = @@i + 1@@; j < x.count", "i + 2"),
])
of("include/starling/drift/reference.hpp", law + "lemma_1_test.cpp", [
    ("the slow twin weighs itself as a pair", "i == j ? self : pair", "pair"),
])
of("include/starling/deal/matching.hpp", law + "matching_test.cpp", [
    ("the same round in every step",
     "philox_.below(rounds, Stream::matching, @@k@@, 0)", "Step{0}"),
    ("the odd one always joins the first pair",
     "philox_.below(rounds / 2, Stream::matching, k, 1)", "0u"),
    ("rows never travel", "travel_(k, particles);", ";"),
])
of("include/starling/deal/matching_order.hpp", law + "order_test.cpp", [
    ("the place of a partner one further",
     "high = first_run ? @@c - row@@ : cycle - 1 - row;", "c - row + 1"),
    ("the last row paired with nobody",
     "to[2 * (end - begin) - 1] = @@rounds(count)@@;", "left_over(c, count)"),
    ("pairs of a matching in a run's own order",
     "second ? c - pair : pair", "second ? c - 1 - pair : pair"),
    ("the pair that the odd one joined not put back",
     "to[2 * (joined - begin)] = member(0, false);", ";"),
])
of("include/starling/deal/moebius_map.hpp", law + "order_test.cpp", [
    ("no reduction modulo q", "whole * q;\n    @@r = r - q < r ? r - q : r;@@", ";"),
    ("the pole of a map forgotten", "x == left || (c == 0 && x == 0)", "false"),
    ("the pole forgotten where many are filled", "to[pole - begin] = q;", ";"),
    ("back by the map itself", "return {q, @@(q - c) % q@@, b, (q - a) % q};", "(q - a) % q"),
])
of("include/starling/deal/moebius_order.hpp", law + "order_test.cpp", [
    ("changed places forgotten", "to[*one - begin] = one[changed];", ";"),
    ("rows at the end taken for those of the places before",
     "tail_[rows[t] - q_ - 1] = @@place@@;", "place - 1"),
])
of("include/starling/deal/cosets_order.hpp", law + "order_test.cpp", [
    ("members of a coset in another order", "among ^= basis[@@j@@] & (0 - (row & 1));", "0"),
    ("the place of a member forgotten", "member |= std::uint32_t{1} << j;", ";"),
])
of("include/starling/deal/order.hpp", law + "order_test.cpp", [
    ("larger batches at the end",
     "batch < larger() ? batch : larger()",
     "batch < pieces - larger() ? 0 : batch - (pieces - larger())"),
])
of("include/starling/ensemble.hpp", law + "matching_test.cpp", [
    ("memory does not travel", "travel(column.data(), dim_);", ";"),
    ("ids do not travel", "travel(id_.data(), 1);", ";"),
    ("counts of moves do not travel", "travel(moves_.data(), 1);", ";"),
])
of("include/starling/random/permute.hpp", law + "uniformity_test.cpp", [
    ("eight places share a word", "@@words[w] & 0xffff@@, stream", "words[0] & 0xffff"),
    ("nobody stays (Sattolo)", "below_16(@@static_cast<std::uint32_t>(i)@@, words[w] & 0xffff",
     "static_cast<std::uint32_t>(i - 1)"),
])
of("include/starling/deal/shuffle.hpp", law + "uniformity_test.cpp", [
    ("the same order in every step", "permute_(order, philox_, Stream::shuffle, k)",
     "permute_(order, philox_, Stream::shuffle, 0)"),
])
of("include/starling/deal/draw.hpp", law + "uniformity_test.cpp", [
    ("a bound one too small", "philox_.below(@@last + 1@@, Stream::draw", "last > 0 ? last : 1"),
    ("the same set in every step", "Stream::draw, @@k@@, m", "Step{0}"),
])
of("include/starling/deal/draw.hpp", law + "algorithm_2_test.cpp", [
    ("time counted in draws",
     "static_cast<double>(k) * static_cast<double>(batch_size_) / static_cast<double>(n)",
     "static_cast<double>(k)"),
    ("draws rounded down", "sweeps * population + batch_size_ - 1", "sweeps * population"),
])
of("include/starling/advance/explicit_step.hpp", law + "algorithm_2_test.cpp", [
    ("moves of the drawn not counted",
     "rule_.at(batches.time, moves[i]));\n        @@++moves[i];@@", ";"),
    ("moves counted by the step", "i + 1, rule_.at(batches.time, @@moves[i]@@)",
     "static_cast<std::uint32_t>(batches.time)"),
])
of("include/starling/deal/moebius.hpp", law + "triples_test.cpp", [
    ("maps that are fair only to pairs", "1 + philox_.below(q - 1, Stream::deal, k, 1)", "1u"),
    ("late rows stay at the end", "philox_.below(row + 1, Stream::deal, k, 4 + row - q)", "row"),
])
of("include/starling/deal/moebius_map.hpp", law + "triples_test.cpp", [
    ("infinity goes to b", "return c == q ? q : @@a@@;", "b"),
])
of("include/starling/deal/cosets_order.hpp", law + "triples_test.cpp", [
    ("vectors that are in the subspace already", "v = std::min(v, v ^ basis[j]);", ";"),
])
of("include/starling/deal/cosets.hpp", law + "triples_test.cpp", [
    ("the same subspace in every step", "Stream::deal, @@k@@, drawn++", "Step{0}"),
])
of("include/starling/deal/travel.hpp", law + "travel_test.cpp", [
    ("rows never travel", "k > 0 && k % every == 0", "false"),
])
of("include/starling/random/philox.hpp", law + "philox_test.cpp", [
    ("streams share their bits", "<< 8 | @@static_cast<std::uint32_t>(stream)@@", "0u"),
    ("no rejection", "static_cast<std::uint32_t>(product) < threshold", "false"),
    ("normals too wide", "-2.0 * std::log(uniform(bits, 0))", "-2.6 * std::log(uniform(bits, 0))"),
])
of("include/starling/drift/marginals.hpp", "tests/drift/marginals_test.cpp", [
    ("push from below times 1.3", "rate * below.push_far", "Real(1.3) * rate * below.push_far"),
    ("push from above the wrong way", "above.weighted() - rate * above.push_far",
     "above.weighted() + rate * above.push_far"),
    ("sums that fade too late", "pull_far = fade * (pull_far + gap * pull);",
     "pull_far = fade * pull_far + gap * pull;"),
    ("share of everyone where some are dealt", "part.weight / static_cast<Real>(n)",
     "part.weight / static_cast<Real>(particles.count())"),
    ("width without its 3", "std::sqrt(3 * precisions[a] / h_)", "std::sqrt(precisions[a] / h_)"),
])
of("src/cpu/bilinear.cpp", "tests/drift/bilinear_test.cpp", [
    ("A without I", "pull.diagonal().array() += Real(1);", ";"),
    ("mean score forgotten", "some.rowwise() += shift;", ";"),
    ("A instead of its transpose",
     "about_mean(x.middleRows(first, count)).data(), @@pull.data()@@,",
     "Matrix<Real>(pull.transpose()).data()"),
])
of("src/cpu/bilinear.cpp", "tests/drift/careful_bilinear_test.cpp", [
    ("A shrunk too little", "pull *= kept;", "pull *= Real(1.3) * kept;"),
    ("no care where particles are few", "shrink(positions, scores);", ";"),
    ("a norm that is too small", "norm_ = weight_ * largest_singular_value();",
     "norm_ = weight_ * Real(0.7) * largest_singular_value();"),
])
of("src/frame/frame_of_scores.cpp", "tests/frame/frame_of_scores_test.cpp", [
    ("a geometric mean that is too wide", "half = @@root * inner.eigenvectors()@@;",
     "Eigen::MatrixXd(std::sqrt(1.3) * root * inner.eigenvectors())"),
    ("stray scores that count", "@@most > 0@@)\n      rows.col(a)", "false"),
])
of("include/starling/drift/within_groups.hpp", "tests/drift/function_space_test.cpp", [
    ("groups that all have the first rows",
     ".position = particles.position().data + @@first * d@@,", "0"),
    ("scores of another group", ".score = particles.score().data + @@first * d@@,", "0"),
    ("groups that reach to the end", "bare(@@end - first@@, d,", "particles.count() - first"),
])
of("include/starling/drift/adaptive.hpp", "tests/drift/force_test.cpp", [
    ("a stale bandwidth", "drift_.kernel().set_bandwidth(bandwidth_);", ";"),
    ("a bandwidth of step 0", "rule_(@@k@@, plain_rows", "Step{0}"),
])
of("include/starling/kernel/bandwidth.hpp", "tests/kernel/bandwidth_test.cpp", [
    ("pairs of a particle with itself", "j < i ? j : j + 1", "j"),
    ("the same pairs in every step", "philox_.below(n, Stream::bandwidth, @@k@@, 2 * m)",
     "Step{0}"),
])
of("include/starling/kernel/median.hpp", "tests/kernel/bandwidth_test.cpp", [
    ("bandwidth without its 2", "(2 * std::log(population))", "std::log(population)"),
    ("the upper of two middles", "(std::sqrt(lower) + std::sqrt(upper)) / 2", "std::sqrt(upper)"),
])
of("src/cpu/bandwidth.cpp", "tests/kernel/bandwidth_test.cpp", [
    ("distances of long rows times 1.3", "squared_[m] = static_cast<Real>(@@sum@@);", "1.3 * sum"),
])
of("src/cpu/wide_drift.hpp", "tests/simd/wide_test.cpp", [
    ("forces in very many dimensions times 1.3", "= @@factor@@ * weight[n];", "Real(1.3) * factor"),
])
of("include/starling/advance/explicit_step.hpp", "tests/advance/rules_test.cpp", [
    ("a piece of a long row from its beginning",
     "begin / particles.dim(), @@begin % particles.dim()@@", "std::size_t{0}"),
])
of("src/cuda/pairs.hpp", "tests/cuda_on_host/flow_test.cpp", [
    ("forces on a card times 1.3", "terms[t].weight * w.weight",
     "Real(1.3) * terms[t].weight * w.weight"),
])
of("include/starling/advance/rules.hpp", "tests/advance/rules_test.cpp", [
    ("Adam without its correction", "@@1 - std::pow(fade_, t)@@, c", "1.0"),
    ("AdaGrad from zero", "moves == 0 ? Real(0) : fade_", "fade_"),
    ("AdaGrad without its root", "floor + root(m[0])", "floor + m[0]"),
    ("steps that grow", "std::pow(1 + time / tau_, @@-power_@@)", "power_"),
])
of("src/exact/hmc.cpp", "tests/exact/hmc_test.cpp", [
    ("every move accepted", "std::min(1.0, std::exp(gain))", "1.0"),
    ("accepted the wrong way round", "std::min(1.0, std::exp(gain))",
     "std::min(1.0, std::exp(-gain))"),
    ("luck by row, not by particle", "philox(Stream::leap, move, @@walkers.id[i]@@, 1)",
     "std::uint64_t(i)"),
    ("energy without the density", "squaredNorm() - @@from.log_density[i]@@;", "0.0"),
    ("tuned the wrong way", "inside - acceptance", "acceptance - inside"),
])
of("src/exact/hmc.cpp", "tests/exact/second_try_test.cpp", [
    ("a stale score",
     "walkers.score.row(Eigen::Index(i)) = from.score.row(Eigen::Index(row));", ";"),
    ("no look at the way back", "if (@@first_back.diverged(k)@@ &&", "true"),
    ("back with the same momentum",
     "back.momentum.row(Eigen::Index(k)) = -second.momentum.row(Eigen::Index(likely[k]));",
     "back.momentum.row(Eigen::Index(k)) = second.momentum.row(Eigen::Index(likely[k]));"),
    ("any second try accepted", "/ @@std::exp(second.gain[k])@@;", "1.0"),
    ("the luck of the first try", "second.at.id[k], @@2@@)", "1"),
    ("a shorter way", "double(departures.leaps[refused[k]]) / @@shorter@@", "1.0"),
])
of("src/exact/hmc.cpp", "tests/exact/divergence_test.cpp", [
    ("walls diverge", "gain[i] < divergence && @@gain[i] != outside@@", "true"),
    ("divergences of the last piece", "diverged += more.diverged;", "diverged = more.diverged;"),
])
of("src/exact/sift.cpp", "tests/exact/sift_test.cpp", [
    ("swaps that make it worse", "return sum;", "return -sum;"),
    ("squares not wanted", "square_.assign(at_.size(), @@-double(keep) * square_weight@@);", "0.0"),
    ("a column that is not a number", "not_finite[a] == 0", "true"),
    ("deciles of other values", "below[c] += rows_[i][at_[c]] > cuts[q * columns + c];",
     "below[c] += rows_[i][at_[c]] > cuts[q * columns];"),
    ("deciles that stay", "up_to[out_above[c]] - up_to[in_above[c]]", "0"),
])
of("src/judge/move_test.cpp", "tests/judge/move_test_test.cpp", [
    ("squares that are values", "four[2] = z * z;", "four[2] = z;"),
])
of("src/judge/move_test.cpp", "tests/judge/effective_test.cpp", [
    ("nobody is ever carried", "@@std::abs(mean)@@ <= std::max(beyond * se, little * unit)", "0.0"),
    ("a little counts", "std::max(beyond * se, @@little * unit@@)", "0.0"),
    ("chance counts", "std::max(@@beyond * se@@, little * unit)", "0.0"),
    ("draws worth more than they are", "of_means += @@std::pow(average(i, value) - mean, 2)@@",
     "std::pow(average(i, value) - mean, 2) / 1.3"),
])
of("src/judge/decide.cpp", "tests/judge/move_test_test.cpp", [
    ("error bar by n", "residual / std::sqrt(n) / forgotten", "residual / n / forgotten"),
    ("moved without its error bar", "size - beyond * one.se", "size"),
    ("confirmed without its error bar", "size + confirming_errors * one.se", "size"),
    ("standing still taken for rightness", "std::max(1 - rho, 1e-3)", "1.0"),
    ("some taken for all", "before - judged_mean", "0.0"),
    ("one degree of freedom too many", "@@(n - 2)@@);\n  const double forgotten", "(n - 1)"),
])
of("src/judge/decide.cpp", "tests/judge/joint_test.cpp", [
    ("the log density not followed",
     "case TraitOf::log_density:\n    return "
     "@@no_moments ? std::vector{Trait::winsorised, Trait::square}"
     "\n                      : std::vector{Trait::value, Trait::winsorised, Trait::square}@@;",
     "std::vector<Trait>{}"),
    ("directions not followed", "return {Trait::square};", "return {};"),
    ("as many errors for any number of traits", "double(std::max<std::size_t>(1, traits))", "1.0"),
])
of("src/judge/tails.cpp", "tests/judge/heavy_tails_test.cpp", [
    ("strays taken for a tail", "if (scale.heavy)\n    return @@!goes_out_far(column)@@;", "false"),
    ("strays that began far out count", "@@sums[8] / n@@)", "sums[1] / n"),
])
of("src/judge/tails.cpp", "tests/judge/power_tail_test.cpp", [
    ("no power tails", "farther >= enough && @@farther >= least * far@@", "false"),
    ("an exponential tail taken for a power", "@@farther >= least * far@@", "true"),
    ("a mode far away taken for a tail", "@@farther <= most * far@@", "true"),
    ("a wide part taken for a tail", "far <= @@small_share@@ * double", "1.0"),
])
of("src/judge/certified.cpp", "tests/judge/joint_test.cpp", [
    ("identities without their errors", "off > identity_errors * se", "off > 0"),
    ("identities that are not asked",
     "@@doubtful.verdict = Verdict::cannot_tell;@@ doubtful.evidence = evidence::IdentityOff",
     ";"),
])
of("src/judge/rhat.cpp", "tests/judge/rhat_test.cpp", [
    ("R-hat without the runs' difference", "between / within", "between / within / n"),
    ("R-hat that begins at 1", "@@(n - 1) / n@@ +", "1.0"),
    ("variance by n",
     "@@(static_cast<double>(values.size()) - 1)@@;\n  };\n  std::vector<double> means",
     "static_cast<double>(values.size())"),
])
of("src/scout/scout.cpp", "tests/scout/refit_test.cpp", [
    ("normals of ways as they are", "refitted(@@ways@@, refit_draws", "std::vector<Frame>{}"),
])
of("src/scout/candidates.cpp", "tests/scout/refit_test.cpp", [
    ("a normal that stays where it was", "widths.mean() + @@widths.along(up)@@", "0 * up"),
    ("widths as they are",
     "widths = @@frames[f].refreshed(rows_of(x), rows_of(score))@@;", "frames[f]"),
    ("draws that fail are kept", "if (@@2 * sound.size() < draws@@)", "sound.empty()"),
])
of("src/scout/few_rows.cpp", "tests/scout/few_rows_test.cpp", [
    ("no correction at the mode", "to.rowwise() += slope.transpose();", ";"),
    ("rows without their chances", "1 / (static_cast<double>(batch) * chance_[rows[b]])",
     "static_cast<double>(chance_.size()) / static_cast<double>(batch)"),
    ("curvature the wrong way", "to -= bent;", "to += bent;"),
    ("the same rows in every step", "philox(Stream::data_rows, @@k@@, b)", "Step{0}"),
    ("curvature without its half", "expanded -= @@0.5@@ * bent", "1.0"),
])
of("include/starling/target/regression_blocks.hpp", "tests/target/regression_test.cpp", [
    ("curvature without the rows' weights", "row_weights ? row_weights[r] : 1.0", "1.0"),
    ("blocks in the wrong order",
     "A::logits(@@at.data() + c * wide@@, w, n, features, rows, wide, z.data() + c * n * rows",
     "at.data() + (count - 1 - c) * wide"),
    ("slopes times 1.3", "score[i][a] += static_cast<double>(slopes[i * w + a]);",
     "score[i][a] += 1.3 * static_cast<double>(slopes[i * w + a]);"),
])
of("src/run/state.cpp", "tests/run/checkpoint_test.cpp", [
    ("ids that come twice", "id >= particles || seen[id]", "id >= particles"),
    ("columns of another width", "row / size != width", "false"),
    ("rows not brought home", "home[@@id[n / s.dim] * s.dim + n % s.dim@@]", "n"),
    ("columns with bytes left over", "found->size() % s.particles != 0", "false"),
])
of("src/run/checkpoint.cpp", "tests/run/checkpoint_test.cpp", [
    ("bytes after the last column", "!rest.done()", "false"),
    ("lengths taken on trust", "size > rest_.size()", "false"),
])
of("src/run/raw_flight.hpp", "tests/run/flight_test.cpp", [
    ("a run resumed at step 0", "done_ = head.saved.done;", "done_ = 0;"),
    ("a trace that begins anew", "trace_ = head.trace;", ";"),
])
of("src/run/state.cpp", "tests/run/flight_test.cpp", [
    ("resumed by another seed", "head.saved.seed != settings.seed", "false"),
])
of("src/run/state.hpp", "tests/run/flight_test.cpp", [
    ("memory not saved", 'visit("memory " + std::to_string(c), flat(particles.memory(c)));', ";"),
    ("counts of moves not saved", 'visit("moves", particles.moves());', ";"),
])
of("include/starling/run/seeds.hpp", "tests/run/continued_test.cpp", [
    ("a run that goes on deals as before", "whole_word(Philox(seed)(Stream::continued, digest, 0))",
     "seed"),
])
of("include/starling/observe/noise.hpp", "tests/observe/noise_test.cpp", [
    ("noise without its half", "apart / (2 * count)", "apart / count"),
    ("drift left as dealt anew", "row[a + c] = kept[c];", ";"),
])
of("include/starling/observe/balance.hpp", "tests/observe/balance_test.cpp", [
    ("shift not in sd", "one.mean_score * one.sd", "one.mean_score"),
    ("spread about zero", "static_cast<double>(row[r * x.dim + a + lane]) - mean[a + lane]",
     "static_cast<double>(row[r * x.dim + a + lane])"),
    ("of four rows two taken twice",
     "own[lane] += static_cast<double>(row[@@r@@ * x.dim + a + lane]);", "r / 2"),
    ("the last of four rows without its square", "own[squares][lane] += off * off;",
     "if (r != 3) own[squares][lane] += off * off;"),
    ("the rows after the last four left out", "@@first < last@@; ++first)", "false"),
])
of("src/run/large_vectors.hpp", "tests/run/flight_test.cpp", [
    ("rows not brought home", "to[i] * rows.dim", "i * rows.dim"),
])
ranks = "tests/mpi/same_bits_test.cpp"
of("src/mpi/row_exchange.cpp", ranks, [
    ("a guest taken for that of another rank",
     "mixed_.found[guest.at] += begin_[@@guest.rank@@];", "0"),
    ("guests of pairs in the order of their rank",
     "mixed[2 * n + 1] = @@begin + guests - 1 - n@@;", "begin + n"),
    ("rows that cross without their scores",
     "send(@@std::as_const(here).score()@@, scores_", "std::as_const(here).position()"),
    ("drifts that do not come back",
     "from = @@unpack<Real>(from, rows, drift)@@;", "from + rows.size() * drift.dim"),
    ("weights of the rows that are here", "part->batches.population = @@population@@;", "own_"),
])
of("src/mpi/order_share.cpp", "tests/mpi/law_test.cpp", [
    ("the pair of the last row forgotten",
     "put(alone, alone + 1, alone + outside, low, high);", ";"),
    ("a batch of a map at home where it is not",
     "const std::size_t host = @@host_of(order.row(begin), size)@@;", "0"),
])
of("include/starling/deal/travel.hpp", ranks, [
    ("rows that stay where one process lets them travel",
     "from[i - first] = order(static_cast<std::uint32_t>(i));",
     "from[i - first] = static_cast<std::uint32_t>(i);"),
])
of("src/mpi/dealing.cpp", ranks, [
    ("batches of a slice forgotten", "slice_.end = @@first(rank + 1)@@;", "first(rank)"),
])
of("src/mpi/agreement.cpp", "tests/mpi/agreement_test.cpp", [
    ("a failure that was caught taken for the next one",
     "wire.agreed_failure == mark_of(failure)", "true"),
])
of("src/mpi/shared_rows.hpp", ranks, [
    ("rows that do not travel in common memory",
     "room + @@sources[i]@@ * width", "(blocks_.first(wire_.rank()) + i)"),
])
card = "tests/cuda_on_host/"
of("src/cuda/sweep_regression.hpp", card + "regression_test.cpp", [
    ("sums over rows on a card times 1.3",
     "+= @@z[((i + k) * work.predictors + c) * at_a_time + r]@@ * value",
     "1.3 * z[((i + k) * work.predictors + c) * at_a_time + r]"),
    ("weights of rows on a card left out", "work.weights ? @@work.weights[begin + r]@@ : 1", "1"),
    ("the last range of rows on a card left out", "q < @@ranges@@; ++q", "ranges - 1"),
])
of("src/cuda/sweep_rows.hpp", card + "flow_test.cpp", [
    ("self term on a card with the weight of a pair",
     "const Real c = @@self ? now.self : pair@@, weight", "pair"),
    ("repulsion on a card that attracts", "+ @@repulsion@@ * away[a]", "-repulsion"),
])
of("src/cuda/sweep_teams.hpp", card + "flow_test.cpp", [
    ("lift of a team forgotten", "phi[a] = g.of(lane, k) + @@lift@@ * x[a];", "Real(0)"),
    ("a team's weights times 1.3",
     "weight = @@c * w.weight@@, repulsion = c * w.repulsion;\n        team",
     "Real(1.3) * c * w.weight"),
])
of("src/cuda/sweep_blocks.hpp", card + "flow_test.cpp", [
    ("weights of tiles times 1.3", "weights[i * wide + j] = there ? @@c * w.weight@@",
     "Real(1.3) * c * w.weight"),
    ("self term of tiles with the weight of a pair", "const Real c = @@self ? now.self : pair@@;",
     "pair"),
])
of("src/cuda/sweep_fused.hpp", card + "step_test.cpp", [
    ("a pair that pushes both one way",
     "g.of(lane, other) += @@w.weight * s.of(lane, one) - push@@;",
     "w.weight * s.of(lane, one) + push"),
    ("members that a short batch has not", "shared.at(r2, @@j < size ? pair : Real(0)@@)", "pair"),
])
of("src/cuda/sweep_rows.hpp", card + "step_test.cpp", [
    ("batches as rows lie", "work.turns[turn].order.row(place)", "place"),
    ("a memory not kept", "work.memory[c][n] = memory[c];", ";"),
])
of("src/cpu/gemm_drift.hpp", "tests/simd/layouts_test.cpp", [
    ("forces of matrix products times 1.3", "pair * sum_[i * dim_ + a]",
     "Real(1.3) * pair * sum_[i * dim_ + a]"),
    ("columns without their slopes", "add_scaled(j + c, down[c], of_j + c * dim_);", ";"),
    ("products added to what lay aside before", "meet(kernel, a, b, aside(slot), @@Real(0)@@);",
     "Real(1)"),
    ("close pairs felt by one of the two", "near.add(rows_, i, j, of_i, of_j);",
     "near.add(rows_, i, j, of_i, nullptr);"),
    ("self term in the product", "w.data[r * columns + r] = p.data[r * columns + r] = 0;", ";"),
])
of("src/cpu/coordinate_drift.cpp", "tests/simd/coordinates_test.cpp", [
    ("forces along coordinates times 1.3", "pair * sum[a]", "Real(1.3) * pair * sum[a]"),
    ("self term along coordinates forgotten", "self * s[a]", "Real(0)"),
    ("the round that ends early", "meet(turn, last, turn + m - size);", ";"),
])
of("src/cuda/sweep_fused.hpp", card + "step_test.cpp", [
    ("pairs in one sweep times 1.3", "return {@@c * height * w.weight@@,",
     "Real(1.3) * c * height * w.weight"),
])
of("src/cuda/sweep_fused_quads.hpp", card + "step_test.cpp", [
    ("batches by fours: weights times 1.3",
     "sum[k] += @@w@@ * (normal ? away(lane, j, k) : u.of(lane, j).of[k]);", "Real(1.3) * w"),
    ("batches by fours: pushes forgotten",
     "const Real apart = @@shared.inverse@@ * away(lane, i, k);", "Real(0)"),
    ("pairs by fours that attract",
     "@@w.repulsion@@ * (x.of(lane, i).of[k] - x.of(lane, 1 - i).of[k])", "-w.repulsion"),
])
of("src/cuda/sweep_products.hpp", card + "products_test.cpp", [
    ("weights of products times 1.3", "eleven_bits(@@kernel.weight(away, c)@@)",
     "1.3F * kernel.weight(away, c)"),
    ("low parts forgotten",
     "block.multiply_short(small, 4 * m, low, (m * deep + k) * 4, upper, 0);", ";"),
    ("self term of products with the weight of a pair",
     "c = other >= size ? 0.0F : @@i == other ? now.self : pair@@;", "pair"),
    ("one share alone", "share < @@from.shares@@; ++share", "1u"),
])
of("src/cuda/sweep_many.hpp", card + "step_test.cpp", [
    ("steps of a small cloud not taken out", "take(work, here);", ";"),
])
of("src/cpu/permute.cpp", "tests/simd/permute_test.cpp", [
    ("picks that are to be rejected kept", "if (@@w < some@@)", "false"),
])
of("src/cpu/panels.hpp", "tests/simd/layouts_test.cpp", [
    ("matches times 1.3", "panel.sum[i] += @@aside[slot * whole + i]@@;",
     "Real(1.3) * aside[slot * whole + i]"),
    ("what lay aside added twice", "aside[slot * whole + i] = 0;", ";"),
])
of("src/cpu/tournament.hpp", "tests/simd/layouts_test.cpp", [
    ("a block that rests keeps what lay there", "rest(a, slot);", ";"),
    ("the last rounds left out", "first < @@rounds()@@; first += together", "rounds() - 1"),
])
of("include/starling/ensemble.hpp", "tests/observe/observers_test.cpp", [
    ("known to be numbers though somebody may write", "known_finite_.take_away();", ";"),
])
of("include/starling/finite.hpp", "tests/observe/observers_test.cpp", [
    ("infinities taken for numbers", "(bits & exponent) + @@one@@;", "Bits{0}"),
])
of("src/cpu/gemm_drift.hpp", "tests/simd/layouts_test.cpp", [
    ("rows without their slopes", "add_scaled(i + r, across[r], of_i + r * dim_);", ";"),
    ("products taken for distances",
     "passes_->distances(w.data, rows, columns, square_.data() + i, square_.data() + j);", ";"),
])
of("src/mpi/from_first.hpp", "tests/mpi/table_test.cpp", [
    ("a table that is not sent on",
     "common ? wire.meet() : wire.broadcast(std::span(memory.get(), bytes));", "wire.meet();"),
])
of("src/assemble/table.cpp", "tests/mpi/table_test.cpp", [
    ("a table that each rank reads", "if (!machine_->first())\n      return;", ";"),
])
stages.add(of)

# Sources that hold code of a mutated header, or that call a mutated source from the same unit of
# the library, where they would go on calling the right one: compiled with it, as the library
# would be.
also = {
    "src/frame/frame_of_scores.cpp": ["src/frame/frame.cpp"],
    "src/frame/search_bend.cpp": ["src/frame/fit_bend.cpp", "src/frame/bent_cloud.cpp"],
    "src/frame/fit_bend.cpp": ["src/frame/search_bend.cpp", "src/frame/bent_cloud.cpp"],
    "src/frame/pair_fits.hpp": ["src/frame/search_bend.cpp"],
    "src/frame/bent_cloud.cpp": ["src/frame/fit_bend.cpp", "src/frame/search_bend.cpp"],
    "src/judge/decide.cpp": ["src/judge/move_test.cpp", "src/judge/tails.cpp"],
    "src/judge/tails.cpp": ["src/judge/move_test.cpp", "src/judge/decide.cpp"],
    "src/run/large_vectors.hpp": ["src/run/flight.cpp"],
    "src/mpi/shared_rows.hpp": ["src/mpi/flight.cpp"],
    "include/starling/deal/travel.hpp": ["src/mpi/flight.cpp", "src/mpi/dealing.cpp"],
    "src/mpi/from_first.hpp": ["src/assemble/table.cpp"],
    "src/mpi/row_exchange.cpp": ["src/mpi/flight.cpp"],
    "src/mpi/dealing.cpp": ["src/mpi/flight.cpp"],
    "src/mpi/order_share.cpp": ["src/mpi/dealing.cpp", "src/mpi/flight.cpp"],
    "include/starling/observe/balance.hpp": ["src/cpu/balance.cpp"],
    "src/run/state.hpp": ["src/run/flight.cpp"],
    "src/run/raw_flight.hpp": ["src/run/flight.cpp"],
    "src/cpu/gemm_drift.hpp": ["src/cpu/pairwise_drift.cpp"],
    "src/cpu/wide_drift.hpp": ["src/cpu/pairwise_drift.cpp"],
    "src/cpu/panels.hpp": ["src/cpu/pairwise_drift.cpp"],
    "src/cpu/tournament.hpp": ["src/cpu/pairwise_drift.cpp"],
    "src/cuda/pairs.hpp": ["src/cuda/cloud.cpp"],
    "src/cuda/sweep_rows.hpp": ["src/cuda/cloud.cpp"],
    "src/cuda/sweep_teams.hpp": ["src/cuda/cloud.cpp"],
    "src/cuda/sweep_fused.hpp": ["src/cuda/cloud.cpp"],
    "src/cuda/sweep_fused_quads.hpp": ["src/cuda/cloud.cpp"],
    "src/cuda/sweep_products.hpp": ["src/cuda/cloud.cpp"],
    "src/cuda/sweep_many.hpp": ["src/cuda/cloud.cpp"],
    "src/cuda/sweep_blocks.hpp": ["src/cuda/cloud.cpp"],
}

also |= stages.also

# Quick to build: part of the ordinary tests.
quick = ["tests/law/lemma_1_test.cpp", "tests/judge/rhat_test.cpp", "tests/run/checkpoint_test.cpp"]
