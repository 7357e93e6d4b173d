// A model's pass as a costed tree: from the text of a config.json and what a user asks of the pass.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/base/work_budget.h"
#include "src/models/families/family.h"

namespace wattree {

// What a user asks for; empty or absent means the default.
struct PassShape {
  std::int64_t batch = 1;
  std::optional<std::int64_t> seq;         // The family's: 128, or less where it cannot run that.
  std::optional<std::int64_t> target_len;  // seq
  std::optional<std::int64_t> past;        // Absent: a full pass, and no decode step.
  std::int64_t logits_to_keep = 0;         // Last positions that a language model's head is run on.
  std::string dtype;                       // The config's, or else fp32.
  std::string attention;                   // sdpa
  std::string as;  // The config's, or else the base model; kBaseModel: that one.
  std::vector<std::pair<std::string, std::string>>
      overrides;                 // Fields of the config, and what they are to be instead.
  bool checks_overrides = true;  // Files of measurements hold settings of the framework, too.
  bool keeps_dataflow = false;   // For trees that are to be run.
  std::shared_ptr<WorkBudget> budget = {};  // Null: it may cost what it costs.
};

struct BuiltModel {
  std::string model;  // As the user named it.
  std::string model_type;
  std::string class_name;
  Pass pass;
  bool is_encoder_decoder = false;  // target_len means something,
  bool has_text_source = true;      // and so does the source behind a decode step.
  ModelTree tree;
  // What the user should know of how the config was read, as sentences.
  std::vector<std::string> notes;
  // Of a tree that is to be run: what it takes to build it again. Empty of a TorchScript file.
  std::string config;
  std::vector<std::pair<std::string, std::string>> overrides;
};

// `config_json` is the text of a config.json, `origin` where it comes from.
Result<BuiltModel> build_model(const std::string& model, const std::string& config_json,
                               const std::string& origin, const PassShape& query);

std::string_view name_of(Attention attention);

}  // namespace wattree
