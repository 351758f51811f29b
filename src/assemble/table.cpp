// Tables, read once on each machine.
#include "assemble/table.hpp"

#include "assemble/labelled_rows.hpp"
#include "mpi/agreement.hpp"
#include "mpi/from_first.hpp"

#include <fmt/format.h>

namespace starling::assemble {

namespace {

std::string left_out_in_words(const io::TableUse& use) {
  if (use.left_out == 0)
    return {};
  return fmt::format("{} of {} rows have missing values and were left out", use.left_out,
                     use.rows + use.left_out);
}

} // namespace

SharedTable::SharedTable(const TableRequest& r, io::Response response,
                         const plan::TargetContext& context)
    : machine_(context.ranks ? context.ranks->on_machine() : nullptr) {
  if (!machine_)
    machine_ = mpi::alone();
  std::vector<std::string> texts;
  std::vector<std::uint32_t> sizes;
  mpi::run_and_agree(*machine_, [&] {
    if (!machine_->first())
      return;
    data_ = load_scaled(r, response);
    rows_ = split(r, data_.rows, context.data_seed);
    names_ = data_.names;
    classes_ = data_.classes;
    texts = {r.label.empty() ? std::to_string(data_.label_column) : r.label, data_.positive,
             to_json_text(data_.use), left_out_in_words(data_.use)};
    scales_ = {data_.shift, data_.factor};
    for (const std::size_t rows : {rows_.to_learn_from().size(), rows_.held_out}) // fewer than 2^32
      sizes.push_back(static_cast<std::uint32_t>(rows));
  });
  mpi::broadcast(*machine_, names_);
  mpi::broadcast(*machine_, classes_);
  mpi::broadcast(*machine_, texts);
  mpi::broadcast(*machine_, sizes);
  mpi::broadcast(*machine_, scales_.shift);
  mpi::broadcast(*machine_, scales_.factor);
  label_ = texts[0], positive_ = texts[1], use_ = texts[2], left_out_ = texts[3];
  learns_from_ = sizes[0], held_out_ = sizes[1];
}

template <typename Number>
LabelledView<Number> SharedTable::laid_out(std::size_t count,
                                           std::span<const std::uint32_t> rows) const {
  if (count == 0)
    return {};
  const std::size_t weights = names_.size() + 1, in_line = mpi::Wire::alignment / sizeof(Number),
                    labels = (count * weights + in_line - 1) / in_line *
                             in_line; // where they begin, aligned too
  const auto memory =
      mpi::from_first(*machine_, (labels + count) * sizeof(Number), [&](std::byte* to) {
        Number* const numbers = reinterpret_cast<Number*>(to);
        lay_out(data_, rows, numbers, numbers + labels);
      });
  const auto* const numbers = reinterpret_cast<const Number*>(memory.get());
  return {numbers, numbers + labels, count, weights, memory};
}

template <typename Number>
LabelledView<Number> SharedTable::to_learn_from() const {
  return laid_out<Number>(learns_from_, rows_.to_learn_from());
}

template <typename Number>
LabelledView<Number> SharedTable::test() const {
  return laid_out<Number>(held_out_, rows_.test());
}

template LabelledView<double> SharedTable::to_learn_from() const;
template LabelledView<float> SharedTable::to_learn_from() const;
template LabelledView<double> SharedTable::test() const;
template LabelledView<float> SharedTable::test() const;

} // namespace starling::assemble
