#include "src/measure/meter/assumed.h"

#include <charconv>
#include <cmath>
#include <string>

namespace wattree {
namespace {

class AssumedMeter final : public Meter {
 public:
  AssumedMeter(Description description, Watts power)
      : Meter(std::move(description)), power_(power) {}
  Sample read() noexcept override { return {0, power_.value, Absence::kNone}; }

 private:
  Watts power_;
};

}  // namespace

Result<Assumption> parse_assumption(std::string_view text) {
  const auto bad = [&](const std::string& what) {
    return Error{
        ErrorCode::kInvalidInput, "assumption \"" + std::string(text) + "\": " + what,
        "write a component and its power: cpu=65W, gpu=300W, dram=20W, platform=0.5kW, other=10W"};
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return bad("there is no \"=\"");
  Assumption out;
  const std::string_view name = text.substr(0, equals);
  bool is_known = false;
  for (const Component component : {Component::kCpu, Component::kGpu, Component::kDram,
                                    Component::kPlatform, Component::kOther}) {
    if (name_of(component) != name) continue;
    out.component = component;
    is_known = true;
  }
  if (!is_known) return bad("component \"" + std::string(name) + "\" is not known");

  const std::string_view amount = text.substr(equals + 1);
  double number = 0.0;
  const auto [end, error] = std::from_chars(amount.data(), amount.data() + amount.size(), number);
  if (error != std::errc()) return bad("there is no number after \"=\"");
  std::string_view unit = amount.substr(static_cast<std::size_t>(end - amount.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit == "kW") {
    number *= 1e3;
  } else if (unit == "mW") {
    number *= 1e-3;
  } else if (unit != "W") {
    return bad(unit.empty() ? "the unit is missing"
                            : "unit \"" + std::string(unit) + "\" is not known");
  }
  if (!std::isfinite(number) || number < 0.0 || number > 1e6) {
    return bad("a power must be between 0 W and 1000 kW");
  }
  out.power = Watts(number);
  return out;
}

std::unique_ptr<Meter> make_assumed_meter(const Assumption& assumption) {
  Description out;
  out.name = std::string(name_of(assumption.component)) + ".assumed";
  out.device = "declared by the user";
  out.source = "declared";
  out.covers = "a constant, whatever the work: nothing is measured";
  out.component = assumption.component;
  out.boundary = assumption.component == Component::kGpu ? Boundary::kGpu : Boundary::kHost;
  out.basis = Basis::kAssumed;
  out.resolution = 0.0;
  out.is_counted = true;
  return std::make_unique<AssumedMeter>(std::move(out), assumption.power);
}

}  // namespace wattree
