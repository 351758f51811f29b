// Names of columns: taken apart into a stem and indices, put together into variables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace starling::io {

/// "theta[1,2]" is theta and {1, 2}. A name of any other kind, such as "w[Soil type]", "a[01]" or
/// "a.1", is all stem.
struct ApartName {
  std::string stem;
  std::vector<std::size_t> indices;
};
ApartName taken_apart(std::string_view name);

/// The same of a name as Stan CSV has it, "theta.1.2", whose indices count from 1.
ApartName taken_apart_at_dots(std::string_view name);

/// Columns that belong together: theta[1,1] .. theta[2,3] are one theta of 2 x 3.
struct Variable {
  std::string name;                 ///< the stem; of a column alone its name as it was given
  std::vector<std::size_t> shape;   ///< none for a single number
  std::vector<std::size_t> first;   ///< the lowest index along each dimension, 0 or 1
  std::vector<std::size_t> columns; ///< one per cell, rows of the array in order
};

/// Names of one stem are an array when their indices fill a box that begins at 0 or 1 in each
/// dimension, and only then: nobody may find a[3] where a[2] would be. All others stay alone.
/// Throws std::invalid_argument when two names are the same.
std::vector<Variable> variables_of(const std::vector<std::string>& names);

/// Whether a column is a figure of a sampler's, as lp__ and CmdStan's accept_stat__ are, and no
/// parameter. Other names may end in __, too: PyMC's do.
bool is_figure(std::string_view name);

} // namespace starling::io
