// A reference record: what PyTorch and Transformers themselves say about one model and pass
// (tools/record_reference.py).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/models/families/family.h"

namespace wattree {

struct RecordedModule {
  std::string scope;
  std::string type;
  std::int64_t params = 0;
};

struct Record {
  std::string name;
  std::string class_name;
  std::string config;  // JSON
  Pass pass;
  std::int64_t params = 0;
  std::vector<RecordedModule> modules;        // Less containers and no-ops.
  std::map<std::string, std::int64_t> flops;  // By scope; not there means none.
  bool has_flops = true;
  bool has_ops = true;
  std::vector<std::string> ops;  // "scope op inputs -> outputs"
};

// All records of a folder's *.json.gz files.
std::vector<Record> read_records(const std::string& folder);

// Its name as that of a test.
std::string label_of(const Record& record);

// The ops of a tree, written as a record writes them.
std::vector<std::string> ops_of(const ModelTree& tree);

}  // namespace wattree
