#include "src/api/predict/tree.h"

#include "src/api/model/tree_text.h"
#include "src/api/predict/node_details.h"
#include "src/api/predict/request_reader.h"
#include "src/base/json_writer.h"
#include "src/predict/estimate/roles.h"

namespace wattree {

Result<TreeRequest> tree_request(const nlohmann::json& body) {
  RequestReader reader(body);
  TreeRequest request;
  request.model = reader.model();
  request.pass = reader.pass();
  request.view = reader.view();
  return reader.take(std::move(request));
}

Result<TreeAnswer> tree(const TreeRequest& request, const Services& services) {
  Result<OpenedModel> opened = open_model(request.model, request.pass, services);
  if (!opened.ok()) return opened.error();
  OpenedModel model = std::move(opened).value();
  return TreeAnswer{std::move(model.built), request.view, std::move(model.notes)};
}

std::string to_json(const TreeAnswer& answer, int indent) {
  const BuiltModel& built = answer.built;
  JsonWriter out(indent);
  out.begin_object();
  write_subject(out, built);
  write_pass(out, built);
  write_precision(out, built);
  write_counts(out, built.tree.root());
  out.key("tree");
  const std::vector<std::optional<Role>> roles =
      answer.view.details ? roles_of(built.tree) : std::vector<std::optional<Role>>{};
  write_tree(out, built, answer.view, [&](const ShownNode& node) {
    write_shape_and_counts(out, built, node);
    if (!answer.view.details) return;
    if (roles[node.index]) out.field("role", name_of(*roles[node.index]));
    write_class(out, built.tree.nodes()[node.index]);
  });
  out.end_object();
  return out.take() + "\n";
}

std::string to_csv(const TreeAnswer& answer) { return tree_csv(answer.built, answer.view, "", {}); }

}  // namespace wattree
