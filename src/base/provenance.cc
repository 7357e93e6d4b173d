#include "src/base/provenance.h"

#include <algorithm>
#include <array>

#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::array<std::string_view, 5> kBases{"measured", "published", "derived", "predicted",
                                                 "assumed"};
constexpr std::array<std::string_view, 5> kShortBases{"meas", "pub", "deriv", "pred", "assumed"};
constexpr std::array<std::string_view, 4> kBoundaries{"gpu", "host", "wall", "facility"};

template <class Enum, std::size_t N>
std::optional<Enum> parse(std::string_view name, const std::array<std::string_view, N>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view name_of(Basis basis) { return kBases[static_cast<std::size_t>(basis)]; }
std::string_view short_name_of(Basis basis) { return kShortBases[static_cast<std::size_t>(basis)]; }
std::string_view name_of(Boundary boundary) {
  return kBoundaries[static_cast<std::size_t>(boundary)];
}
std::optional<Basis> parse_basis(std::string_view name) { return parse<Basis>(name, kBases); }
std::optional<Boundary> parse_boundary(std::string_view name) {
  return parse<Boundary>(name, kBoundaries);
}

Provenance of_sum(const Provenance& a, const Provenance& b) {
  Provenance sum{std::max(a.basis, b.basis), a.by, std::max(a.boundary, b.boundary)};
  // Whole names only: "NVML" is not in "NVML energy counter".
  const bool is_listed = ("; " + a.by + ";").find("; " + b.by + ";") != std::string::npos;
  if (!b.by.empty() && !is_listed) sum.by += (sum.by.empty() ? "" : "; ") + b.by;
  return sum;
}

void write_json(JsonWriter& out, const Provenance& provenance) {
  out.begin_object();
  out.field("kind", name_of(provenance.basis));
  if (!provenance.by.empty()) out.field("by", provenance.by);
  out.field("boundary", name_of(provenance.boundary));
  out.end_object();
}

}  // namespace wattree
