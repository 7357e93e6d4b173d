#include "src/base/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace wattree {

CsvReader::CsvReader(std::string text, std::string origin)
    : text_(std::move(text)), origin_(std::move(origin)) {
  if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  if (!read(header_) && failure_.ok()) {
    line_ = 1;
    failure_ = error("there is no header line");
  }
}

Error CsvReader::error(const std::string& what) const {
  return {ErrorCode::kInvalidInput, origin_ + ":" + std::to_string(line_) + ": " + what, ""};
}

std::optional<std::size_t> CsvReader::column(std::string_view name) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  if (found == header_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header_.begin());
}

Result<std::vector<std::size_t>> CsvReader::columns(
    std::initializer_list<std::string_view> names) const {
  if (!failure_.ok()) return failure_.error();
  std::vector<std::size_t> out;
  for (const std::string_view name : names) {
    const std::optional<std::size_t> index = column(name);
    if (!index) {
      return Error{ErrorCode::kInvalidInput,
                   origin_ + ": there is no column \"" + std::string(name) + "\"",
                   "the first line must name the columns"};
    }
    out.push_back(*index);
  }
  return out;
}

bool CsvReader::next() {
  if (!failure_.ok() || !read(row_)) return false;
  if (row_.size() == header_.size()) return true;
  failure_ = error("the header has " + std::to_string(header_.size()) + " fields, this row " +
                   std::to_string(row_.size()));
  return false;
}

bool CsvReader::read(std::vector<std::string_view>& fields) {
  const std::string_view text = text_;
  fields.clear();
  while (at_ < text.size()) {  // Blank lines.
    if (text[at_] == '\n') {
      ++at_;
    } else if (text.substr(at_, 2) == "\r\n") {
      at_ += 2;
    } else {
      break;
    }
    ++next_line_;
  }
  line_ = next_line_;
  if (at_ >= text.size()) return false;
  for (;;) {
    if (at_ < text.size() && text[at_] == '"') {
      if (!quoted_field(fields)) return false;
    } else {
      std::size_t end = at_;
      while (end < text.size() && text[end] != ',' && text[end] != '\n') ++end;
      std::size_t stop = end;
      if (end < text.size() && text[end] == '\n' && stop > at_ && text[stop - 1] == '\r') --stop;
      fields.push_back(text.substr(at_, stop - at_));
      at_ = end;
    }
    if (at_ >= text.size()) return true;
    if (text[at_++] == '\n') {
      ++next_line_;
      return true;
    }
  }
}

// Takes the quotes out of the buffer in place: what is left is never longer.
bool CsvReader::quoted_field(std::vector<std::string_view>& fields) {
  const std::size_t begin = ++at_;
  std::size_t out = begin;
  for (;; ++at_) {
    if (at_ >= text_.size()) {
      failure_ = error("a quoted field is not closed");
      return false;
    }
    if (text_[at_] == '"') {
      if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
      ++at_;
    }
    if (text_[at_] == '\n') ++next_line_;
    text_[out++] = text_[at_];
  }
  ++at_;
  if (at_ + 1 < text_.size() && text_[at_] == '\r' && text_[at_ + 1] == '\n') ++at_;
  if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
    failure_ = error("text stands after a closing quote");
    return false;
  }
  fields.push_back(std::string_view(text_).substr(begin, out - begin));
  return true;
}

std::optional<double> parse_number(std::string_view field) {
  double value = 0;
  const auto [end, status] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (status != std::errc() || end != field.data() + field.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace wattree
