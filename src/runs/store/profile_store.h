// Where profiles are kept: the one list that the command line, the tracker and a server show. And
// the tokens of those who may call that server, and the trackers that it follows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/runs/profile/profile.h"
#include "src/runs/store/kept_link.h"
#include "src/runs/store/profile_query.h"
#include "src/runs/store/profile_stores.h"
#include "src/runs/store/profile_summary.h"
#include "src/runs/store/token.h"

namespace wattree {

struct KeptProfile {
  ProfileSummary summary;
  Profile profile;  // With the name it has now.
};

struct NewProfile {
  Profile profile;
  std::string id;  // Wanted; with "-2", "-3", … after it where it is taken.
  ProfileOrigin origin = ProfileOrigin::kImported;
  std::vector<std::string> tags;
  UtcTime added;
};

// Absent: stays as it is.
struct ProfileChange {
  std::optional<std::string> name;
  std::optional<std::vector<std::string>> tags;  // All of them, in place of those it had;
  std::vector<std::string> add_tags = {};        // then these beside them,
  std::vector<std::string> remove_tags = {};     // and without these.
};

// A file as it was when it was taken in. Its name alone: folders have no part in a list.
struct FileState {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t changed_ns = 0;  // When its content changed last, by the file system's clock.
  bool operator==(const FileState&) const = default;
};

// Virtual, because a database is behind it. Functions may be called from many threads and by many
// programs at once; each happens whole or not at all, and what was answered survives kill -9.
class ProfileStore {
 public:
  ProfileStore() = default;
  ProfileStore(const ProfileStore&) = delete;
  ProfileStore& operator=(const ProfileStore&) = delete;
  virtual ~ProfileStore() = default;

  virtual Result<ProfilePage> list(const ProfileQuery& query) = 0;
  // Not one that was deleted, nor a file that cannot be read: its error is returned.
  virtual Result<KeptProfile> find(std::string_view id) = 0;
  // All of them or none.
  virtual Result<std::vector<ProfileSummary>> add(const std::vector<NewProfile>& profiles) = 0;
  virtual Result<ProfileSummary> change(std::string_view id, const ProfileChange& change) = 0;

  // Deleted profiles are not listed and can be brought back until they are purged.
  virtual Status remove(std::string_view id, UtcTime now) = 0;
  virtual Result<ProfileSummary> restore(std::string_view id) = 0;
  // For good, those that were deleted before. Returns the files of the folder that they came from.
  virtual Result<std::vector<FileState>> purge(UtcTime deleted_before) = 0;

  // The files of a folder of profiles that were taken in, by name.
  virtual Result<std::vector<FileState>> taken_files() = 0;
  // Takes in a file that is new, or has changed since it was: under `id` where that is free.
  virtual Status take(const FileState& file, const std::string& id, ProfileOrigin origin,
                      const Result<Profile>& content, UtcTime now) = 0;

  // Who may call a server. Tokens are known by their hashes alone.
  virtual Result<std::int64_t> add_token(const Token& token) = 0;  // Returns its id.
  virtual Result<std::vector<Token>> tokens() = 0;                 // By id, good ones or not.
  virtual Status revoke_token(std::int64_t id, UtcTime now) = 0;
  virtual Status note_token_use(std::int64_t id, UtcTime now) = 0;

  // Trackers on other machines, by id.
  virtual Result<std::int64_t> add_link(const KeptLink& link) = 0;  // Returns its id.
  virtual Result<std::vector<KeptLink>> links() = 0;
  virtual Status remove_link(std::int64_t id) = 0;  // Also where there is none.

  // Writes everything as it is now to a file of its own, while others go on.
  virtual Status backup(const std::filesystem::path& file) = 0;
};

}  // namespace wattree
