# The mutants of the stages of a run, of groups, and of what they are made of.


def add(of):
    group = "tests/stages/group_test.cpp"
    crew = "tests/stages/crew_test.cpp"
    of(
        "src/stages/scout_and_fly.cpp",
        "tests/stages/svgd_step_test.cpp",
        [
            (
                "steps that do not fall",
                "settings.step_size / (1 + settings.decay * share)",
                "settings.step_size",
            ),
        ],
    )
    of(
        "src/stages/scout_and_fly.cpp",
        group,
        [
            ("steps that lead nowhere", "done_ == 0 && svgd_.next().size() == 0", "true"),
        ],
    )
    of(
        "src/stages/scout_and_fly.cpp",
        "tests/stages/flight_test.cpp",
        [
            (
                "a flight that never turns back",
                "turns_back(context, state) && state.turned_back == most_turns",
                "false",
            ),
            (
                "the step not halved",
                "std::ldexp(step_size, -int(state.turned_back))",
                "step_size",
            ),
        ],
    )
    of(
        "src/stages/svgd.cpp",
        group,
        [
            ("scores of the place before", "cloud.score.row(row) = score.row(row);", ";"),
            ("a place where the density fails is taken", "!std::isfinite(log_density[i])", "false"),
        ],
    )
    of(
        "src/stages/certify.cpp",
        group,
        [
            (
                "every cloud is right",
                "@@certificate.finding == judge::Finding::confirmed@@;\n  const bool more",
                "true",
            ),
            (
                "no polish",
                "right && !context.settings.settle_always && (more ? enough : "
                "@@polishes(context) && state.scouted.modes == 1@@)",
                "false",
            ),
            ("a polish by every setting", "@@s.polish_confirmed@@ && s.polish_steps > 0", "true"),
        ],
    )
    of(
        "src/stages/certify.cpp",
        crew,
        [
            (
                "chance decides about a polish",
                "right && worse && @@part_ == Part::polish@@ &&",
                "false",
            ),
        ],
    )
    recent = "tests/stages/recent_test.cpp"
    of(
        "src/stages/state.cpp",
        recent,
        [
            ("frames of the walkers alone", "? @@cloud@@ : walkers", "walkers"),
            ("recent moves of all time", "cloud = joined(slice(cloud, @@all - kept@@, all)", "0"),
            (
                "recent moves as many as there are",
                "recent_clouds, @@recent_numbers / numbers@@",
                "recent_clouds",
            ),
        ],
    )
    of(
        "src/stages/trial.cpp",
        recent,
        [
            (
                "a round that begins from one move",
                "plan.of_cloud ? state.cloud : @@state.recent.or_alone(walkers_)@@",
                "walkers_",
            ),
            (
                "a test that forgets nothing",
                "if (@@plan.of_cloud || context.guide.rows() > 0@@)",
                "context.guide.rows() > 0",
            ),
            ("walkers that are not added", "state.recent.add(walkers_);", ";"),
        ],
    )
    of(
        "src/stages/settle.cpp",
        group,
        [
            (
                "settled though it was confirmed",
                "(@@!right || s.settle_always@@ || wants_more)",
                "true",
            ),
            ("never settled", "@@s.settle_rounds > 0@@ && s.certify_moves > 0 &&", "false"),
            (
                "the certificate of the last test forgotten",
                "state.certificate = trial_.judge(bounds);",
                ";",
            ),
            ("the pool of the certificate", "state.pool = trial_.pool();", ";"),
        ],
    )
    of(
        "src/stages/settle.cpp",
        "tests/stages/heavy_tail_test.cpp",
        [("a heavy tail taken for the density's", "state.certificate->heavy.empty()", "true")],
    )
    of(
        "src/stages/trial.cpp",
        group,
        [
            (
                "acceptance as a sum",
                "certificate.acceptance = @@accepted_ / double(plan_.moves)@@;",
                "accepted_",
            ),
            ("moves in one place", "walkers_ = std::move(moved);", ";"),
        ],
    )
    of(
        "src/stages/trial.cpp",
        "tests/stages/two_funnels_test.cpp",
        [
            ("divergences that nobody counts", "diverged_ += came.diverged;", ";"),
            (
                "all moves bend",
                "straight_.dim() > 0 && done_ % straight_every == straight_every - 1",
                "false",
            ),
            (
                "moves without a bend for ever",
                "state.straight_leap > 0 && @@diverged@@ && frame.bend()",
                "true",
            ),
        ],
    )
    of(
        "src/stages/trial.cpp",
        "tests/stages/retry_test.cpp",
        [("tuned again after a failure", "straight_ = std::move(straight);", ";")],
    )
    of(
        "src/stages/polish.cpp",
        group,
        [
            (
                "a polish that takes no steps",
                "svgd_.step(context, block_, state.frame, state.next.steps,\n"
                "               context.settings.step_size * std::pow(step_falls_to, share));",
                ";",
            ),
            ("the first draws of a trial", "repeats ? i % all.count : @@chosen[i]@@", "i"),
        ],
    )
    of(
        "src/stages/polish.cpp",
        "tests/stages/polish_test.cpp",
        [
            (
                "shares that do not count",
                "(shares_up_to(some, cuts_) - shares_).cwiseAbs().maxCoeff()",
                "0.0",
            ),
        ],
    )
    of(
        "src/stages/polish.cpp",
        crew,
        [
            ("draws that come again stay", "move < @@moves_apart@@", "0"),
            (
                "a block that is not put back",
                "@@put(block_, state.cloud, begin_);@@\n  begin_ +=",
                ";",
            ),
        ],
    )
    of(
        "src/stages/state.cpp",
        crew,
        [
            (
                "everyone flies",
                "std::min(settings.walkers, settings.particles)",
                "settings.particles",
            ),
        ],
    )
    of(
        "src/stages/group.cpp",
        group,
        [
            (
                "confirmed though there are several modes",
                "state_.certificate->finding = judge::Finding::undecided;",
                ";",
            ),
            ("gradients of another stage", "spent_[@@stage()@@].add_since(before", "0"),
            ("a stage that begins again", "at_ = @@list_.size() - left@@;", "0"),
            ("stages that are not needed", "!finished() && @@!needed(list_[at_])@@", "false"),
        ],
    )
    of(
        "src/stages/guide_by_rows.cpp",
        "tests/stages/group_over_rows_test.cpp",
        [
            (
                "the guide's error not carried",
                "if (@@state_.decides@@) {\n      const double now",
                "false",
            ),
            ("half of the guide's error", "@@2 * state_.error@@ : 1", ".5 * state_.error"),
            ("an error that is no number taken for none", "2 * state_.error : @@1@@;", "0"),
            ("the guide decides wherever it may", "state_.error <= settings_.guide_error", "true"),
            (
                "the guide's densities where all rows decide",
                "by_all_rows(walkers.position(), walkers.log_density);",
                ";",
            ),
            (
                "a guide of as many rows everywhere",
                "double(settings_.rows_a_step) * expected * expected",
                "double(settings_.guide_rows)",
            ),
        ],
    )
    journey = "tests/stages/journey_test.cpp"
    of(
        "src/stages/combine.cpp",
        journey,
        [
            ("equal shares", "parts.push_back(@@one.share@@);", "1.0"),
            (
                "widths of groups without their distance",
                "std::pow(own.means[a] - all.means[a], 2)",
                "0.0",
            ),
            ("groups of other rows", "made.group_of_row.push_back(@@g@@);", "std::size_t{0}"),
        ],
    )
    of(
        "src/stages/split.cpp",
        journey,
        [
            ("one group alone", "if (@@share.share + 2 * share.se >= least@@ ||", "false"),
            ("light modes forgotten", "kept.light.back().share = share.share;", ";"),
            ("weighed by the density of draws", "weights_.shares = now.shares();", ";"),
        ],
    )
    of(
        "src/stages/journey.cpp",
        journey,
        [
            ("modes that are not counted", "if (@@modes.size() < 2@@)", "true"),
            ("weighed once", "rounds >= least_rounds && close", "true"),
            ("hits of looks ignored", "all.hits = looked.hits;", ";"),
            ("a cloud that was given flown", "moves && @@!stays@@ &&", "true"),
        ],
    )
    of(
        "src/stages/journey_state.cpp",
        journey,
        [
            ("gradients of weighing forgotten", 'all.emplace_back("weigh", before_.weighed);', ";"),
            ("bytes after the last group", "must_fit(from.at_end());", ";"),
        ],
    )
    of(
        "src/scout/weigh.cpp",
        "tests/scout/weigh_test.cpp",
        [
            (
                "weights without the mixture",
                "{@@log_density[i] - at[i].log_mixture@@, double(at[i].group)}",
                "log_density[i]",
            ),
            (
                "every draw weighs the same",
                "weight[i] = std::exp(drawn_[2 * i] - top);",
                "weight[i] = 1;",
            ),
            (
                "half of the error",
                "std::sqrt(std::max(0.0, variance)) / total",
                "std::sqrt(std::max(0.0, variance)) / total / 2",
            ),
        ],
    )
    of(
        "src/scout/modes.cpp",
        "tests/scout/modes_test.cpp",
        [
            ("no dip is deep enough", "if (@@std::ranges::min(height) > floor@@)", "true"),
            ("every end is a mode", "if (@@joined(end, tops_[k].place)@@)", "false"),
        ],
    )
    look = "tests/scout/look_test.cpp"
    of(
        "src/scout/look.cpp",
        look,
        [
            ("hits near particles", "@@to_nearest(y.row(n), near, 1)[0]@@ > away", "1e300"),
            ("hits in low places", "places.log_density[std::size_t(n)] >= high", "true"),
            ("no looks far out", "<= few_dimensions ? @@looks@@ : 0", "std::size_t{0}"),
        ],
    )
    of(
        "src/scout/shells.cpp",
        "tests/scout/shells_test.cpp",
        [
            ("no volume farther out", "places.log_density[n] + @@log_volume[n]@@", "0"),
            ("mass that the cloud has", "const double others = @@(1 - met)@@ *", "1"),
            ("nothing is met", "share - @@met@@ > least_missed", "0"),
        ],
    )
    of(
        "src/run/staged.cpp",
        "tests/alloc/stages_test.cpp",
        [
            (
                "a copy of the scores",
                "@@o.positions = positions();@@\n    if (done_ == 0)",
                "o.positions = positions(); o.scores = scores();",
            ),
        ],
    )
    of(
        "src/stages/wander.cpp",
        "tests/stages/wander_test.cpp",
        [
            ("walkers on a peak count", "walkers.log_density[i] <= @@most@@", "1e300"),
            ("walkers tell nothing", "return @@arrived.empty()@@ ? 0", "true"),
        ],
    )
    of(
        "src/scout/elsewhere.cpp",
        look,
        [
            ("led to any but the first", "best = @@best.cwiseMax(towards(one, places))@@;", "best"),
            ("led nowhere", "best[i] < @@away_from_it@@", "-2"),
        ],
    )
    of(
        "src/scout/afar.cpp",
        "tests/scout/modes_test.cpp",
        [
            ("climbs that end at saddles", "marked.row(i) += @@aside@@ *", "0"),
        ],
    )
    of(
        "src/scout/afar.cpp",
        look,
        [
            (
                "no mirror image",
                "mirrored = @@-around.mean().transpose()@@;",
                "Frame::Matrix(around.mean().transpose())",
            ),
            ("by widths alone", "mean.array() + @@width.mean()@@", "mean[0] * 0"),
        ],
    )
    of(
        "src/scout/modes.cpp",
        look,
        [
            ("ways that do not bend", "no_lower(a, b, floor, @@most_bends@@)", "0"),
        ],
    )
    of(
        "src/stages/certify.cpp",
        group,
        [
            (
                "all moves for a cloud that is clearly wrong",
                "context.guide.rows() > 0 ? all : @@(all + 1) / 2@@",
                "all",
            ),
        ],
    )
    of(
        "src/judge/move_test.cpp",
        "tests/judge/effective_test.cpp",
        [
            (
                "heavy tails for the price of light ones",
                "std::min(1.0, @@(exponential - 1) / (kurtosis - 1)@@)",
                "1.0",
            ),
        ],
    )
    bend = "tests/frame/shared_controllers_test.cpp"
    of(
        "src/frame/search_bend.cpp",
        bend,
        [("controllers that nobody shares", "share_controllers();", ";")],
    )
    of(
        "src/frame/pair_fits.hpp",
        bend,
        [("fits that are never made again", "fit.as_of == cloud_.last_change(i)", "fit.as_of")],
    )
    of(
        "src/frame/fit_bend.cpp",
        bend,
        [("controllers that are forgotten", "before && before->dim() == x.dim", "false")],
    )
    of(
        "src/frame/bent_cloud.cpp",
        bend,
        [
            ("residuals that stay", "same_score && !taken_.contains(i)", "same_score"),
            ("a width that stays", "if (@@!same_score@@)", "before.size() == 0"),
        ],
    )
    of(
        "src/exact/sift.cpp",
        "tests/exact/sift_test.cpp",
        [
            ("swaps that do not help", "!(kept.change(order[in], order[out]) < 0)", "false"),
            ("no swaps", "std::swap(order[out], order[in]);", ";"),
        ],
    )
    of(
        "include/starling/fields.hpp",
        "tests/frame/fields_test.cpp",
        [
            (
                "names are not looked at",
                "take<std::uint32_t>() != fields::tag(name)",
                "take<std::uint32_t>() == 0",
            ),
            ("sizes taken on trust", "given > bytes_.size() / least", "false"),
            ("numbers beyond the last", "value > last", "false"),
        ],
    )

    of(
        "src/stages/tempering.cpp",
        "tests/stages/tempering_test.cpp",
        [
            ("weights of one island alone", "log_z_[@@g@@] +=", "std::size_t{0}"),
            (
                "the reference with half its log density",
                "(1 - b) * @@under[i]@@ + b * log_density[i]",
                "under[i] / 2",
            ),
            ("no exact moves", "move(moved, at_now, ends, leap, threads);", ";"),
            (
                "an error as of all particles",
                "double(@@islands * (islands - 1)@@)",
                "std::size_t{1024 * 1023}",
            ),
            (
                "copies that move alike",
                "std::iota(made.id.begin(), made.id.end(), std::uint64_t{0});",
                ";",
            ),
            ("particles that are not drawn anew", "rows.push_back(@@first + i@@);", "first + n"),
            ("a prior that is not asked", "if (@@prior.dim() > 0@@) { // and", "false"),
        ],
    )
    of(
        "src/stages/journey_temper.cpp",
        "tests/stages/tempering_test.cpp",
        [
            (
                "modes that are found and forgotten",
                "@@weights_.modes.size() > 1@@)\n    return weigh",
                "false",
            ),
        ],
    )
    of(
        "src/stages/evidence.cpp",
        "tests/stages/evidence_test.cpp",
        [
            ("groups of which the first counts", "sum += std::exp(own.value - top);", ";"),
            ("the same draws of the fit in every unit", "@@2 * done_ + half@@, trial_", "half"),
            (
                "the error of a group forgotten",
                "variance += @@std::pow(std::exp(own.value - top) * own.se, 2)@@;",
                "0.0",
            ),
            ("fresh draws not counted", "? @@ratios[i] - under[i]@@", "ratios[i]"),
        ],
    )
    of(
        "src/stages/evidence.cpp",
        "tests/stages/evidence_over_rows_test.cpp",
        [
            ("few rows have the last word", "found.value += beside.value;", ";"),
            (
                "fresh draws by few rows",
                "decide = @@context.guide.decider()@@)",
                "exact::LogDensities()",
            ),
        ],
    )
    of(
        "src/stages/tempering.cpp",
        "tests/stages/tempering_over_rows_test.cpp",
        [
            ("few rows decide", "if (@@few@@)\n    ends =", "false"),
            ("poor few rows lead", "<= @@error_of_few@@", "1e300"),
        ],
    )

    of(
        "src/stages/guide_by_rows.cpp",
        "tests/stages/evidence_over_rows_test.cpp",
        [
            ("a poor guide trusted", "sd_of(error) <= @@poor_guide@@", "1e300"),
            ("a useless guide trusted", "state_.error <= @@useless_guide@@", "1e300"),
        ],
    )


SOURCES = [
    "certify",
    "combine",
    "evidence",
    "group",
    "guide",
    "guide_by_rows",
    "journey",
    "journey_state",
    "journey_temper",
    "polish",
    "scout_and_fly",
    "settle",
    "split",
    "state",
    "svgd",
    "tempering",
    "trial",
    "wander",
]
also = {
    f"src/stages/{name}.cpp": [f"src/stages/{other}.cpp" for other in SOURCES if other != name]
    for name in SOURCES
}
also["src/scout/modes.cpp"] = [f"src/scout/{name}.cpp" for name in ("clumps", "look", "scout")]
also["src/run/staged.cpp"] = ["tests/alloc/counted_new.cpp"]
also["src/scout/shells.cpp"] = ["src/scout/look.cpp"]
also["src/scout/look.cpp"] = [f"src/scout/{name}.cpp" for name in ("clumps", "modes")]
for name in ("elsewhere", "afar"):
    also[f"src/scout/{name}.cpp"] = [
        f"src/scout/{other}.cpp" for other in ("clumps", "look", "modes", "scout")
    ]
