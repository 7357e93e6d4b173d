#include "src/server/routes/answer_key.h"

#include <nlohmann/json.hpp>

#include "src/server/routes/compress.h"

namespace wattree {
namespace {

std::string text_of(const CachedForm& form) {
  return {form.is_gzip ? 'z' : 'i', form.is_for_known ? 'k' : 's'};
}

}  // namespace

CachedForm form_of(const HttpCall& call, bool is_known) {
  return {accepts_gzip(call.header("accept-encoding")), is_known};
}

std::string raw_key(const HttpCall& call, const CachedForm& form) {
  std::string out = text_of(form);
  out += call.path;
  for (const auto& [name, value] : call.query) {
    out += '\0';
    out += name;
    out += '\0';
    out += value;
  }
  return out;
}

std::string canonical_key(std::size_t route, const nlohmann::json& fields, const CachedForm& form) {
  return text_of(form) + std::to_string(route) + fields.dump();
}

}  // namespace wattree
