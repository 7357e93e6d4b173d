// Errors as users read them.
//
// Messages, hints and notes mention a request's field as "<dtype>", because the code that finds a
// problem does not know who asked. Each shell shows mentions in its own words: the command line as
// a flag ("--dtype"), HTTP as the field's name ("dtype").
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

// How a shell writes a field. Empty: it has no such field, and the text stays as it is.
using FieldName = std::function<std::string(std::string_view field)>;

// "choose one with <dtype>" -> "choose one with --dtype"
std::string with_fields_named(std::string_view text, const FieldName& name);

// Every text of the error with its fields named; `field` itself, too.
Error with_fields_named(Error error, const FieldName& name);

// A field by its own name: for shells whose users write JSON.
std::string plain_field_name(std::string_view field);

// {"error": {"code", "message", "field"?, "hint"}}, as the command line prints it with --json and
// HTTP answers. Ends with a newline.
std::string to_json(const Error& error);

}  // namespace wattree
