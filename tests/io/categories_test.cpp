// Tables with texts and missing values: categories, rows left out, and new rows read the same way.
#include "io/dataset.hpp"
#include "io/errors.hpp"
#include "io/new_rows.hpp"
#include "scratch.hpp"

#include <string>
#include <vector>

namespace starling::io {
namespace {

using Texts = std::vector<std::string>;
using Features = std::vector<double>;

Dataset table_of(std::string_view text, const LabelChoice& choice = {}) {
  const Scratch scratch;
  return load_dataset(scratch.file("t.csv", text), choice);
}

NewRows new_rows_of(std::string_view text, const TableUse& use, bool drop_missing = false) {
  const Scratch scratch;
  return read_new_rows(scratch.file("n.csv", text), use, drop_missing);
}

LabelChoice with(const std::string& category, const std::string& base, bool drop_missing = false) {
  return {"", "", "", Response::number, category, base, drop_missing};
}

const char* const cities = "age,city,y\n20,Oslo,1\n30,Bern,2\n40,\"R\"\"ome\",3\n50,Bern,4\n";

TEST(Categories, AreColumnsOfTextsWithTheFirstLevelAsBase) {
  const Dataset data = table_of(cities, with("", ""));
  EXPECT_EQ(data.names, (Texts{"age", "city=Oslo", "city=R\"ome"}));
  EXPECT_EQ(data.features, (Features{20, 1, 0, 30, 0, 0, 40, 0, 1, 50, 0, 0}));
  EXPECT_EQ(data.use.columns.at(1).levels, (Texts{"Bern", "Oslo", "R\"ome"}));
  EXPECT_TRUE(data.use.columns.at(0).levels.empty());
}

TEST(Categories, HaveTheBaseThatIsAskedFor) {
  const Dataset data = table_of(cities, with("", "city=Oslo"));
  EXPECT_EQ(data.names, (Texts{"age", "city=Bern", "city=R\"ome"}));
  EXPECT_EQ(data.features, (Features{20, 0, 0, 30, 1, 0, 40, 0, 1, 50, 1, 0}));
}

TEST(Categories, AreNumbersWhereThatIsAskedFor) {
  const std::string zips = "zip,y\n10,1\n9,2\n9.0,3\n";
  EXPECT_EQ(table_of(zips, with("", "")).names, (Texts{"zip"}));
  const Dataset data = table_of(zips, with("zip", ""));
  EXPECT_EQ(data.names, (Texts{"zip=10"})) << "levels are in the order of numbers, 9 first";
  EXPECT_EQ(data.features, (Features{1, 0, 0}));
}

TEST(Categories, KeepWhatIsNoNumberAmongNumbersAnError) {
  EXPECT_THROW(table_of("a,y\n1,1\nx,2\n", with("", "")), BadData);
  EXPECT_EQ(table_of("a,y\n1,1\nx,2\n", with("a", "")).names, (Texts{"a=x"}));
}

TEST(Categories, MayHaveALevelThatWouldBeMissingAmongNumbers) {
  const Dataset data = table_of("dose,y\nnone,1\nlow,2\nnone,3\n", with("", ""));
  EXPECT_EQ(data.use.columns.at(0).levels, (Texts{"low", "none"}));
}

TEST(Categories, AreNoDatesAndNoDecimalCommas) {
  for (const char* const text :
       {"d;y\n2024-01-31;1\n2024-02-01;2\n", "d;y\n31.1.2024;1\n1.2.2024;2\n",
        "d;y\n1/31/24;1\n2/1/24;2\n", "d;y\n2024-01-31T12:00:00Z;1\n2024-01-31 13:00;2\n",
        "d;y\n12:30;1\n12:31:05;2\n", "d;y\n2,5;1\n3,5;2\n"})
    EXPECT_THROW(table_of(text, with("", "")), BadData) << text;
  // Not everything with digits and marks is a date.
  for (const char* const text : {"v;y\n1.2.3;1\n1.2.4;2\n", "v;y\nA-1;1\nA-2;2\n"})
    EXPECT_EQ(table_of(text, with("", "")).columns, 1U) << text;
}

TEST(Missing, RowsAreLeftOutWhereThatIsAskedFor) {
  const std::string gaps = "a,g,y\n1,u,1\n,u,2\n3,NA,3\n4,v,\n5,v,5\n6,w,NA\n";
  const Dataset data = table_of(gaps, with("", "", true));
  EXPECT_EQ(data.rows, 2U);
  EXPECT_EQ(data.use.left_out, 4U);
  EXPECT_EQ(data.labels, (Features{1, 5}));
  EXPECT_EQ(data.names, (Texts{"a", "g=v"})) << "w is in rows that are left out alone";
  EXPECT_EQ(data.features, (Features{1, 0, 5, 1}));
  EXPECT_THROW(table_of(gaps, with("", "")), BadData);
}

TEST(Scales, SayHowFeaturesWereMade) {
  for (const Scaling scaling : {Scaling::minmax, Scaling::standard}) {
    Dataset data = table_of("a,b,y\n1990,-2,1\n2000,3,2\n2020,5,3\n", with("", ""));
    const Features before = data.features;
    scale(data, scaling);
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_NEAR(data.features[i], (before[i] - data.shift[i % 2]) * data.factor[i % 2], 1e-12);
  }
}

TEST(NewRows, AreReadAsTheRunReadItsTable) {
  const Dataset data = table_of(cities, with("", "city=Oslo"));
  const TableUse use = table_use_of(to_json_text(data.use)); // by way of summary.json
  EXPECT_EQ(new_rows_of(cities, use).features, data.features);
  const NewRows rows = new_rows_of("city,more,age\nBern,x,7\nOslo,,8\n", use);
  EXPECT_EQ(rows.features, (Features{7, 1, 0, 8, 0, 0})) << "any order, no label, others beside";
  EXPECT_NE(new_rows_of(cities, table_of(cities, with("", "")).use).features, data.features)
      << "another base";
}

TEST(NewRows, LeaveOutRowsWithMissingValuesAndSayWhichAreLeft) {
  const TableUse use = table_of(cities, with("", "")).use;
  const std::string gaps = "age,city\n1,Bern\n,Bern\n3,NA\n4,Oslo\n";
  EXPECT_EQ(new_rows_of(gaps, use, true).numbers, (std::vector<std::size_t>{1, 4}));
  EXPECT_THROW(new_rows_of(gaps, use), BadData);
}

TEST(NewRows, NameColumnsThatAreNotThereAndLevelsThatAreNew) {
  const TableUse use = table_of(cities, with("", "")).use;
  const Scratch scratch;
  const auto refused = [&](std::string_view text) {
    const auto file = scratch.file("n.csv", text);
    return error_text<BadData>(file, [&] { read_new_rows(file, use, false); });
  };
  EXPECT_EQ(refused("a,y\n1,2\n"), "n.csv: has no column age, city; the run learned from them");
  EXPECT_EQ(refused("age,city\n1,Paris\nx,Bern\n"),
            "n.csv: column 1 (age): 1 of 2 values are not numbers, the first 'x' in line 3; column "
            "2 (city): 1 of 2 values are not a level of the run (Bern, Oslo, R\"ome), the first "
            "'Paris' in line 2");
  EXPECT_EQ(refused(""), "n.csv: is empty");
}

TEST(NewRows, OfLibsvmHaveZerosWhereNothingStands) {
  const TableUse use = table_of("1 1:2 2:3\n0 2:1\n").use;
  EXPECT_EQ(new_rows_of("0 2:5\n0 1:4\n", use).features, (Features{0, 5, 4, 0}));
  EXPECT_THROW(new_rows_of("0 3:5\n", use), BadData);
}

} // namespace
} // namespace starling::io
