// The public Provenance, and how it is read, summed up and written.
#pragma once

#include <optional>
#include <string_view>

#include "include/wattree/provenance.h"

namespace wattree {

class JsonWriter;

// The name in tables: "meas", "pub", "deriv", "pred", "assumed".
std::string_view short_name_of(Basis basis);
std::optional<Basis> parse_basis(std::string_view name);
std::optional<Boundary> parse_boundary(std::string_view name);

// Of a sum: the weakest basis, the widest boundary, and both sources where they differ.
Provenance of_sum(const Provenance& a, const Provenance& b);

// {"kind": "measured", "by": "NVML energy counter", "boundary": "gpu"}
void write_json(JsonWriter& out, const Provenance& provenance);

}  // namespace wattree
