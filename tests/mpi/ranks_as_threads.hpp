// Several ranks as threads of one process: what crosses is the same, and no MPI is needed.
#pragma once

#include "mpi/wire.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace starling::mpi {

/// Where threads wait for each other without keeping a core busy.
class Meeting {
public:
  explicit Meeting(std::size_t ranks) : ranks_(ranks) {}

  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const std::size_t now = turn_;
    if (++here_ >= ranks_)
      return go_on();
    all_here_.wait(lock, [&] { return turn_ != now; });
  }
  void arrive_and_drop() {
    const std::scoped_lock lock(mutex_);
    if (here_ >= --ranks_)
      go_on();
  }

private:
  void go_on() {
    here_ = 0;
    ++turn_;
    all_here_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable all_here_;
  std::size_t ranks_, here_ = 0, turn_ = 0;
};

/// What ranks lay out for each other between two times that all of them meet.
struct Table {
  explicit Table(std::size_t ranks) : laid(ranks), sizes(ranks), meet(ranks) {}
  std::vector<const std::byte*> laid;
  std::vector<const std::size_t*> sizes;
  Meeting meet;
  bool shared_memory = false; // whether they have memory in common
  std::shared_ptr<std::byte> common;
  std::size_t on_machine = 0;                   // ranks of each; 0: nobody knows
  std::vector<std::shared_ptr<Table>> machines; // what the ranks of each lay out among themselves
};

class RankAsThread final : public Wire {
public:
  RankAsThread(std::shared_ptr<Table> table, std::size_t rank)
      : table_(std::move(table)), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return table_->laid.size(); }
  std::size_t rank_on_machine() const override {
    return table_->machines.empty() ? rank_ : rank_ % table_->on_machine;
  }
  std::shared_ptr<Wire> on_machine() override {
    if (!table_->machines.empty() && !machine_)
      machine_ = std::make_shared<RankAsThread>(table_->machines[rank_ / table_->on_machine],
                                                rank_on_machine());
    return machine_;
  }
  bool takes_cards() const override { return cards; }
  bool cards = false; ///< where the host is in their place
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  std::span<const std::size_t> sizes) override {
    lay(mine.data(), sizes.data(), [&] {
      std::byte* to = all.data();
      for (std::size_t r = 0; r < size(); to += sizes[r++])
        if (to != table_->laid[r]) // others may be reading there
          std::copy_n(table_->laid[r], sizes[r], to);
    });
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all,
              std::span<const std::size_t> sizes) override {
    lay(mine.data(), sizes.data(), [&] {
      std::byte* to = all.data();
      for (std::size_t r = 0; rank_ == 0 && r < size(); ++r)
        to = std::copy_n(table_->laid[r], sizes[r], to);
    });
  }
  void broadcast(std::span<std::byte> bytes) override {
    lay(bytes.data(), nullptr, [&] {
      if (rank_ != 0)
        std::copy_n(table_->laid[0], bytes.size(), bytes.data());
    });
  }
  void finish() override {
    for (const Started& one : std::exchange(started_, {}))
      exchange_parts(one.from, one.sent, one.to, one.received);
  }
  /// Which holds what is no number.
  std::shared_ptr<std::byte> shared_memory(std::size_t bytes) override {
    if (!table_->shared_memory)
      return nullptr;
    std::shared_ptr<std::byte> mine;
    if (rank_ == 0) {
      table_->common =
          std::shared_ptr<std::byte>(new (std::align_val_t{64}) std::byte[bytes], [](std::byte* p) {
            ::operator delete[](p, std::align_val_t{64});
          });
      std::fill_n(table_->common.get(), bytes, std::byte{0xff});
    }
    lay(nullptr, nullptr, [&] { mine = table_->common; });
    return mine;
  }
  void meet() override { table_->meet.arrive_and_wait(); }
  [[noreturn]] void abort(int code) override { std::_Exit(code); }
  void leave() {
    table_->meet.arrive_and_drop();
    if (!table_->machines.empty())
      table_->machines[rank_ / table_->on_machine]->meet.arrive_and_drop();
  }

protected:
  /// Nothing arrives, nor is read, before it is waited for: whoever looks sooner sees what is no
  /// number.
  void start_parts(std::span<const std::byte> from, std::span<const std::size_t> sent,
                   std::span<std::byte> to, std::span<const std::size_t> received) override {
    std::ranges::fill(to, std::byte{0xff});
    started_.push_back({from, {sent.begin(), sent.end()}, to, {received.begin(), received.end()}});
  }
  void exchange_parts(std::span<const std::byte> from, std::span<const std::size_t> sent,
                      std::span<std::byte> to, std::span<const std::size_t> received) override {
    lay(from.data(), sent.data(), [&] {
      std::byte* next = to.data();
      for (std::size_t r = 0; r < size(); ++r) {
        const std::size_t* sizes = table_->sizes[r];
        std::size_t at = 0;
        for (std::size_t before = 0; before < rank_; ++before)
          at += sizes[before];
        if (sizes[rank_] != received[r])
          throw std::logic_error("a rank sends what nobody waits for");
        next = std::copy_n(table_->laid[r] + at, sizes[rank_], next);
      }
    });
  }

private:
  struct Started {
    std::span<const std::byte> from;
    std::vector<std::size_t> sent;
    std::span<std::byte> to;
    std::vector<std::size_t> received;
  };

  template <typename Take>
  void lay(const std::byte* bytes, const std::size_t* sizes, Take&& take) {
    table_->laid[rank_] = bytes;
    table_->sizes[rank_] = sizes;
    table_->meet.arrive_and_wait();
    take();
    table_->meet.arrive_and_wait();
  }

  std::shared_ptr<Table> table_;
  std::size_t rank_;
  std::vector<Started> started_;
  std::shared_ptr<RankAsThread> machine_;
};

enum class Memory { apart, shared_memory };

/// work(wire) on so many ranks at once, of which so many are on each machine; 0: nobody knows.
/// Memory in common is that of a machine's ranks. Throws what the lowest threw.
template <typename Work>
void on_ranks(std::size_t ranks, Work&& work, Memory memory = Memory::apart,
              std::size_t on_machine = 0) {
  const auto table = std::make_shared<Table>(ranks);
  table->shared_memory =
      memory == Memory::shared_memory && (on_machine == 0 || on_machine >= ranks);
  table->on_machine = on_machine;
  for (std::size_t first = 0; on_machine > 0 && first < ranks; first += on_machine) {
    table->machines.push_back(std::make_shared<Table>(std::min(on_machine, ranks - first)));
    table->machines.back()->shared_memory = memory == Memory::shared_memory;
  }
  std::vector<std::exception_ptr> thrown(ranks);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      const auto wire = std::make_shared<RankAsThread>(table, r);
      try {
        work(wire);
      } catch (...) {
        thrown[r] = std::current_exception();
      }
      wire->leave(); // the others do not wait for it
    });
  for (std::thread& one : threads)
    one.join();
  for (const std::exception_ptr& one : thrown)
    if (one)
      std::rethrow_exception(one);
}

} // namespace starling::mpi
