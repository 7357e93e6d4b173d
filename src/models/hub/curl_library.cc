#include "src/models/hub/curl_library.h"

#include <dlfcn.h>

#include <string>

namespace wattree {
namespace {

template <class Function>
bool find(void* library, const char* symbol, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, symbol));
  return out != nullptr;
}

Error missing(const std::string& why) {
  return {ErrorCode::kUnavailable, "libcurl, which fetches from the Hub, cannot be used: " + why,
          "install it (Debian, Ubuntu: apt install libcurl4), or give the path of a config.json"};
}

Result<CurlLibrary> load() {
  void* library = nullptr;
  std::string why;
  // Debian's git brings the second where nothing has brought the first.
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    if (why.empty()) why = dlerror();
  }
  if (library == nullptr) return missing(why);

  CurlLibrary curl;
  decltype(&curl_global_init) global_init = nullptr;
  const bool complete = find(library, "curl_global_init", global_init) &&
                        find(library, "curl_easy_init", curl.easy_init) &&
                        find(library, "curl_easy_setopt", curl.easy_setopt) &&
                        find(library, "curl_easy_perform", curl.easy_perform) &&
                        find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
                        find(library, "curl_easy_cleanup", curl.easy_cleanup) &&
                        find(library, "curl_easy_strerror", curl.easy_strerror);
  if (!complete) return missing("functions are missing from it");
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return missing("it does not start");
  return curl;
}

}  // namespace

const Result<CurlLibrary>& curl_library() {
  static const Result<CurlLibrary> library = load();
  return library;
}

}  // namespace wattree
