// IrEne's published CSV files -> trees.
#pragma once

#include <filesystem>

#include "src/base/result.h"
#include "src/measure/dataset/irene_rows.h"
#include "src/measure/dataset/json_lines_reader.h"

namespace wattree {

struct ImportOptions {
  // Leave out trees that have a bad row. Otherwise one bad row makes all an error.
  bool skips_bad = false;
};

// Reads {model,module,ml1,ml2}_level_features.csv, or each with .gz behind it, from a folder.
//
// A tree is all rows of one model, batch size and length. A row's path (encoder.layer.0.attention)
// says where it hangs; containers (a part before a number, of which the model has no row) are no
// nodes. Functional ops (ml2) hang below the module whose path they carry. A module or a model
// that has no row of its own gets a node without features or energy, of the class that the model's
// other trees have there. Trees come in the order of their model rows, and those without one last.
// What the files do not have is worked out: parameters (irene_parameters.h) and kernels outside of
// nodes (published_kernels.h).
Result<Dataset> import_irene(const std::filesystem::path& folder, ImportOptions options = {});
Result<Dataset> import_irene(IreneTexts texts, const std::string& origin,
                             ImportOptions options = {});

}  // namespace wattree
