#include "src/measure/windows/window.h"

namespace wattree {

std::string_view name_of(Subject subject) {
  switch (subject) {
    case Subject::kModel: return "model";
    case Subject::kDecode: return "decode";
    case Subject::kModule: return "module";
    case Subject::kOp: return "op";
  }
  return "";
}

std::optional<Subject> parse_subject(std::string_view name) {
  for (const Subject subject :
       {Subject::kModel, Subject::kDecode, Subject::kModule, Subject::kOp}) {
    if (name_of(subject) == name) return subject;
  }
  return std::nullopt;
}

std::string_view name_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::kPowerReadings: return "power readings disagree with the counter";
    case Doubt::kNotSettled: return "not settled";
    case Doubt::kOthersOnGpu: return "other processes on the GPU";
    case Doubt::kOthersOnHost: return "other processes on the processors";
  }
  return "";
}

std::optional<Doubt> parse_doubt(std::string_view text) {
  for (const Doubt doubt :
       {Doubt::kPowerReadings, Doubt::kNotSettled, Doubt::kOthersOnGpu, Doubt::kOthersOnHost}) {
    if (name_of(doubt) == text) return doubt;
  }
  return std::nullopt;
}

std::string window_key(std::string_view node, CacheState cache, bool is_paused) {
  return std::string(node) + "/" + std::string(name_of(cache)) + (is_paused ? "/paused" : "");
}

}  // namespace wattree
