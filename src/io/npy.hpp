// NumPy's files: arrays in .npy, several of them in .npz.
#pragma once

#include "io/output_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling::io {

/// Numbers in row-major order, as numpy.ascontiguousarray has them. No shape is a single number.
struct Array {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// UTF-8 strings, one after another.
using Texts = std::vector<std::string>;

/// Reads format versions 1 to 3; float64, float32, signed and unsigned integers of 4 and 8 bytes,
/// little-endian or big-endian; C or Fortran order; any number of dimensions. Integers beyond 2^53
/// are rounded. Throws InputMissing, or BadData for anything else.
Array read_npy(const std::filesystem::path& file);

/// Throws CannotWrite; std::invalid_argument when the shape does not fit the values.
void write_npy(const std::filesystem::path& file, const Array& array);

/// The numeric arrays of an .npz, stored or deflated, of any size (zip64). Arrays of NumPy's
/// unicode type go into `texts` if it is given; all others are passed over. Throws InputMissing, or
/// BadData when the archive is damaged.
std::map<std::string, Array> read_npz(const std::filesystem::path& file,
                                      std::map<std::string, Texts>* texts = nullptr);

/// Writes an .npz that numpy.load reads. The same arrays give the same bytes: no times are stored.
class NpzWriter {
public:
  /// Draws hardly deflate (their bits are noise), so they are stored as numpy.savez does; deflated
  /// suits tables with structure.
  enum class Packing { stored, deflated };

  /// Members that are larger than `plain_up_to`, or lie behind so many bytes, are written as zip64;
  /// tests choose another number than the largest of a plain zip.
  explicit NpzWriter(const std::filesystem::path& file, Packing packing = Packing::stored,
                     std::uint64_t plain_up_to = 0xfffffffe);
  /// Closes if that was not done, unless an exception is under way; then a failure cannot be
  /// reported.
  ~NpzWriter();
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;

  using Shape = std::vector<std::size_t>;
  /// Adds an array under a name. Throws CannotWrite, or std::invalid_argument for a name used
  /// before or a shape that does not fit.
  void add(const std::string& name, std::span<const double> values, const Shape& shape);
  void add(const std::string& name, std::span<const float> values, const Shape& shape);
  void add(const std::string& name, std::span<const std::uint64_t> values, const Shape& shape);
  /// The same, some at a time, where all of them would be a copy: `values` is called twice, and
  /// each time hands over all numbers in order. Stored, whatever the packing.
  using Receiver = std::function<void(std::span<const double>)>;
  void add(const std::string& name, const std::function<void(const Receiver&)>& values,
           const Shape& shape);
  /// UTF-8 strings, as a one-dimensional array of NumPy's unicode type.
  void add(const std::string& name, std::span<const std::string> values);

  /// Writes the directory at the end. No add() after it.
  void close();

private:
  struct Member {
    std::string name;
    std::uint32_t crc;
    std::uint64_t packed_size;
    std::uint64_t size;
    std::uint64_t offset;
    std::uint16_t method;
  };

  void add_member(const std::string& name, const std::string& head, std::string_view bytes);
  /// What stands before the bytes of a member. Throws where its name cannot be used.
  void begin_member(Member member);

  std::filesystem::path path_;
  OutputFile out_;
  Packing packing_;
  std::uint64_t plain_up_to_;
  std::vector<Member> members_;
  int exceptions_at_start_;
  bool closed_ = false;
};

} // namespace starling::io
