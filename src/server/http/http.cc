#include "src/server/http/http.h"

#include <algorithm>

namespace wattree {

std::string_view HttpCall::header(std::string_view name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.first == name; });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

bool HttpCall::came_through_proxy() const {
  return std::any_of(headers.begin(), headers.end(), [](const auto& header) {
    const std::string& name = header.first;
    return name == "x-forwarded-for" || name == "forwarded" || name == "x-real-ip" || name == "via";
  });
}

std::string HttpCall::all_headers(std::string_view name) const {
  std::string out;
  for (const auto& [known, value] : headers) {
    if (known != name) continue;
    if (!out.empty()) out += ", ";
    out += value;
  }
  return out;
}

}  // namespace wattree
