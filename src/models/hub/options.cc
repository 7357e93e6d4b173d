#include "src/models/hub/options.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace wattree {
namespace {

namespace fs = std::filesystem;

// The first of the variables that is set.
std::string first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (auto value = environment(name); value && !value->empty()) return *std::move(value);
  }
  return "";
}

bool is_true(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text == "1" || text == "TRUE" || text == "YES" || text == "ON";
}

}  // namespace

HubOptions hub_options_from(const Environment& environment) {
  const auto get = [&](std::initializer_list<const char*> names) {
    return first_of(environment, names);
  };
  const fs::path home = get({"HOME"});
  const auto path = [&](std::initializer_list<const char*> names) -> fs::path {
    const std::string text = get(names);
    if (!home.empty() && (text == "~" || text.starts_with("~/"))) {
      return text.size() <= 2 ? home : home / text.substr(2);
    }
    return text;
  };

  fs::path hf_home = path({"HF_HOME"});
  if (hf_home.empty()) {
    const fs::path caches = xdg_folder(XdgFolder::kCache, environment);
    if (!caches.empty()) hf_home = caches / "huggingface";
  }

  HubOptions options;
  if (std::string endpoint = get({"HF_ENDPOINT"}); !endpoint.empty()) {
    while (endpoint.ends_with('/')) endpoint.pop_back();
    options.endpoint = endpoint;
  }
  options.token = get({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"});
  options.token_file = path({"HF_TOKEN_PATH"});
  options.cache = path({"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"});
  if (!hf_home.empty()) {
    if (options.token_file.empty()) options.token_file = hf_home / "token";
    if (options.cache.empty()) options.cache = hf_home / "hub";
  }
  options.offline = is_true(get({"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}));
  // No HTTP_PROXY in capitals: a CGI server sets it from a request's header.
  options.proxy = options.endpoint.starts_with("http://")
                      ? get({"http_proxy", "all_proxy", "ALL_PROXY"})
                      : get({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  options.no_proxy = get({"no_proxy", "NO_PROXY"});
  options.ca_bundle = get({"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"});
  return options;
}

}  // namespace wattree
