// Products of matrices of rows, by BLAS.
#pragma once

#include "cpu/row_products.hpp"

#include <starling/frame.hpp>

namespace starling {

/// to += a b, for rows that lie one after another.
template <typename A, typename B>
void add_times(const A& a, const B& b, Frame::Matrix& to) {
  if (to.size() > 0 && a.cols() > 0)
    cpu::add_product<double>(std::size_t(a.rows()), std::size_t(b.cols()), std::size_t(a.cols()), 1,
                             a.data(), b.data(), 1, to.data());
}

/// a b.
template <typename A, typename B>
Frame::Matrix times(const A& a, const B& b) {
  Frame::Matrix to = Frame::Matrix::Zero(a.rows(), b.cols());
  add_times(a, b, to);
  return to;
}

/// a b^T.
template <typename A, typename B>
Frame::Matrix times_turned(const A& a, const B& b) {
  Frame::Matrix to(a.rows(), b.rows());
  if (to.size() > 0)
    cpu::product_turned<double>(std::size_t(a.rows()), std::size_t(b.rows()), std::size_t(a.cols()),
                                a.data(), b.data(), to.data());
  return to;
}

/// a^T b.
template <typename A, typename B>
Frame::Matrix turned_times(const A& a, const B& b) {
  Frame::Matrix to = Frame::Matrix::Zero(a.cols(), b.cols());
  if (to.size() > 0 && a.rows() > 0)
    cpu::turned_product<double>(std::size_t(a.cols()), std::size_t(b.cols()), std::size_t(a.rows()),
                                a.data(), b.data(), to.data());
  return to;
}

/// a^T b, for columns that lie one after another.
inline Eigen::MatrixXd of_columns(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd to = Eigen::MatrixXd::Zero(a.cols(), b.cols());
  if (to.size() > 0 && a.rows() > 0) // its rows are the columns of the other order
    cpu::product_turned<double>(std::size_t(b.cols()), std::size_t(a.cols()), std::size_t(a.rows()),
                                b.data(), a.data(), to.data());
  return to;
}

} // namespace starling
