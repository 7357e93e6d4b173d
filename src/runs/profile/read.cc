#include "src/runs/profile/read.h"

#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "src/base/json_parse.h"
#include "src/runs/profile/codecarbon.h"
#include "src/runs/profile/energyvis.h"
#include "src/runs/profile/profile_json.h"

namespace wattree {

std::string_view bundled_profile_transformer_big();  // Generated from data/profiles.
std::string_view bundled_profile_bert_base();

namespace {

constexpr std::string_view kElementStart =
    "<script type=\"application/json\" id=\"wattree-profile\">";
constexpr std::string_view kElementEnd = "</script>";
constexpr char kWhatIsExpected[] =
    "`wattree track` writes profiles; EnergyVis's files, which have \"serverData\", and "
    "CodeCarbon's emissions.csv, which has a column energy_consumed, are read too";
// What a file may hold, also unpacked: a run of some million epochs.
constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 30;

Result<ReadProfiles> one(Result<Profile> profile, ProfileFormat format) {
  if (!profile.ok()) return profile.error();
  ReadProfiles out;
  out.profiles.push_back(std::move(profile).value());
  out.format = format;
  return out;
}

Result<std::string_view> json_in_page(std::string_view page, const std::string& origin) {
  const std::size_t start = page.find(kElementStart);
  if (start == std::string_view::npos) {
    return Error{ErrorCode::kInvalidInput, origin + ": there is no profile in this page",
                 "`wattree report` with <html> writes pages that have one"};
  }
  page.remove_prefix(start + kElementStart.size());
  const std::size_t end = page.find(kElementEnd);
  if (end == std::string_view::npos) {
    return Error{ErrorCode::kInvalidInput, origin + ": the profile in this page is cut off", ""};
  }
  return page.substr(0, end);
}

Result<ReadProfile> only_one(Result<ReadProfiles> read, const std::string& origin) {
  if (!read.ok()) return read.error();
  ReadProfiles out = std::move(read).value();
  if (out.profiles.size() == 1) return ReadProfile{std::move(out.profiles.front()), out.format};
  return Error{ErrorCode::kInvalidInput,
               origin + ": it holds " + std::to_string(out.profiles.size()) + " runs, not one",
               "`wattree profiles import` takes them all, and gives each an id"};
}

}  // namespace

std::string_view name_of(ProfileFormat format) {
  switch (format) {
    case ProfileFormat::kWattree: return "wattree";
    case ProfileFormat::kEnergyVis: return "energyvis";
    case ProfileFormat::kHtmlReport: return "html";
    case ProfileFormat::kCodeCarbon: return "codecarbon";
  }
  return "";
}

Result<ReadProfiles> read_profiles(std::string_view text, const std::string& origin) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const char first = begin == std::string_view::npos ? '\0' : text[begin];
  if (first == '<') {
    const Result<std::string_view> json = json_in_page(text, origin);
    if (!json.ok()) return json.error();
    return one(read_profile_json(json.value(), origin), ProfileFormat::kHtmlReport);
  }
  if (is_codecarbon(text)) return read_codecarbon(text, origin);
  const std::string_view field = first_field(text, {"format", "serverData"});
  if (field == "format") return one(read_profile_json(text, origin), ProfileFormat::kWattree);
  if (field == "serverData") return one(read_energyvis(text, origin), ProfileFormat::kEnergyVis);
  if (const Result<nlohmann::json> json = parse_json(text, origin); !json.ok()) {
    Error error = json.error();
    error.hint = kWhatIsExpected;
    return error;
  }
  return Error{ErrorCode::kInvalidInput, origin + ": this is not a profile of a run",
               kWhatIsExpected};
}

Result<ReadProfiles> read_profiles_file(const std::filesystem::path& path,
                                        const std::string& origin) {
  const Result<std::string> text = read_maybe_gzip(path, kMaxFile);
  if (!text.ok()) return text.error();
  return read_profiles(text.value(), origin.empty() ? path.string() : origin);
}

Result<ReadProfile> read_profile(std::string_view text, const std::string& origin) {
  return only_one(read_profiles(text, origin), origin);
}

Result<ReadProfile> read_profile_file(const std::filesystem::path& path,
                                      const std::string& origin) {
  return only_one(read_profiles_file(path, origin), origin.empty() ? path.string() : origin);
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
