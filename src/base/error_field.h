// Which field of a request an error is about.
#pragma once

#include <string>
#include <utility>

#include "src/base/result.h"

namespace wattree {

// The code that finds a problem seldom knows what the value was for; the one that read it from a
// request does. An error that names its field already keeps it.
inline Error of_field(std::string field, Error error) {
  if (error.field.empty()) error.field = std::move(field);
  return error;
}

// The same, and the message begins with the field: "<idle>: "3" is not a duration".
inline Error in_field(const std::string& field, Error error) {
  error.message = "<" + field + ">: " + error.message;
  return of_field(field, std::move(error));
}

}  // namespace wattree
