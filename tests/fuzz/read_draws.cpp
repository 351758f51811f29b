// Draws and arrays: NPY, NPZ, Zarr, Stan CSV.
#include "fuzz/files.hpp"
#include "fuzz/readers.hpp"

#include "io/errors.hpp"
#include "io/npy.hpp"
#include "io/row_file.hpp"
#include "io/stan_csv.hpp"
#include "io/zarr.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <sstream>
#include <string>

namespace starling::fuzz {

namespace {

void check(const io::Array& array) {
  std::size_t count = 1;
  for (const std::size_t extent : array.shape)
    count *= extent;
  promise(count == array.values.size(), "an array has as many values as its shape says");
}

void check(const io::Draws& draws) {
  promise(draws.values.size() == draws.rows * draws.names.size(), "draws have rows x names values");
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Rows read where they are wanted, by a file that the system holds in memory.
void read_rows(std::string_view bytes) {
  const int file = memfd_create("rows", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("memfd_create failed");
  try {
    const io::RowFile rows("/proc/self/fd/" + std::to_string(file));
    std::vector<double> some;
    std::vector<float> single;
    rows.read(rows.rows() / 2, rows.rows(), some);
    rows.read(0, (rows.rows() + 1) / 2, single);
    promise(some.size() % rows.columns() == 0, "rows are whole");
  } catch (const io::BadData&) {
  }
  close(file);
}

} // namespace

void read_npy(std::string_view bytes) {
  try {
    check(io::read_npy(place("in.npy", bytes)));
    read_rows(bytes);
  } catch (const io::BadData&) {
  }
}

void read_npz(std::string_view bytes) {
  try {
    std::map<std::string, io::Texts> texts;
    for (const auto& [name, array] : io::read_npz(place("in.npz", bytes), &texts))
      check(array);
  } catch (const io::BadData&) {
  }
}

// Several files in a row, each after a line "=== N", N its place in this list.
void read_zarr(std::string_view bytes) {
  constexpr std::array names{".zattrs",
                             "posterior/x/.zarray",
                             "posterior/x/0.0",
                             "posterior/x/1.0",
                             "sample_stats/lp/.zarray",
                             "sample_stats/lp/0.0",
                             "posterior/theta/.zarray",
                             "posterior/theta/0.0.0"};
  constexpr std::string_view mark = "=== ";
  std::size_t at = bytes.find(mark);
  while (at != std::string_view::npos) {
    const std::size_t begin = at + mark.size() + 2;
    if (begin > bytes.size())
      break;
    const auto which = static_cast<unsigned char>(bytes[begin - 2]) % names.size();
    at = bytes.find(mark, begin);
    place(names[which], bytes.substr(begin, at == std::string_view::npos ? at : at - begin));
  }
  try {
    for (const io::Draws& draws : io::read_zarr(folder()))
      check(draws);
  } catch (const io::BadData&) {
  } catch (const io::InputMissing&) {
  }
  clear();
}

void read_stan_csv(std::string_view bytes) {
  io::Draws draws;
  try {
    draws = io::read_stan_csv(place("draws.csv", bytes));
  } catch (const io::BadData&) {
    return;
  }
  check(draws);
  std::ostringstream written;
  try {
    io::write_stan_csv(written, draws, io::StanHeader());
  } catch (const std::invalid_argument&) { // two columns of one name
    return;
  }
  const io::Draws back = io::read_stan_csv(place("draws.csv", written.str()));
  const std::size_t more = back.names.size() - draws.names.size(); // lp__, where there was none
  promise(more <= 1 && back.rows == draws.rows,
          "draws that were read can be written and read again");
  if (more != 0 || back.names != draws.names)
    return; // arrays may have been put together
  for (std::size_t i = 0; i < draws.values.size(); ++i)
    promise(same_bits(back.values[i], draws.values[i]) || draws.values[i] != draws.values[i],
            "numbers come back as they were");
}

} // namespace starling::fuzz
