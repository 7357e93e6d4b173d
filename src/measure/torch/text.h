// Texts into the fixed arrays of the plugin's interface.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace wattree::torch_plugin {

// As much of it as there is room for.
template <std::size_t size>
void copy_text(char (&to)[size], const std::string& from) {
  const std::size_t count = std::min(from.size(), size - 1);
  std::copy_n(from.begin(), count, to);
  to[count] = '\0';
}

// PyTorch's messages go on with a stack trace.
inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Whether that is what PyTorch says where there is no room: on a GPU, and on a processor.
inline bool is_out_of_memory(const std::string& message) {
  return message.find("out of memory") != std::string::npos ||
         message.find("allocate memory") != std::string::npos;
}

}  // namespace wattree::torch_plugin
