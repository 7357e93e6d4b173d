#include "src/runs/profile/energyvis.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "src/base/in_quotes.h"
#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/json_writer.h"
#include "src/facts/carbon/region.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr double kMaxKwh = 1e11;
constexpr double kSampleSeconds = 10;  // Between two entries of "interval".

struct Part {
  const char* name;
  ComponentKind kind;
  DeviceKind device;
  Boundary boundary;
};
constexpr std::array<Part, 2> kParts{
    Part{"cpu", ComponentKind::kCpu, DeviceKind::kCpu, Boundary::kHost},
    Part{"gpu", ComponentKind::kGpu, DeviceKind::kGpu, Boundary::kGpu}};

// Cards of our table that EnergyVis's list (efficiency.json) has by the same name, as a slug,
constexpr std::array<std::string_view, 28> kListed{"Tesla K80",
                                                   "Tesla P4",
                                                   "Tesla P40",
                                                   "Quadro P6000",
                                                   "Quadro RTX 5000",
                                                   "Quadro RTX 6000",
                                                   "Quadro RTX 8000",
                                                   "TITAN Xp",
                                                   "TITAN V",
                                                   "TITAN RTX",
                                                   "GeForce GTX 980",
                                                   "GeForce GTX 980 Ti",
                                                   "GeForce GTX 1050 Ti",
                                                   "GeForce GTX 1070",
                                                   "GeForce GTX 1070 Ti",
                                                   "GeForce GTX 1080",
                                                   "GeForce GTX 1080 Ti",
                                                   "GeForce GTX 1650",
                                                   "GeForce GTX 1660 Ti",
                                                   "GeForce RTX 2060",
                                                   "GeForce RTX 2060 SUPER",
                                                   "GeForce RTX 2070",
                                                   "GeForce RTX 2070 SUPER",
                                                   "GeForce RTX 2080",
                                                   "GeForce RTX 2080 SUPER",
                                                   "GeForce RTX 2080 Ti",
                                                   "Radeon Instinct MI25",
                                                   "Radeon VII"};
// and those that it has by another one. Its variants of the Tesla K40 differ in the cooling alone.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kRenamed{{
    {"Tesla K40", "tesla-k40m"},
    {"Tesla M40 24GB", "tesla-m40"},
    {"Tesla P100 PCIe 16GB", "tesla-p100-pcie-16-gb"},
    {"Tesla P100 SXM2 16GB", "tesla-p100-sxm2"},
    {"Tesla V100 PCIe 16GB", "tesla-v100-pcie-16-gb"},
    {"Tesla V100 PCIe 32GB", "tesla-v100-pcie-32-gb"},
    {"Tesla V100 SXM2 16GB", "tesla-v100-sxm2-16-gb"},
    {"Tesla V100 SXM2 32GB", "tesla-v100-sxm2-32-gb"},
    {"T4", "tesla-t4"},
    {"TITAN X (Maxwell)", "geforce-gtx-titan-x"},
    {"TITAN X (Pascal)", "titan-x-pascal"},
    {"GeForce GTX 1060 6GB", "geforce-gtx-1060-6-gb"},
    {"Radeon Instinct MI50 16GB", "radeon-instinct-mi50"},
    {"Radeon Instinct MI60", "radeon-instinct-mi60"},
}};

Provenance provenance_of(const Part& part) {
  return {Basis::kAssumed, "EnergyVis file, which does not say how", part.boundary};
}

// The table's name where the file has its name of the card, so that it goes out again as it came
// in.
std::string full_name(const std::string& name) {
  for (const auto& [ours, its] : kRenamed) {
    if (its == name) return std::string(ours);
  }
  const Result<Device> device = find_device(name, bundled_devices());
  return device.ok() && energyvis_slug(device.value().name) == name ? device.value().name : name;
}

void read_components(JsonFields& fields, Profile& profile) {
  const Json* components = fields.object("components");
  if (components == nullptr) return;
  JsonFields below = fields.below(*components, "components");
  for (const Part& part : kParts) {
    const Json* names = below.object(part.name);
    if (names == nullptr) continue;
    JsonFields counts = below.below(*names, part.name);
    for (const auto& [name, ignored] : names->items()) {
      const auto count = counts.whole(name, 0, 1'000'000, true);
      if (name.empty()) counts.complain("", "has no name");
      if (!count || *count == 0) continue;  // EnergyVis lets a count go down to zero: not there.
      profile.hardware.push_back({part.device,
                                  part.device == DeviceKind::kGpu ? full_name(name) : name,
                                  static_cast<int>(*count)});
    }
  }
}

void read_energy(JsonFields& fields, const std::vector<std::string>& not_measured,
                 Profile& profile) {
  const Json* server = fields.object("serverData", true);
  if (server == nullptr) return;
  JsonFields below = fields.below(*server, "serverData");
  for (const Part& part : kParts) {
    if (std::find(not_measured.begin(), not_measured.end(), part.name) != not_measured.end()) {
      continue;
    }
    const Json* data = below.object(part.name);
    if (data == nullptr) continue;
    JsonFields arrays = below.below(*data, part.name);
    const std::vector<double> epochs = arrays.numbers("epoch", 0, kMaxKwh);
    if (!epochs.empty() && !profile.epochs.empty() && epochs.size() != profile.epochs.size()) {
      arrays.complain("epoch", "has " + std::to_string(epochs.size()) + " epochs, but cpu has " +
                                   std::to_string(profile.epochs.size()));
      return;
    }
    profile.epochs.resize(std::max(profile.epochs.size(), epochs.size()));
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      profile.epochs[i].energy.push_back({part.name, part.kind, Joules(epochs[i] * kJoulesPerKwh),
                                          std::nullopt, std::nullopt, provenance_of(part)});
    }
    const std::vector<double> samples = arrays.numbers("interval", 0, kMaxKwh);
    if (samples.empty()) continue;
    SampleSeries series{part.name, part.kind, {}, {}, provenance_of(part)};
    for (std::size_t i = 0; i < samples.size(); ++i) {
      series.end.emplace_back(kSampleSeconds * static_cast<double>(i + 1));
      series.energy.emplace_back(samples[i] * kJoulesPerKwh);
    }
    profile.samples.push_back(std::move(series));
  }
}

// --- writing ---

bool belongs_to(ComponentKind kind, const Part& part) {
  const bool is_accelerator = kind == ComponentKind::kGpu || kind == ComponentKind::kMachine;
  return is_accelerator == (part.kind == ComponentKind::kGpu);
}

// The kWh of every epoch; empty where no epoch has the part.
std::vector<double> epochs_of(const Profile& profile, const Part& part,
                              std::vector<std::string>& notes) {
  std::vector<double> out;
  std::size_t known = 0;
  for (const Epoch& epoch : profile.epochs) {
    Joules sum;
    bool is_known = false;
    for (const ComponentEnergy& energy : epoch.energy) {
      if (!belongs_to(energy.kind, part)) continue;
      sum = sum + energy.energy;
      is_known = true;
    }
    known += is_known ? 1 : 0;
    out.push_back(sum.value / kJoulesPerKwh);
  }
  if (known == 0) return {};
  if (known < out.size()) {
    notes.push_back(std::to_string(out.size() - known) + " epochs without a figure for " +
                    part.name + " are written as 0: the format has no unknown");
  }
  return out;
}

bool is_every_ten_seconds(const SampleSeries& series) {
  for (std::size_t i = 0; i < series.end.size(); ++i) {
    if (series.end[i].value != kSampleSeconds * static_cast<double>(i + 1)) return false;
  }
  return true;
}

void write_numbers(JsonWriter& out, std::string_view name, const std::vector<double>& numbers) {
  out.key(name);
  out.begin_array();
  for (const double number : numbers) out.value(number);
  out.end_array();
}

void write_part(JsonWriter& out, const Profile& profile, const Part& part,
                const std::vector<double>& epochs, std::vector<std::string>& notes) {
  out.key(part.name);
  out.begin_object();
  write_numbers(out, "epoch",
                epochs.empty() ? std::vector<double>(profile.epochs.size(), 0.0) : epochs);
  std::vector<const SampleSeries*> series;
  for (const SampleSeries& samples : profile.samples) {
    if (belongs_to(samples.kind, part)) series.push_back(&samples);
  }
  if (series.size() == 1 && is_every_ten_seconds(*series.front())) {
    std::vector<double> kwh;
    for (const Joules energy : series.front()->energy) kwh.push_back(energy.value / kJoulesPerKwh);
    write_numbers(out, "interval", kwh);
  } else if (!series.empty()) {
    notes.push_back(std::string("the samples of ") + part.name +
                    " are left out: the format has one series, every 10 s");
  }
  out.end_object();
}

void write_components(JsonWriter& out, const Profile& profile) {
  out.key("components");
  out.begin_object();
  for (const Part& part : kParts) {
    out.key(part.name);
    out.begin_object();
    std::map<std::string, std::int64_t> counts;  // Two entries may have one slug.
    for (const HardwareEntry& entry : profile.hardware) {
      if (is_accelerator(entry.kind) != is_accelerator(part.device)) continue;
      counts[part.device == DeviceKind::kGpu ? energyvis_card(entry.name).name : entry.name] +=
          entry.count;
    }
    for (const auto& [name, count] : counts) out.field(name, count);
    out.end_object();
  }
  out.end_object();
}

}  // namespace

std::string energyvis_slug(std::string_view name) {
  std::string slug;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      slug += static_cast<char>(c - 'A' + 'a');
    } else if (c != ' ' && c != '-') {
      slug += c;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  return slug;
}

Result<std::string> energyvis_state(const std::string& region) {
  constexpr std::array<std::string_view, 3> kOffTheMap{"US-AK", "US-DC", "US-HI"};
  constexpr char kHint[] = "name a state with <region>, for example <region> US-CA";
  if (region.empty()) {
    return Error{ErrorCode::kInvalidInput,
                 "EnergyVis's page needs a US state, and the region is not known", kHint, "region"};
  }
  Result<Region> found = find_region(region, RegionKind::kUsState);
  if (!found.ok()) found = find_region(region);
  if (found.ok() && !found.value().located_in.empty()) {
    found = find_region(found.value().located_in);
  }
  if (!found.ok() || found.value().kind != RegionKind::kUsState) {
    return Error{ErrorCode::kInvalidInput,
                 "EnergyVis's page knows US states only, not " + in_quotes(region), kHint,
                 "region"};
  }
  if (std::find(kOffTheMap.begin(), kOffTheMap.end(), found.value().code) != kOffTheMap.end()) {
    return Error{ErrorCode::kInvalidInput,
                 "EnergyVis's map has the 48 contiguous states, but not " + found.value().name,
                 kHint, "region"};
  }
  return found.value().name;
}

EnergyVisCard energyvis_card(const std::string& name) {
  const std::string slug = energyvis_slug(name);
  const Result<Device> device = find_device(name, bundled_devices());
  const std::string own = device.ok() ? device.value().name : "";
  // A slug that is not our own spelling came from there, as an import brought it.
  if (slug == name && slug != energyvis_slug(own)) return {slug, true};
  if (!device.ok()) return {slug, false};
  for (const auto& [ours, its] : kRenamed) {
    if (ours == own) return {std::string(its), true};
  }
  return {energyvis_slug(own), std::find(kListed.begin(), kListed.end(), own) != kListed.end()};
}

std::vector<std::string> energyvis_card_notes(const std::vector<HardwareEntry>& hardware) {
  std::vector<std::string> out;
  for (const HardwareEntry& entry : hardware) {
    if (!is_accelerator(entry.kind) || energyvis_card(entry.name).is_known) continue;
    out.push_back("EnergyVis's list has no " + entry.name +
                  ": its page shows NaN where it compares hardware");
  }
  return out;
}

Result<Profile> read_energyvis(std::string_view text, const std::string& origin) {
  const Result<Json> json = parse_json(text, origin);
  if (!json.ok()) return json.error();
  Status failure;
  JsonFields fields(json.value(), "", origin, failure);
  Profile profile;
  profile.name = fields.text("name", true);
  profile.author = fields.text("author");
  profile.tool = "EnergyVis";
  read_components(fields, profile);
  std::vector<std::string> not_measured;
  if (const Json* names = fields.array("notMeasured")) {
    for (const Json& name : *names) {
      if (name.is_string()) not_measured.push_back(name.get<std::string>());
    }
  }
  read_energy(fields, not_measured, profile);
  if (const std::string location = fields.text("location"); !location.empty()) {
    const Result<Region> region = find_region(location, RegionKind::kUsState);
    (region.ok() ? profile.region : profile.location) =
        region.ok() ? region.value().code : location;
  }
  if (const auto number = fields.number("PUE", 0, 1e6)) {
    const Result<Pue> pue = make_pue(*number, Basis::kAssumed, "EnergyVis file");
    if (pue.ok()) {
      profile.pue = pue.value();
    } else {
      fields.complain("PUE", "is refused: " + pue.error().message);
    }
  }
  if (!failure.ok()) return failure.error();
  return profile;
}

Result<EnergyVisFile> write_energyvis(const Profile& profile) {
  const Result<std::string> state =
      energyvis_state(profile.region.empty() ? profile.location : profile.region);
  if (!state.ok()) return state.error();
  EnergyVisFile file;
  JsonWriter out(2);
  out.begin_object();
  out.field("name", profile.name);
  if (!profile.author.empty()) out.field("author", profile.author);
  write_components(out, profile);
  std::vector<std::string> not_measured;
  out.key("serverData");
  out.begin_object();
  for (const Part& part : kParts) {
    const std::vector<double> epochs = epochs_of(profile, part, file.notes);
    if (epochs.empty() && !profile.epochs.empty()) not_measured.emplace_back(part.name);
    write_part(out, profile, part, epochs, file.notes);
  }
  out.end_object();
  if (!not_measured.empty()) {
    out.key("notMeasured");
    out.begin_array();
    for (const std::string& name : not_measured) {
      out.value(name);
      file.notes.push_back(name +
                           " was not measured; it is written as 0, because the format has "
                           "no unknown");
    }
    out.end_array();
  }
  out.field("location", state.value());
  out.field("PUE", profile.pue ? profile.pue->value : 1.0);
  out.end_object();
  file.json = out.take() + "\n";

  const auto has = [&](auto predicate) {
    return std::any_of(profile.epochs.begin(), profile.epochs.end(), predicate);
  };
  const auto has_kind = [&](ComponentKind kind) {
    return has([kind](const Epoch& epoch) {
      return std::any_of(epoch.energy.begin(), epoch.energy.end(),
                         [kind](const ComponentEnergy& part) { return part.kind == kind; });
    });
  };
  for (std::string& note : energyvis_card_notes(profile.hardware)) {
    file.notes.push_back(std::move(note));
  }
  if (!profile.pue) file.notes.emplace_back("the profile has no PUE; 1 is written");
  if (has([](const Epoch& epoch) { return epoch.start || epoch.duration; })) {
    file.notes.emplace_back("start and duration of the epochs are left out: the format has none");
  }
  if (profile.outside) {
    file.notes.emplace_back("what the run took outside its epochs is left out");
  }
  if (has_kind(ComponentKind::kMachine)) {
    file.notes.emplace_back("the machine's undivided energy is written under gpu");
  }
  if (has_kind(ComponentKind::kMemory)) {
    file.notes.emplace_back("the memory's energy is added to cpu");
  }
  file.notes.emplace_back("basis and boundary of the figures are left out: the format has none");
  return file;
}

}  // namespace wattree
