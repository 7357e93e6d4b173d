#include "src/cli/command.h"

#include <ostream>

#include "src/base/error_text.h"

namespace wattree {

int usage_error(const Error& error, bool as_json, Surroundings& world) {
  fail(error, as_json, world);
  return kUsage;
}

int fail(const Error& error, bool as_json, Surroundings& world) {
  const Error shown = with_fields_named(error, world.flag_of);
  if (as_json) {
    world.err << to_json(shown);
  } else {
    world.err << "wattree: " << shown.message << "\n";
    if (!shown.hint.empty()) world.err << "  hint: " << shown.hint << "\n";
  }
  return meaning_of(error.code).exit_code;
}

void note_skipped(std::size_t count, std::string_view what, const std::string& reasons,
                  Surroundings& world) {
  if (reasons.empty()) return;
  world.err << "wattree: left out what is bad";
  if (count > 0) world.err << ", " << count << " " << what << (count == 1 ? "" : "s");
  world.err << ":\n  " << reasons << "\n";
}

}  // namespace wattree
