// libcurl, loaded when the first download needs it. Linked, it and the thirty libraries behind it
// would cost some 5 ms at every start, for a tool that mostly never asks the Hub.
#pragma once

#include <curl/curl.h>

#include "src/base/result.h"

namespace wattree {

struct CurlLibrary {
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
};

// Loaded and initialised once, by whichever thread comes first; never unloaded.
const Result<CurlLibrary>& curl_library();

}  // namespace wattree
