#include "src/measure/meter/meter.h"

#include <iterator>

namespace wattree {

void append(Found& all, Found more) {
  std::move(more.meters.begin(), more.meters.end(), std::back_inserter(all.meters));
  std::move(more.obstacles.begin(), more.obstacles.end(), std::back_inserter(all.obstacles));
  std::move(more.processes.begin(), more.processes.end(), std::back_inserter(all.processes));
}

std::string_view name_of(Kind kind) { return kind == Kind::kCounter ? "counter" : "level"; }

std::string_view name_of(Unit unit) {
  switch (unit) {
    case Unit::kJoule: return "j";
    case Unit::kWatt: return "w";
    case Unit::kSecond: return "s";
    case Unit::kPercent: return "percent";
    case Unit::kByte: return "bytes";
    case Unit::kMegahertz: return "mhz";
    case Unit::kCelsius: return "c";
    case Unit::kBits: return "bits";
  }
  return "";
}

std::string_view symbol_of(Unit unit) {
  switch (unit) {
    case Unit::kJoule: return "J";
    case Unit::kWatt: return "W";
    case Unit::kSecond: return "s";
    case Unit::kPercent: return "%";
    case Unit::kByte: return "B";
    case Unit::kMegahertz: return "MHz";
    case Unit::kCelsius: return "°C";
    case Unit::kBits: return "bits";
  }
  return "";
}

std::string_view name_of(Component component) {
  switch (component) {
    case Component::kGpu: return "gpu";
    case Component::kCpu: return "cpu";
    case Component::kDram: return "dram";
    case Component::kPlatform: return "platform";
    case Component::kOther: return "other";
  }
  return "";
}

std::string_view name_of(Scope scope) {
  switch (scope) {
    case Scope::kMachine: return "machine";
    case Scope::kDevice: return "device";
    case Scope::kGroup: return "group";
    case Scope::kProcess: return "process";
  }
  return "";
}

std::string_view name_of(Absence absence) {
  switch (absence) {
    case Absence::kNone: return "none";
    case Absence::kNotSupported: return "not supported";
    case Absence::kPermission: return "permission denied";
    case Absence::kLost: return "lost";
    case Absence::kUnreadable: return "unreadable";
  }
  return "";
}

}  // namespace wattree
