// Comma-separated values with a header line, row by row over one buffer: no allocation per field.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace wattree {

// RFC 4180: fields may be quoted, a doubled quote stands for one, a quoted field may hold commas
// and line ends, lines end in LF or CRLF. Blank lines and a UTF-8 byte order mark are skipped.
// Every row must have as many fields as the header.
//
//   CsvReader csv(std::move(text), "power.csv");
//   const auto columns = csv.columns({"time_s", "power_w"});
//   while (csv.next()) use(csv.row()[columns.value()[1]]);
//   if (csv.failure()) return *csv.failure();
class CsvReader {
 public:
  // `origin` names the text in errors.
  CsvReader(std::string text, std::string origin);
  CsvReader(const CsvReader&) = delete;  // Fields point into its buffer.
  CsvReader& operator=(const CsvReader&) = delete;

  std::span<const std::string_view> header() const { return header_; }
  // Where each of these columns stands; an error names the first that is missing.
  Result<std::vector<std::size_t>> columns(std::initializer_list<std::string_view> names) const;
  std::optional<std::size_t> column(std::string_view name) const;

  // Reads the next row; false at the end and at an error.
  bool next();
  // The fields of the row; they live as long as the reader.
  std::span<const std::string_view> row() const { return row_; }
  // The line of the text on which the row begins, from 1.
  std::size_t line() const { return line_; }
  const Status& failure() const { return failure_; }
  // An error of the caller's about the row: "power.csv:12: <what>".
  Error error(const std::string& what) const;

 private:
  bool read(std::vector<std::string_view>& fields);
  bool quoted_field(std::vector<std::string_view>& fields);

  std::string text_;
  std::string origin_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
  std::vector<std::string_view> header_;
  std::vector<std::string_view> row_;
  Status failure_;
};

// The whole field as a finite number; absent where it is not one.
std::optional<double> parse_number(std::string_view field);

// A field as it must stand in a CSV file: quoted where it has to be.
std::string csv_field(std::string_view text);

}  // namespace wattree
