// Models that somebody dropped into a folder: NAME.json, or NAME/config.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "src/base/result.h"

namespace wattree {

struct DroppedModel {
  std::string name;
  std::string config;  // The file's text, not yet checked to be JSON.
};
// A file that is no model, and why. Its name is below the folder, so that it may be shown to
// anybody.
struct DroppedProblem {
  std::string file;
  std::string why;
};
struct DroppedModels {
  std::vector<DroppedModel> models;  // By name.
  std::vector<DroppedProblem> problems;
};

// Safe to be used by many threads.
class ModelsFolder {
 public:
  ModelsFolder(std::filesystem::path folder, std::uint64_t largest_config);

  const std::filesystem::path& folder() const { return folder_; }
  // As the folder is now: it is looked at every time, and files are read again where one has
  // changed, come or gone. A folder that is not there holds nothing.
  std::shared_ptr<const DroppedModels> models() const;
  // Puts a model there; one of that name is replaced.
  Status add(const std::string& name, const std::string& config) const;

 private:
  // What a change of the folder would change.
  struct Seen {
    std::filesystem::path file;
    std::string name;
    std::filesystem::file_time_type changed;
    std::uintmax_t size = 0;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> look() const;
  DroppedModels read(const std::vector<Seen>& files) const;

  std::filesystem::path folder_;
  std::uint64_t largest_config_;
  mutable std::mutex mutex_;
  mutable std::vector<Seen> seen_;
  mutable std::shared_ptr<const DroppedModels> models_ = std::make_shared<DroppedModels>();
};

// Letters, digits and "._-", beginning with a letter or digit: what can be no path.
bool is_model_name(const std::string& name);

}  // namespace wattree
