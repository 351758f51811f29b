// Fields: what is saved is restored, and what does not fit is refused.
#include <starling/cloud.hpp>
#include <starling/fields.hpp>

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

namespace {

using namespace starling;

enum class Colour { red, green };

struct Inner {
  double value = 0;
  std::vector<std::size_t> numbers;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("value", self.value);
    visit("numbers", self.numbers);
  }
};

struct Outer {
  bool flag = false;
  Colour colour = Colour::red;
  std::array<Inner, 2> two;
  std::optional<Inner> maybe;
  std::vector<Inner> many;
  Eigen::VectorXd column;
  Frame::Matrix matrix;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("flag", self.flag);
    visit("colour", self.colour, Colour::green);
    visit("two", self.two);
    visit("maybe", self.maybe);
    visit("many", self.many);
    visit("column", self.column);
    visit("matrix", self.matrix);
  }
};

Outer some() {
  Outer outer;
  outer.flag = true;
  outer.colour = Colour::green;
  outer.two[1].value = -0.0;
  outer.maybe = Inner{1e-320, {7, 8}};
  outer.many = {{3, {}}, {4, {1}}};
  outer.column = Eigen::Vector3d(1, 2, 3);
  outer.matrix = Frame::Matrix::Random(2, 4);
  return outer;
}

std::string bytes_of(const Outer& outer) {
  SaveFields to;
  to("outer", outer);
  return to.bytes;
}

TEST(Fields, ComeBackAsTheyWere) {
  const std::string bytes = bytes_of(some());
  RestoreFields from(bytes);
  Outer again;
  again.maybe = Inner{9, {9}};
  from("outer", again);
  EXPECT_TRUE(from.at_end());
  EXPECT_EQ(bytes_of(again), bytes);
  EXPECT_EQ(again.many[1].numbers, std::vector<std::size_t>{1});
  EXPECT_EQ(again.matrix.rows(), 2);
  EXPECT_EQ(again.column[2], 3);
}

TEST(Fields, RefuseBytesThatAreCutOffAnywhere) {
  const std::string bytes = bytes_of(some());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    RestoreFields from(std::string_view(bytes).substr(0, size));
    Outer again;
    EXPECT_THROW(from("outer", again), std::invalid_argument) << size;
  }
}

TEST(Fields, RefuseANameOrANumberThatDoesNotFit) {
  const std::string bytes = bytes_of(some());
  Outer again;
  RestoreFields other(bytes);
  EXPECT_THROW(other("inner", again), std::invalid_argument);
  // After the tags of "outer" and "flag" a bool, after the tag of "colour" an enum.
  for (const auto& [place, value] : {std::pair<std::size_t, char>{8, 2}, {20, 2}, {20, 127}}) {
    std::string wrong = bytes;
    wrong[place] = value;
    RestoreFields from(wrong);
    EXPECT_THROW(from("outer", again), std::invalid_argument) << place;
  }
}

TEST(Fields, AllocateNothingThatTheBytesDoNotBearOut) {
  Outer outer;
  outer.matrix = Frame::Matrix::Zero(1, 1);
  std::string bytes = bytes_of(outer);
  const std::uint64_t huge = std::uint64_t{1} << 61;
  std::memcpy(bytes.data() + bytes.size() - 24, &huge, sizeof huge); // rows of the matrix
  RestoreFields from(bytes);
  EXPECT_THROW(from("outer", outer), std::invalid_argument);
}

TEST(Fields, RefuseMoreNumbersThanThereAre) {
  SaveFields to;
  to("numbers", std::vector<double>{1});
  const std::uint64_t huge = std::uint64_t{1} << 61;
  std::memcpy(to.bytes.data() + 4, &huge, sizeof huge); // behind the tag
  std::vector<double> numbers;
  RestoreFields from(to.bytes);
  EXPECT_THROW(from("numbers", numbers), std::invalid_argument);
}

TEST(Fields, OfACloudFitEachOther) {
  Cloud cloud;
  cloud.x = cloud.score = Frame::Matrix::Zero(3, 2);
  cloud.log_density.resize(3);
  cloud.id.resize(2);
  SaveFields to;
  to("cloud", cloud);
  RestoreFields from(to.bytes);
  EXPECT_THROW(from("cloud", cloud), std::invalid_argument);
}

} // namespace
