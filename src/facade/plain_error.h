// Errors as users of the library read them: fields of a request by the names they have in C++.
#pragma once

#include "src/base/error_text.h"
#include "src/base/result.h"

namespace wattree {

inline Error plain(const Error& error) { return with_fields_named(error, plain_field_name); }

}  // namespace wattree
