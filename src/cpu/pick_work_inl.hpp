// Philox and picks in vectors, for one SIMD level: a lane of 64 bits is a block. See lanes.hpp for
// how it is compiled.
#pragma once

#include "cpu/lanes.hpp"
#include "cpu/pick_work.hpp"

namespace starling::cpu::STARLING_LEVEL {

#if HWY_TARGET == HWY_SCALAR
inline constexpr PickWork pick_work = {nullptr};
#else

/// Two vectors of blocks side by side, from number `next` on; their words as philox4x32_10 orders
/// them. Of a lane's two words the upper one means nothing until the end.
HWY_INLINE void philox_blocks(const PickBlocks& from, std::uint32_t next, std::uint16_t* to) {
  using Wide = hn::ScalableTag<std::uint64_t>;
  using Words = hn::Repartition<std::uint32_t, Wide>;
  using Halves = hn::Repartition<std::uint16_t, Wide>;
  using Vec = hn::Vec<Wide>;
  constexpr std::size_t lanes = hn::MaxLanes(Wide());
  const auto set = [](std::uint64_t number) STARLING_INLINE { return hn::Set(Wide(), number); };
  const auto product = [](Vec a, Vec b) STARLING_INLINE {
    return hn::MulEven(hn::BitCast(Words(), a), hn::BitCast(Words(), b));
  };
  const Vec first = set(0xD2511F53), second = set(0xCD9E8D57);
  Vec c[2][4];
  for (std::size_t v = 0; v < 2; ++v) {
    c[v][0] = hn::Add(set(next + v * lanes), hn::Iota(Wide(), 0));
    c[v][1] = set(from.stream);
    c[v][2] = set(from.step & 0xffffffff);
    c[v][3] = set(from.step >> 32);
  }
  std::uint32_t key[2] = {from.key[0], from.key[1]};
  for (int round = 0; round < 10; ++round) {
    const Vec k0 = set(key[0]), k1 = set(key[1]);
    for (std::size_t v = 0; v < 2; ++v) {
      const Vec a = product(first, c[v][0]), b = product(second, c[v][2]);
      c[v][0] = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), c[v][1]), k0);
      c[v][1] = b;
      c[v][2] = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), c[v][3]), k1);
      c[v][3] = a;
    }
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  const Vec lower = set(0xffffffff);
  for (std::size_t v = 0; v < 2; ++v) { // words in pairs, then the pairs of a block in turn
    const Vec front = hn::Or(hn::And(c[v][0], lower), hn::ShiftLeft<32>(c[v][1]));
    const Vec back = hn::Or(hn::And(c[v][2], lower), hn::ShiftLeft<32>(c[v][3]));
    alignas(64) std::uint64_t words[2 * lanes];
    hn::StoreInterleaved2(front, back, Wide(), words);
    for (std::size_t n = 0; n < 2; ++n)
      hn::StoreU(hn::BitCast(Halves(), hn::LoadU(Wide(), words + n * lanes)), Halves(),
                 to + 4 * (2 * v + n) * lanes);
  }
}

/// Cost: 40 multiplications of vectors for 128 places where a vector holds eight blocks.
HWY_FLATTEN inline void draw_picks(const PickBlocks& given, Picks& to) {
  const PickBlocks from = given;
  constexpr std::size_t blocks = picks_together / 8,
                        together = 2 * hn::MaxLanes(hn::ScalableTag<std::uint64_t>());
  for (std::size_t block = 0; block < blocks; block += together)
    philox_blocks(from, from.next + static_cast<std::uint32_t>(block), to.halves + 8 * block);
  using Halves = hn::ScalableTag<std::uint16_t>;
  constexpr std::size_t width = hn::MaxLanes(Halves());
  auto* doubtful = reinterpret_cast<std::uint8_t*>(to.doubtful);
  for (std::size_t w = 0; w < picks_together; w += width) {
    const auto half = hn::LoadU(Halves(), to.halves + w);
    const auto bound = hn::Sub(hn::Set(Halves(), static_cast<std::uint16_t>(from.bound - w)),
                               hn::Iota(Halves(), 0));
    hn::StoreU(hn::MulHigh(half, bound), Halves(), to.picks + w);
    doubtful += hn::StoreMaskBits(Halves(), hn::Lt(hn::Mul(half, bound), bound), doubtful);
  }
}
inline constexpr PickWork pick_work = {draw_picks};
#endif

} // namespace starling::cpu::STARLING_LEVEL
