// Products of rows, by BLAS.
#include "cpu/row_products.hpp"

#include "cpu/blas.hpp"

namespace starling::cpu {

template <typename Real>
void add_product(std::size_t rows, std::size_t columns, std::size_t inner, Real alpha,
                 const Real* a, const Real* b, Real beta, Real* c) {
  multiply<Real>(Turn::none, Turn::none, rows, columns, inner, alpha, {a, inner}, {b, columns},
                 beta, {c, columns});
}

template <typename Real>
void product_turned(std::size_t rows, std::size_t columns, std::size_t inner, const Real* a,
                    const Real* b, Real* c) {
  multiply<Real>(Turn::none, Turn::transpose, rows, columns, inner, 1, {a, inner}, {b, inner}, 0,
                 {c, columns});
}

template <typename Real>
void turned_product(std::size_t rows, std::size_t columns, std::size_t inner, const Real* a,
                    const Real* b, Real* c) {
  multiply<Real>(Turn::transpose, Turn::none, rows, columns, inner, 1, {a, rows}, {b, columns}, 0,
                 {c, columns});
}

#define STARLING_FOR(Real)                                                                         \
  template void add_product(std::size_t, std::size_t, std::size_t, Real, const Real*, const Real*, \
                            Real, Real*);                                                          \
  template void product_turned(std::size_t, std::size_t, std::size_t, const Real*, const Real*,    \
                               Real*);                                                             \
  template void turned_product(std::size_t, std::size_t, std::size_t, const Real*, const Real*,    \
                               Real*);
STARLING_FOR(double)
STARLING_FOR(float)
#undef STARLING_FOR

} // namespace starling::cpu
