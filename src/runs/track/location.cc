#include "src/runs/track/location.h"

#include <nlohmann/json.hpp>

#include "src/base/environment.h"
#include "src/base/file.h"
#include "src/base/in_quotes.h"
#include "src/base/json_parse.h"
#include "src/base/text.h"

namespace wattree {
namespace {

std::string text_of(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string hint_for(std::string_view name) {
  const std::vector<std::string> close = nearest(name, {"region", "pue"}, 1);
  return close.empty() ? "settings are: region = US-GA, pue = 1.2"
                       : "did you mean \"" + close.front() + "\"?";
}

}  // namespace

Settings parse_settings(std::string_view text, const std::string& origin) {
  Settings out;
  out.origin = origin;
  int number = 0;
  while (!text.empty()) {
    ++number;
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    const std::string_view name = trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || (name != "region" && name != "pue")) {
      out.warnings.push_back(origin + ":" + std::to_string(number) + ": " + in_quotes(line) +
                             " is no setting and is left out; " + hint_for(name));
      continue;
    }
    (name == "region" ? out.region : out.pue) = trimmed(line.substr(equals + 1));
  }
  return out;
}

Result<Settings> read_settings(const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    const Result<std::string> text = read_file(file, std::uint64_t{1} << 20);
    if (!text.ok()) return text.error();
    return parse_settings(text.value(), file.string());
  }
  return Settings{};
}

std::vector<std::filesystem::path> settings_files(const Environment& environment) {
  std::vector<std::filesystem::path> out;
  const std::filesystem::path config = xdg_folder(XdgFolder::kConfig, environment);
  if (!config.empty()) out.push_back(config / "wattree/config");
  out.emplace_back("/etc/wattree/config");
  return out;
}

std::string cloud_region(std::string_view instance_data) {
  const Result<nlohmann::json> json = parse_json(instance_data, "instance-data.json");
  if (!json.ok() || !json.value().is_object()) return "";
  const auto v1 = json.value().find("v1");
  if (v1 == json.value().end() || !v1->is_object()) return "";
  const std::string cloud = text_of(*v1, "cloud_name");
  std::string region = text_of(*v1, "region");
  if (cloud == "gce") {
    // Google's zones are a region and a letter: "us-central1-a".
    if (region.empty()) {
      region = text_of(*v1, "availability_zone");
      region.erase(std::min(region.rfind('-'), region.size()));
    }
    return region.empty() ? "" : "gcp:" + region;
  }
  if (region.empty() || (cloud != "aws" && cloud != "azure")) return "";
  return cloud + ":" + region;
}

Place find_place(const std::string& asked, const Environment& environment, const Settings& settings,
                 const std::filesystem::path& instance_data) {
  if (!asked.empty()) return {asked, PlaceSource::kRequest, ""};
  if (const auto region = environment("WATTREE_REGION"); region && !region->empty()) {
    return {*region, PlaceSource::kEnvironment, "WATTREE_REGION"};
  }
  if (!settings.region.empty()) {
    return {settings.region, PlaceSource::kSettings, settings.origin};
  }
  const Result<std::string> text = read_file(instance_data, std::uint64_t{1} << 22);
  if (text.ok()) {
    const std::string region = cloud_region(text.value());
    if (!region.empty()) return {region, PlaceSource::kCloudInit, instance_data.string()};
  }
  return {};
}

}  // namespace wattree
