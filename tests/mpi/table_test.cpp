// A table is read by one rank of each machine, and seen by all of them at the place where it lies.
#include "assemble/flight.hpp"
#include "assemble/table.hpp"
#include "mpi/agreement.hpp"
#include "mpi/from_first.hpp"
#include "mpi/ranks_as_threads.hpp"
#include "mpi/room.hpp"
#include "plan/plan.hpp"

#include <starling/file_error.hpp>
#include <starling/run/fly.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace starling {
namespace {

using assemble::SharedTable;
using mpi::Memory;
using RanksWire = std::shared_ptr<mpi::Wire>;

/// A table in a folder of its own: three features, a count and a kind of three.
class Tables : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("starling-tables-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(std::size_t rows) {
    const auto file = folder_ / (std::to_string(rows) + ".csv");
    std::ofstream to(file);
    to << "a,b,c,count,kind\n";
    for (std::size_t r = 0; r < rows; ++r) {
      const double t = double(r);
      to << std::sin(t) << ',' << std::cos(1.7 * t) << ',' << std::sin(0.3 * t * t) << ','
         << (r * r) % 5 << ','
         << (std::sin(t) + std::sin(9 * t) > 0.3 ? "red"
             : r % 3 == 0                        ? "green"
                                                 : "blue")
         << '\n';
    }
    return file;
  }
  assemble::TableRequest asked(const std::string& file) const {
    assemble::TableRequest r;
    r.data = file;
    r.label = "kind";
    r.drop = "count";
    r.holdout = 0.2;
    return r;
  }
  std::filesystem::path folder_;
};

plan::TargetContext on(const RanksWire& wire) {
  return {Threads::alone(), 1, 7, {}, false, false, wire};
}

/// What lies where a rank looks, and where that is.
struct Seen {
  const double *learn = nullptr, *test = nullptr;
  std::vector<double> numbers;
  std::vector<std::string> words;
};

Seen see(const SharedTable& table) {
  Seen seen;
  const LabelledView<double> test = table.test<double>(), learn = table.to_learn_from<double>();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(learn.features) % mpi::Wire::alignment, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(learn.labels) % mpi::Wire::alignment, 0u);
  EXPECT_EQ(learn.rows, table.learns_from());
  EXPECT_EQ(test.rows, table.held_out());
  for (const LabelledView<double>& view : {learn, test}) {
    seen.numbers.insert(seen.numbers.end(), view.features,
                        view.features + view.rows * view.weights);
    seen.numbers.insert(seen.numbers.end(), view.labels, view.labels + view.rows);
  }
  seen.learn = learn.features, seen.test = test.features;
  seen.words = table.names();
  seen.words.insert(seen.words.end(), table.classes().begin(), table.classes().end());
  seen.words.insert(seen.words.end(), {table.label(), table.positive()});
  return seen;
}

TEST_F(Tables, AreReadByTheFirstRankOfAMachineAndSeenByAllOfThem) {
  const std::string file = write(57);
  const Seen alone = see(SharedTable(asked(file), io::Response::classes, on(nullptr)));
  EXPECT_EQ(alone.words,
            (std::vector<std::string>{"a", "b", "c", "blue", "green", "red", "kind", ""}));
  for (const Memory memory : {Memory::shared_memory, Memory::apart})
    for (const std::size_t on_machine : {5, 2}) {
      SCOPED_TRACE(std::to_string(on_machine) + " ranks on a machine");
      std::vector<Seen> all(5);
      mpi::on_ranks(
          5,
          [&](const RanksWire& wire) {
            const bool reads = wire->rank_on_machine() == 0;
            const SharedTable table(asked(reads ? file : "nowhere.csv"), io::Response::classes,
                                    on(wire));
            all[wire->rank()] = see(table);
            wire->on_machine()->meet(); // till then all are there
          },
          memory, on_machine);
      for (std::size_t r = 0; r < all.size(); ++r) {
        const std::size_t first = r - r % on_machine;
        EXPECT_EQ(all[r].numbers, alone.numbers);
        EXPECT_EQ(all[r].words, alone.words);
        if (r == first)
          continue;
        EXPECT_EQ(all[r].learn == all[first].learn, memory == Memory::shared_memory)
            << r; // the same place, not a copy
        EXPECT_EQ(all[r].test == all[first].test, memory == Memory::shared_memory) << r;
      }
      if (on_machine == 2 && memory == Memory::shared_memory) {
        EXPECT_NE(all[0].learn, all[2].learn);
      }
    }
}

TEST_F(Tables, AreReadByEachRankWhereNobodyKnowsMachines) {
  const std::string file = write(20);
  std::atomic<int> failed = 0;
  mpi::on_ranks(3, [&](const RanksWire& wire) {
    try {
      SharedTable(asked(wire->first() ? file : "nowhere.csv"), io::Response::classes, on(wire));
    } catch (const io::InputMissing&) {
      ++failed;
    }
  });
  EXPECT_EQ(failed, 2);
}

TEST_F(Tables, ThatOneMachineLacksEndAllRanksInTheNameOfItsFirst) {
  const std::string file = write(20);
  mpi::on_ranks(
      4,
      [&](const RanksWire& wire) {
        try {
          mpi::run_and_agree(*wire, [&] {
            SharedTable(asked(wire->rank() == 2 ? "nowhere.csv" : file), io::Response::classes,
                        on(wire));
          });
          ADD_FAILURE() << "nothing was thrown on rank " << wire->rank();
        } catch (const std::runtime_error& error) {
          EXPECT_NE(std::string(error.what()).find("nowhere.csv"), std::string::npos)
              << error.what();
        }
        EXPECT_FALSE(wire->agreed_failure.empty());
        EXPECT_EQ(wire->origin, 2u);
      },
      Memory::shared_memory, 2);
}

TEST(FromFirst, IsMadeOnceAndThrownByAll) {
  for (const Memory memory : {Memory::shared_memory, Memory::apart}) {
    std::atomic<int> made = 0;
    mpi::on_ranks(
        3,
        [&](const RanksWire& wire) {
          const auto bytes = mpi::from_first(*wire, 100, [&](std::byte* to) {
            ++made;
            std::fill_n(to, 100, std::byte{7});
          });
          EXPECT_EQ(std::count(bytes.get(), bytes.get() + 100, std::byte{7}), 100);
          EXPECT_THROW(
              mpi::from_first(*wire, 8, [](std::byte*) { throw std::runtime_error("cannot"); }),
              std::runtime_error);
          wire->meet();
        },
        memory);
    EXPECT_EQ(made, 1);
  }
}

TEST(Room, IsLeftForOthers) {
  constexpr std::size_t others = mpi::room_for_others;
  EXPECT_TRUE(mpi::leaves_room(0, others + 1));
  EXPECT_TRUE(mpi::leaves_room(100, others + 101));
  EXPECT_FALSE(mpi::leaves_room(100, others + 100));
  EXPECT_FALSE(mpi::leaves_room(0, others));
  EXPECT_FALSE(mpi::leaves_room(0, 0));
  EXPECT_FALSE(mpi::leaves_room(SIZE_MAX, others + 100)); // nor by overflow
}

/// Positions, and what is said of the rows held out.
std::vector<double> outcome_of(const plan::Recipe& r, const RanksWire& wire) {
  const auto flight = assemble::make_flight(plan::resolve(r), 0, nullptr, {}, wire);
  const run::Outcome outcome = run::fly(*flight);
  std::vector<double> all = outcome.positions;
  EXPECT_TRUE(outcome.held_out.has_value());
  all.push_back(outcome.held_out->log_likelihood);
  return all;
}

void expect_the_bits_of_one_process(const plan::Recipe& r,
                                    std::initializer_list<std::size_t> machines) {
  const std::vector<double> one = outcome_of(r, mpi::alone());
  for (const Memory memory : {Memory::shared_memory, Memory::apart})
    for (const std::size_t on_machine : machines)
      mpi::on_ranks(
          3,
          [&](const RanksWire& wire) {
            const std::vector<double> here = outcome_of(r, wire);
            if (wire->first()) {
              EXPECT_EQ(here, one) << on_machine << " ranks on a machine, "
                                   << (memory == Memory::apart ? "apart" : "in common");
            }
          },
          memory, on_machine);
}

plan::Recipe regression(const std::string& target, const std::string& file) {
  plan::Recipe r;
  r.target = target;
  r.particles = 24;
  r.threads = 1;
  r.blocks = 8;
  r.seed = 5;
  r.set("data", file)
      .set("holdout", 0.2)
      .set("label", target == "linear" || target == "poisson" ? "count" : "kind");
  r.set("drop", target == "linear" || target == "poisson" ? "kind" : "count");
  if (target == "logistic")
    r.set("positive", "red");
  return r;
}

TEST_F(Tables, GiveTheBitsOfOneProcess) {
  const std::string file = write(90);
  for (const char* target : {"logistic", "linear", "poisson", "multinomial"})
    for (const char* precision : {"double", "single"}) {
      SCOPED_TRACE(std::string(target) + " in " + precision);
      plan::Recipe raw = regression(target, file);
      raw.method = "paper";
      raw.batch = "4";
      raw.steps = 12;
      raw.precision = precision;
      raw.set("data-batch", std::uint64_t{20});
      expect_the_bits_of_one_process(raw, {3, 2, 0});
    }
  for (const char* target : {"logistic", "multinomial"}) {
    SCOPED_TRACE(target);
    plan::Recipe stages = regression(target, file);
    stages.method = "auto";
    expect_the_bits_of_one_process(stages, {2});
  }
}

} // namespace
} // namespace starling
