// Where models come from and on what terms.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "src/base/environment.h"
#include "src/base/work_budget.h"

namespace wattree {

struct HubOptions {
  std::string endpoint = "https://huggingface.co";
  std::string revision = "main";     // Of a name that gives none.
  std::string token;                 // Sent to the endpoint's host only.
  std::filesystem::path token_file;  // Where `token` is empty; read when a download needs it.
  std::filesystem::path cache;       // huggingface_hub's own layout; empty: no cache.
  bool offline = false;              // Bundled models, files and the cache only.
  bool asks_hub = true;              // Off where nothing may be fetched, nor come out of the cache.
  bool allow_files = true;           // Off where the argument comes from the network.
  std::string proxy;
  std::string no_proxy;   // Hosts reached without the proxy.
  std::string ca_bundle;  // Empty: the system's certificates.
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds total_timeout{30'000};
  std::shared_ptr<const Cancellation> cancellation = {};  // Ends a download; null: nothing does.
  std::uint64_t size_limit = std::uint64_t{4} << 20;      // Of a config, in bytes, from anywhere.
};

// The options as huggingface_hub reads them from the environment (HF_ENDPOINT, HF_TOKEN,
// HF_TOKEN_PATH, HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, HF_HUB_OFFLINE) and curl does the proxy and
// certificates. An empty variable counts as unset.
HubOptions hub_options_from(const Environment& environment);

}  // namespace wattree
