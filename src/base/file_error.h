// What the system says about a file, as an Error.
#pragma once

#include <filesystem>

#include "src/base/result.h"

namespace wattree {

// "cannot <what> <path>: <the system's words for the number>", with the code that fits the number.
Error file_error(const char* what, const std::filesystem::path& path, int number);

}  // namespace wattree
