// What fails on one rank is thrown on all of them, as what it is, once and again.
#include "mpi/agreement.hpp"
#include "mpi/ranks_as_threads.hpp"

#include <starling/error.hpp>

#include <gtest/gtest.h>

#include <new>
#include <string>

namespace starling {
namespace {

/// What each rank catches of what `thrown` throws on rank 1.
template <typename Error, typename Throw>
void expect_everywhere(const std::string& text, Throw&& thrown) {
  mpi::on_ranks(3, [&](const std::shared_ptr<mpi::Wire>& wire) {
    try {
      mpi::run_and_agree(*wire, [&] {
        if (wire->rank() == 1)
          thrown();
      });
      ADD_FAILURE() << "nothing was thrown on rank " << wire->rank();
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), text);
    }
    EXPECT_EQ(wire->origin, 1u);
  });
}

TEST(Agreement, ThrowsOnAllRanksWhatOneThrew) {
  const Diverged diverged(7, 12, "theta[2]: odd, parameter of a name");
  expect_everywhere<Diverged>(diverged.what(), [&] { throw diverged; });
  const TargetError target(3, 4, "no");
  expect_everywhere<TargetError>(target.what(), [&] { throw target; });
  expect_everywhere<std::invalid_argument>("asked wrong",
                                           [] { throw std::invalid_argument("asked wrong"); });
  expect_everywhere<DoesNotFit>("too many", [] { throw DoesNotFit("too many"); });
  expect_everywhere<std::bad_alloc>(std::bad_alloc().what(), [] { throw std::bad_alloc(); });
  expect_everywhere<std::runtime_error>("else", [] { throw std::runtime_error("else"); });
}

TEST(Agreement, IsReachedAgainAfterAFailureThatWasDealtWith) {
  mpi::on_ranks(3, [&](const std::shared_ptr<mpi::Wire>& wire) {
    for (int time = 0; time < 3; ++time)
      EXPECT_THROW(mpi::run_and_agree(*wire,
                                      [&] { // rank 0 alone, each time
                                        if (wire->first())
                                          throw std::runtime_error("the disk is full");
                                      }),
                   std::runtime_error);
    mpi::run_and_agree(*wire, [] {});
    EXPECT_FALSE(mpi::any(*wire, false));
  });
}

TEST(Agreement, IsNotAskedTwiceForWhatIsOnItsWayUp) {
  mpi::on_ranks(2, [&](const std::shared_ptr<mpi::Wire>& wire) {
    EXPECT_THROW(mpi::run_and_agree(*wire,
                                    [&] {
                                      mpi::run_and_agree(*wire, [&] {
                                        if (wire->rank() == 1)
                                          throw TargetError(0, 0, "within");
                                      });
                                    }),
                 TargetError);
    EXPECT_FALSE(wire->agreed_failure.empty());
    EXPECT_FALSE(mpi::any(*wire, false)); // nobody waits
  });
}

// Certify catches a target that fails; what then fails on one rank alone is not what was agreed on.
TEST(Agreement, DoesNotTakeAFailureForOneThatWasCaughtBefore) {
  mpi::on_ranks(2, [&](const std::shared_ptr<mpi::Wire>& wire) {
    try {
      mpi::run_and_agree(*wire, [&] {
        if (wire->rank() == 1)
          throw TargetError(3, 4, "no density");
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const TargetError&) {
      EXPECT_TRUE(mpi::failure_agreed(*wire, std::current_exception()));
      // whoever called the target counts rows otherwise
      const auto counted_anew = std::make_exception_ptr(TargetError(3, 7, "no density"));
      EXPECT_TRUE(mpi::failure_agreed(*wire, counted_anew));
    }
    const auto alone = std::make_exception_ptr(std::bad_alloc());
    EXPECT_FALSE(mpi::failure_agreed(*wire, alone));
    EXPECT_FALSE(mpi::failure_agreed(*wire, nullptr));
    EXPECT_THROW(mpi::agree(*wire, wire->rank() == 0 ? alone : nullptr), std::bad_alloc);
  });
}

TEST(Agreement, KeepsTheParameterOfWhatDiverged) {
  mpi::on_ranks(2, [&](const std::shared_ptr<mpi::Wire>& wire) {
    try {
      mpi::run_and_agree(*wire, [&] {
        if (wire->rank() == 1)
          throw Diverged(3, 4, "a, parameter b");
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Diverged& error) {
      EXPECT_EQ(error.parameter(), "a, parameter b");
    }
  });
}

TEST(Agreement, TellsAllWhetherAnyoneWouldStop) {
  mpi::on_ranks(3, [&](const std::shared_ptr<mpi::Wire>& wire) {
    bool wants = false;
    wire->would_stop = [&] { return wants; };
    EXPECT_FALSE(mpi::any(*wire, false));
    EXPECT_FALSE(mpi::stop_is_agreed(*wire));
    wants = wire->rank() == 1;
    EXPECT_FALSE(mpi::any(*wire, false)); // to stop is no answer to what was asked
    EXPECT_TRUE(mpi::stop_is_agreed(*wire)) << "as was heard at that agreement";
    wants = false;
    EXPECT_FALSE(mpi::stop_is_agreed(*wire)) << "which is news no more: an agreement of its own";
  });
}

} // namespace
} // namespace starling
