#include "src/report/table/memory_text.h"

#include <fmt/format.h>

#include "src/report/table/quantity.h"

namespace wattree {

std::string memory_line(const MemoryFit& memory) {
  const PassMemory& need = memory.need;
  std::string out = with_binary_prefix(need.weights) + " of weights";
  if (need.cache > 0) out += ", " + with_binary_prefix(need.cache) + " of cache";
  out += fmt::format(", {} of inputs, {} of activations: {} of memory at the peak; ",
                     with_binary_prefix(need.inputs), with_binary_prefix(need.activations),
                     with_binary_prefix(need.peak()));
  return out + (memory.device_bytes
                    ? "the device has " + with_binary_prefix(*memory.device_bytes)
                    : std::string("the catalogue does not say how much the device has"));
}

std::string misfit_line(const MemoryFit& memory, std::string_view what, std::string_view hardware) {
  if (memory.fits()) return "";
  const char* most =
      memory.need.weights > *memory.device_bytes ? "; the weights alone are more" : "";
  return fmt::format("DOES NOT FIT: {} takes {} of memory, and 1× {} has {}{}\n", what,
                     with_binary_prefix(memory.need.peak()), hardware,
                     with_binary_prefix(*memory.device_bytes), most);
}

}  // namespace wattree
