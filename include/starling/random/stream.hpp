// Every use of randomness in Starling, named once. A number here is part of the address of a
// draw: never renumber one, or old seeds give other results.
#pragma once

#include <cstdint>

namespace starling {

enum class Stream : std::uint8_t {
  start = 1,      // initial particles; index = particle and coordinate
  shuffle = 2,    // batches without replacement; index = place in the order
  draw = 3,       // batches with replacement (Algorithm 2); index = place in the set
  bandwidth = 4,  // pairs for the subsampled median; index = pair
  data_batch = 5, // order of the data rows; step = pass over the data
  holdout = 6,    // split into training and test rows
  synthetic = 7,  // data made on the spot
  diagnosis = 8,  // batches for the Stein discrepancy at the end
  matching = 9,   // the round of a tournament of pairs
  reshuffle = 10, // rows travelling into a new order
  stan = 11,      // seeds of a Stan model's own generators
  probe = 12,     // batches dealt a second time, to tell noise from drift
  runs = 13,      // seeds of further runs; index = run
  continued = 14, // seeds of runs that start from positions; step = their digest
  scout = 15,     // where the search for modes starts, draws around them; step = which use
  thin = 16,      // which draws of the start are kept; index = draw
  momentum = 17,  // momenta of exact moves; step = move, index = particle and coordinate
  leap = 18,      // lengths and acceptance of exact moves; step = move, index = particle
  deal = 19,      // Moebius maps and subspaces; dealers may share it, since only one deals in a run
  groups_pick = 20,         // rows from which the groups of a cloud are counted
  groups_draw = 21,         // draws that weigh groups; step = which weighing, round and fit
  groups_seed = 22,         // seeds of the groups' own journeys; index = group
  groups_order = 23,        // rows of all groups into one order
  stochastic_batch = 24,    // noise of stochastic SVGD in batches; index = particle and coordinate
  stochastic_bilinear = 25, // and of its bilinear part; index = row of a d+1 by d matrix and column
  data_rows = 26,   // rows of the data that a step looks at; step = the flight's, index = draw
  data_subset = 27, // rows of the data that the scout climbs on; index = draw
  look = 28, // rows of a large cloud that a look sees; step = the look's, index = part of the rows
  // 29 was the seed of each block of rows that dealt for itself
  directions = 30,  // along which a trial follows the cloud; step = the trial, index = pair
  look_around = 31, // places around a cloud; step = search, index = place and coordinate
  evidence = 32, // draws of the fit to a cloud; step = move of the stage, index = Student::draw's
  temper = 33,   // reference, islands drawn anew; step = temperature; 0, 0 also seeds the moves
  user = 128,    // from here on: free for targets and observers of one's own
};

/// The steps of Stream::scout: one for each use, or the first of several. Never renumber these
/// either. Two uses have the same number, and keep it: they meet only over rows of data in more
/// than 500 dimensions, where one takes a sign and the other a normal from it.
enum ScoutStep : std::uint64_t {
  scout_pathfinder = 1,          // draws that compare the normals along the best way up
  scout_choice = 2,              // draws that choose between Laplace and Pathfinder
  scout_start = 3,               // draws from which the start is taken
  scout_probes = 4,              // signs that probe a diagonal
  scout_low_rank_guess = 5,      // signs from which directions of low rank are looked for
  scout_leverage = 5,            // draws that tell the leverage of rows of data
  scout_start_over_rows = 6,     // draws that are the start over rows of data
  scout_refit = 7,               // draws to which normals of ways are fitted anew
  scout_other_ways = 100,        // as scout_pathfinder; + number of the way up
  scout_places = 1000,           // where ways up begin; + attempt
  scout_afar = 10'000,           // places and rays around a mode; + 1000 round + number of the mode
  scout_mode_probes = 1'000'000, // signs that probe the diagonal of a mode; + number of the mode
};

} // namespace starling
