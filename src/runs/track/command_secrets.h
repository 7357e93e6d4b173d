// Keys, tokens and passwords in the words of a command, which must not be written down.
#pragma once

#include <string>
#include <vector>

namespace wattree {

// The words with "***" in the place of every value that looks like a secret: of flags and variables
// that are called like one ("--api-key=…", "--token …", "HF_TOKEN=…"), of headers ("Bearer …"), of
// addresses ("https://user:…@host"), and what begins as the keys of well-known services do ("sk-…",
// "hf_…"). Also inside of words that are commands themselves (sh -c "…"). Line ends become spaces.
std::vector<std::string> without_secrets(const std::vector<std::string>& command);

}  // namespace wattree
