// Products of matrices whose rows lie one after another, at the machine's rate: Eigen's are
// compiled for the least machine.
#pragma once

#include <cstddef>

namespace starling::cpu {

/// C = alpha A B + beta C: A has `rows` rows of `inner` numbers, B `inner` rows of `columns`.
template <typename Real>
void add_product(std::size_t rows, std::size_t columns, std::size_t inner, Real alpha,
                 const Real* a, const Real* b, Real beta, Real* c);
/// C = A B^T: B has `columns` rows of `inner` numbers.
template <typename Real>
void product_turned(std::size_t rows, std::size_t columns, std::size_t inner, const Real* a,
                    const Real* b, Real* c);
/// C = A^T B: A has `inner` rows of `rows` numbers, B as many of `columns`.
template <typename Real>
void turned_product(std::size_t rows, std::size_t columns, std::size_t inner, const Real* a,
                    const Real* b, Real* c);

} // namespace starling::cpu
