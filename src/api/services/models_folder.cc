#include "src/api/services/models_folder.h"

#include <algorithm>
#include <tuple>

#include "src/base/file.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 96;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_model_name(const std::string& name) {
  return !name.empty() && name.size() <= kLongestName && is_letter_or_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

ModelsFolder::ModelsFolder(fs::path folder, std::uint64_t largest_config)
    : folder_(std::move(folder)), largest_config_(largest_config) {}

std::vector<ModelsFolder::Seen> ModelsFolder::look() const {
  std::vector<Seen> out;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const fs::path& path = at->path();
    fs::path file = path;
    std::string name = path.filename().string();
    if (fs::is_directory(path, ignored)) {
      file /= "config.json";
    } else if (path.extension() == ".json") {
      name = path.stem().string();
    } else {
      continue;
    }
    if (!fs::is_regular_file(file, ignored)) continue;
    out.push_back({file, name, fs::last_write_time(file, ignored), fs::file_size(file, ignored)});
  }
  std::sort(out.begin(), out.end(), [](const Seen& a, const Seen& b) {
    return std::tie(a.name, a.file) < std::tie(b.name, b.file);
  });
  return out;
}

DroppedModels ModelsFolder::read(const std::vector<Seen>& files) const {
  DroppedModels out;
  for (const Seen& seen : files) {
    const std::string shown = seen.file.lexically_relative(folder_).string();
    if (!is_model_name(seen.name)) {
      out.problems.push_back(
          {shown, "its name must be of letters, digits, \".\", \"_\" and \"-\""});
      continue;
    }
    if (!out.models.empty() && out.models.back().name == seen.name) {
      out.problems.push_back({shown, "another file has this name"});
      continue;
    }
    Result<std::string> text = read_file(seen.file, largest_config_);
    if (text.ok()) {
      out.models.push_back({seen.name, std::move(text).value()});
    } else {
      out.problems.push_back({shown, "cannot be read, or is too large"});
    }
  }
  return out;
}

std::shared_ptr<const DroppedModels> ModelsFolder::models() const {
  std::vector<Seen> now = look();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (now != seen_) {
    models_ = std::make_shared<const DroppedModels>(read(now));
    seen_ = std::move(now);
  }
  return models_;
}

Status ModelsFolder::add(const std::string& name, const std::string& config) const {
  if (!is_model_name(name)) {
    return Error{ErrorCode::kInvalidInput, "\"" + name + "\" cannot be the name of a model",
                 "use letters, digits, \".\", \"_\" and \"-\"", "name"};
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    return Error{ErrorCode::kPermission, "the folder of models cannot be made", "", ""};
  }
  return write_file(folder_ / (name + ".json"), config);
}

}  // namespace wattree
