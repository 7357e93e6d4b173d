// What a MODEL argument means: the text of a config.json, from wherever it is.
#pragma once

#include <string>

#include "src/base/result.h"
#include "src/models/hub/options.h"

namespace wattree {

enum class ModelSource { kBundled, kFile, kCache, kHub, kGiven };  // kGiven: by the request itself.

struct ModelText {
  std::string json;    // From a file, not yet checked to be JSON.
  std::string origin;  // For messages: a path, a bundled name, or org/name@revision.
  ModelSource source = ModelSource::kBundled;
  std::string note;  // What the user should know of how it was found; mostly empty.
};

// In this order: a file, or a folder that holds a config.json; a bundled name; org/name or
// org/name@revision on the Hub. The Hub is asked every time, since a branch may move, but a full
// commit is taken from the cache; so is everything when offline, and, with a note, when the Hub
// cannot be reached.
Result<ModelText> resolve_model(const std::string& argument, const HubOptions& options);

}  // namespace wattree
