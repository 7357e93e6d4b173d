#include "src/predict/irene/model.h"

namespace wattree {

std::string_view name_of(IreneAggregate aggregate) {
  switch (aggregate) {
    case IreneAggregate::kSum: return "sum";
    case IreneAggregate::kEnd2End: return "end2end";
    case IreneAggregate::kStepwise: return "stepwise";
    case IreneAggregate::kUnstructured: return "unstructured";
  }
  return "";
}

}  // namespace wattree
