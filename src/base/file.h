// Whole files, in and out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "src/base/output_file.h"
#include "src/base/result.h"

namespace wattree {

// The contents of a file of at most `limit` bytes. A directory, a missing or unreadable file and
// one that is larger are errors that name it.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t limit = std::uint64_t{1} << 30);

// As read_file, but a gzip file comes back unpacked; `limit` then bounds what it unpacks to.
Result<std::string> read_maybe_gzip(const std::filesystem::path& path,
                                    std::uint64_t limit = std::uint64_t{1} << 30);

// Whether there is anything of this name. An error that names it where the system does not say, as
// in a folder that may not be entered.
Result<bool> file_exists(const std::filesystem::path& path);

// Writes the file whole or not at all: to a temporary name beside it first.
Status write_file(const std::filesystem::path& path, std::string_view text,
                  FileKeeping keeping = {});

}  // namespace wattree
