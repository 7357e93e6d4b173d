// Writes JSON text piece by piece: a tree of a million nodes needs no document in memory first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wattree {

class JsonWriter {
 public:
  // `indent` spaces per level; 0 writes one line.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(std::int64_t number);
  void value(double number);  // The shortest text that reads back the same; not finite is null.
  void value(bool truth);
  void value(const std::vector<std::string>& texts);  // An array.
  void null();

  template <class T>
  void field(std::string_view name, const T& content) {
    key(name);
    value(content);
  }

  std::string take() { return std::move(text_); }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void new_line();
  void quote(std::string_view text);

  std::string text_;
  int indent_;
  int depth_ = 0;
  bool needs_comma_ = false;
  bool after_key_ = false;
};

}  // namespace wattree
