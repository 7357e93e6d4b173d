#include "src/api/tree.h"

#include "src/api/tree_text.h"
#include "src/base/json_writer.h"

namespace wattree {

std::string to_json(const BuiltModel& answer, const TreeView& view, int indent) {
  JsonWriter out(indent);
  out.begin_object();
  write_subject(out, answer);
  write_pass(out, answer);
  write_precision(out, answer);
  write_counts(out, answer.tree.root());
  out.key("tree");
  write_tree(out, answer, view, [&](std::size_t i) { write_shape_and_counts(out, answer, i); });
  out.end_object();
  return out.take() + "\n";
}

std::string to_csv(const BuiltModel& answer, const TreeView& view) {
  return tree_csv(answer, view, "", {});
}

}  // namespace wattree
