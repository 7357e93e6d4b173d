// Which field of a request an error is about.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "src/base/result.h"

namespace wattree {

// The code that finds a problem seldom knows what the value was for; the one that read it from a
// request does. An error that names its field already keeps it.
inline Error of_field(std::string field, Error error) {
  if (error.field.empty()) error.field = std::move(field);
  return error;
}

// What a file holds has fields of its own; the request's field is the one that names the file.
inline Error of_file(std::string field, Error error) {
  error.field = std::move(field);
  return error;
}

// A use case that is part of another calls a field by its own name; the other one renames it.
inline Error renamed_field(std::string_view own, std::string asked, Error error) {
  if (error.field == own) error.field = std::move(asked);
  return error;
}

// As of_field(), and the message begins with the field: "<idle>: "3" is not a duration".
inline Error in_field(const std::string& field, Error error) {
  error.message = "<" + field + ">: " + error.message;
  return of_field(field, std::move(error));
}

}  // namespace wattree
