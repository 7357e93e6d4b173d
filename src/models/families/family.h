// A family: how the models of one `model_type` are built. One file each; the registry lists them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/models/config/config.h"
#include "src/models/symbolic/trace.h"

namespace wattree {

struct ModelClass {
  std::string_view name;  // The framework's class: "BertForMaskedLM".
  // Runs the forward pass that `trace.pass()` describes. Reads the whole config before it opens a
  // module, and returns at once where `config` or the pass is not fit.
  void (*build)(Trace& trace, ConfigReader& config);
};

struct Family {
  std::string_view model_type;
  std::span<const ModelClass> classes;  // The base model comes first.
  // Without it the framework runs eager attention, whatever is asked for.
  bool has_sdpa = true;
  // The pass has a target length of its own.
  bool is_encoder_decoder = false;
  // Otherwise the source's length is the config's (audio, images), and not the pass's.
  bool has_text_source = true;
  // The sequence length where none is given.
  std::int64_t default_seq = 128;
};

std::span<const Family> families();
const Family* find_family(std::string_view model_type);

// As a class: the family's base model, whatever the config says.
inline constexpr std::string_view kBaseModel = "base";

// The tree of a config's model, costed. The class is `as`, or else the config's architectures[0],
// or else the family's base model; it comes back in `class_name`.
struct BuildRequest {
  Pass pass;
  std::string as;
};
struct BuiltTree {
  ModelTree tree;
  std::string class_name;
  bool is_encoder_decoder = false;
  bool has_text_source = true;
  Attention attention = Attention::kSdpa;  // What is run: eager where the family has no other.
};
Result<BuiltTree> build_tree(const Config& config, const BuildRequest& request);

// The names of all fields that the config's family reads, whatever the class.
std::set<std::string> fields_read(const Config& config, const Pass& pass);

}  // namespace wattree
