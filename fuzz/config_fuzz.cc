// Any text as a config.json: it is refused, or it gives a tree; never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/config/config.h"
#include "src/family/family.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const wattree::Result<wattree::Config> config = wattree::Config::parse(text, "fuzz");
  if (config.ok()) (void)wattree::build_tree(config.value(), {}).ok();
  return 0;
}
