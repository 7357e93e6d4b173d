#include "src/runs/profile/read.h"

#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "src/base/json_parse.h"
#include "src/runs/profile/energyvis.h"
#include "src/runs/profile/profile_json.h"

namespace wattree {

std::string_view bundled_profile_transformer_big();  // Generated from data/profiles.
std::string_view bundled_profile_bert_base();

namespace {

constexpr std::string_view kElementStart =
    "<script type=\"application/json\" id=\"wattree-profile\">";
constexpr std::string_view kElementEnd = "</script>";
constexpr std::uint64_t kMaxFile = std::uint64_t{64} << 20;

}  // namespace

Result<ReadProfile> read_profile(std::string_view text, const std::string& origin) {
  ReadProfile out;
  if (const std::size_t begin = text.find_first_not_of(" \t\r\n");
      begin != std::string_view::npos && text[begin] == '<') {
    const std::size_t start = text.find(kElementStart);
    if (start == std::string_view::npos) {
      return Error{ErrorCode::kInvalidInput, origin + ": there is no profile in this page",
                   "`wattree report --html` writes pages that have one"};
    }
    text.remove_prefix(start + kElementStart.size());
    text = text.substr(0, text.find(kElementEnd));
    out.format = ProfileFormat::kHtmlReport;
  } else {
    const Result<nlohmann::json> json = parse_json(text, origin);
    if (!json.ok()) return json.error();
    if (!json.value().is_object() ||
        !(json.value().contains("format") || json.value().contains("serverData"))) {
      return Error{ErrorCode::kInvalidInput, origin + ": this is no profile",
                   "a profile has \"format\": \"wattree-profile\", or EnergyVis's \"serverData\""};
    }
    if (!json.value().contains("format")) out.format = ProfileFormat::kEnergyVis;
  }
  Result<Profile> profile = out.format == ProfileFormat::kEnergyVis
                                ? read_energyvis(text, origin)
                                : read_profile_json(text, origin);
  if (!profile.ok()) return profile.error();
  out.profile = std::move(profile).value();
  return out;
}

Result<ReadProfile> read_profile_file(const std::filesystem::path& path) {
  const Result<std::string> text = read_maybe_gzip(path, kMaxFile);
  if (!text.ok()) return text.error();
  return read_profile(text.value(), path.string());
}

std::string profile_element(const Profile& profile) {
  std::string out(kElementStart);
  // Inside a string of the JSON, where alone it can be, "<" must not end the element.
  for (const char c : write_profile_json(profile, 0)) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c != '\n') {
      out += c;
    }
  }
  return out + std::string(kElementEnd);
}

std::vector<BundledProfile> bundled_profiles() {
  return {{"bert-base-v100", bundled_profile_bert_base()},
          {"transformer-big-p100", bundled_profile_transformer_big()}};
}

}  // namespace wattree
