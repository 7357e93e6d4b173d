// Errors as HTTP answers: {"error": {"code", "message", "field"?, "hint"}}.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/error_text.h"
#include "src/server/http/http.h"
#include "src/server/routes/route.h"

namespace wattree {

// Folders of this machine, whose names no answer may show.
class PathsHidden {
 public:
  explicit PathsHidden(const Services& services);
  // Without the folders: "/home/me/.local/share/wattree/predictors/a.json" becomes "a.json".
  std::string in(std::string text) const;
  Error in(Error error) const;

 private:
  std::vector<std::string> folders_;  // Longest first; each ends with a slash.
};

// With the status that the error's code means, or another one.
HttpAnswer error_answer(const Error& error);
HttpAnswer error_answer(int status, const Error& error);

// "`wattree models` lists them" -> "/api/v1/models lists them"
std::string with_paths_for_commands(std::string text);

// Fields as the route's callers write them.
FieldName field_names_of(const Route& route);

}  // namespace wattree
