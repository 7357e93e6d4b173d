#include "src/cli/command.h"

#include <ostream>

#include "src/base/json_writer.h"

namespace wattree {

int usage_error(const Error& error, Surroundings& world) {
  fail(error, false, world);
  return kUsage;
}

int fail(const Error& error, bool as_json, Surroundings& world) {
  const ErrorMeaning meaning = meaning_of(error.code);
  if (as_json) {
    JsonWriter out;
    out.begin_object();
    out.key("error");
    out.begin_object();
    out.field("code", meaning.name);
    out.field("message", error.message);
    out.field("hint", error.hint);
    out.end_object();
    out.end_object();
    world.err << out.take() << "\n";
  } else {
    world.err << "wattree: " << error.message << "\n";
    if (!error.hint.empty()) world.err << "  hint: " << error.hint << "\n";
  }
  return meaning.exit_code;
}

void note_skipped(std::size_t count, std::string_view what, const std::string& reasons,
                  Surroundings& world) {
  if (reasons.empty()) return;
  world.err << "wattree: left out what is bad";
  if (count > 0) world.err << ", " << count << " " << what << (count == 1 ? "" : "s");
  world.err << ":\n  " << reasons << "\n";
}

}  // namespace wattree
