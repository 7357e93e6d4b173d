// Footprints for the terminal.
#pragma once

#include <string>
#include <vector>

#include "src/base/amounts.h"
#include "src/base/error_text.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

// "Sample Profile: 6 epochs on 4 × GeForce GTX 1080 Ti"
std::string footprint_headline(const Footprint& footprint);
// The figures with basis, boundary and source, and the notes below them.
std::string figures_table(const Footprint& footprint, MassUnit unit);
std::string equivalents_table(GramsCo2e emissions, Joules energy);
// "note: …" a line.
std::string notes_text(const std::vector<std::string>& notes);
// Baseline and alternative, epoch by epoch, with their difference.
// `name` is how the shell calls fields of a request.
std::string what_if_table(const WhatIfAnswer& answer, MassUnit unit, const FieldName& name);
// One row a run.
// `shared_epochs`: all are cut off there.
std::string comparison_table(const std::vector<Footprint>& footprints, MassUnit unit,
                             std::optional<std::size_t> shared_epochs = std::nullopt);

}  // namespace wattree
