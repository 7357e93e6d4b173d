// A model's config.json from the Hugging Face Hub, or a mirror that speaks like it.
#pragma once

#include <string>

#include "src/base/result.h"
#include "src/models/hub/options.h"
#include "src/models/hub/repo_name.h"

namespace wattree {

struct Download {
  std::string config;  // A JSON object.
  std::string commit;  // What the revision stands for now; empty where the Hub does not say.
};

// Fails with kNotFound where the Hub has no such model, revision or config.json, kPermission where
// it asks for a token or another one, kInvalidInput where what it sends is no config, and
// kUnavailable for everything that may pass.
Result<Download> download_config(const RepoName& repo, const HubOptions& options);

}  // namespace wattree
