#include "src/measure/torch/placement.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <set>

namespace wattree::torch_plugin {
namespace {

namespace jit = torch::jit;

class Placement {
 public:
  explicit Placement(at::Device where) : where_(where.str()) {}

  void place(jit::Function& function) {
    jit::GraphFunction* written = jit::tryToGraphFunction(function);
    if (written == nullptr || !seen_.insert(written).second) return;
    place(*written->graph()->block());
  }

 private:
  void place(jit::Block& block) {
    for (jit::Node* node : block.nodes()) {
      if (node->kind() == c10::prim::Constant) place(*node);
      for (jit::Block* inner : node->blocks()) place(*inner);
    }
  }

  void place(jit::Node& constant) {
    const c10::TypePtr type = constant.output()->type();
    if (type->kind() == c10::TypeKind::DeviceObjType && constant.hasAttribute(c10::attr::value)) {
      constant.s_(c10::attr::value, where_);
    } else if (const auto called = type->cast<c10::FunctionType>()) {
      place(*called->function());
    }
  }

  std::string where_;
  std::set<const void*> seen_;
};

}  // namespace

void place_code(const jit::Module& root, at::Device where) {
  Placement placement(where);
  for (const jit::Module& part : root.modules()) {
    for (const jit::Method& method : part.get_methods()) placement.place(method.function());
  }
}

}  // namespace wattree::torch_plugin
