#include "src/base/file_error.h"

#include <cerrno>
#include <cstring>

namespace wattree {

Error file_error(const char* what, const std::filesystem::path& path, int number) {
  ErrorCode code = ErrorCode::kUnavailable;
  if (number == ENOENT || number == ENOTDIR) code = ErrorCode::kNotFound;
  if (number == EISDIR) code = ErrorCode::kInvalidInput;  // Somebody named the wrong thing.
  if (number == EACCES || number == EPERM) code = ErrorCode::kPermission;
  return {code, std::string("cannot ") + what + " " + path.string() + ": " + std::strerror(number),
          ""};
}

}  // namespace wattree
