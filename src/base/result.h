// The public Result and Error, and what an error means to the shells.
#pragma once

#include "include/wattree/result.h"

namespace wattree {

// The exit code of the command line and the HTTP status of an error, and its name in JSON: one
// table.
struct ErrorMeaning {
  const char* name;
  int exit_code;
  int http_status;
};
constexpr ErrorMeaning meaning_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput: return {"invalid_input", 3, 400};
    case ErrorCode::kNotFound: return {"not_found", 3, 404};
    case ErrorCode::kPermission: return {"permission", 4, 403};
    case ErrorCode::kUnavailable: return {"unavailable", 4, 503};
    case ErrorCode::kInternal: return {"internal", 5, 500};
  }
  return {"internal", 5, 500};
}

}  // namespace wattree
