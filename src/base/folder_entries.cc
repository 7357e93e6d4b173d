#include "src/base/folder_entries.h"

#include <algorithm>
#include <system_error>

#include "src/base/file_error.h"

namespace wattree {

Result<std::vector<std::filesystem::path>> folder_entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  // Not a range-for: its step throws.
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    out.push_back(at->path());
  }
  if (error) return file_error("read the folder", folder, error.value());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace wattree
