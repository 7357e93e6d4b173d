// The pieces that JSON and CSV of trees are made of, with and without predictions.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "src/base/provenance.h"
#include "src/models/families/build_model.h"
#include "src/models/tree/view.h"

namespace wattree {

class JsonWriter;

// Fields of the object that a command prints.
void write_subject(JsonWriter& out, const BuiltModel& answer);    // model, class
void write_pass(JsonWriter& out, const BuiltModel& answer);       // batch_size, seq_len, …
void write_precision(JsonWriter& out, const BuiltModel& answer);  // dtype, attention
void write_counts(JsonWriter& out, const Node& node);             // params, flops, …

// A node of JSON. Where layers are folded it stands for several of the tree's, and its figures are
// their sum, so that children and own still add up to their parent.
struct ShownNode {
  std::size_t index = 0;   // The first of them.
  std::int64_t count = 1;  // Of its siblings it stands for so many,
  std::int64_t times = 1;  // and so many of the whole tree: its parents may stand for several, too.
  std::int64_t holders = 1;  // So many have parameters of their own: runs of one module share them.
};
void write_shape_and_counts(JsonWriter& out, const BuiltModel& answer, const ShownNode& node);

// The nodes that `view` shows, nested; `fields` adds to each what is known of it.
void write_tree(JsonWriter& out, const BuiltModel& answer, const TreeView& view,
                const std::function<void(const ShownNode&)>& fields);

// One row a node; `more` appends to each the columns that `titles` (",time_s,energy_j") names.
std::string tree_csv(const BuiltModel& answer, const TreeView& view, std::string_view titles,
                     const std::function<void(std::string&, std::size_t)>& more);

// Columns of a row: ",1.5,2", or as many empty ones where they are not known; ",predicted,by,gpu".
void append_numbers(std::string& row, std::initializer_list<double> values, bool is_known = true);
void append_basis(std::string& row, const Provenance& provenance);

}  // namespace wattree
