// How stores of profiles are opened, without what they can do.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "src/base/result.h"

namespace wattree {

class ProfileStore;

enum class StoreAccess {
  kRead,  // Makes no file: where there is none, or none that may be written to, it is in memory.
  kWrite
};

// A shell fills it in with an adapter.
struct ProfileStores {
  std::function<Result<std::shared_ptr<ProfileStore>>(const std::filesystem::path& file,
                                                      StoreAccess access)>
      open;
  // Puts a backup in the place of the store. Returns where the former store is kept; empty where
  // there was none.
  std::function<Result<std::filesystem::path>(const std::filesystem::path& backup,
                                              const std::filesystem::path& file)>
      restore;
};

}  // namespace wattree
