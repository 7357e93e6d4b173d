#include "src/predict/predictor/loaded_predictor.h"

#include <algorithm>

#include "src/base/file.h"
#include "src/base/folder_entries.h"
#include "src/base/text.h"
#include "src/facts/hardware/fleet.h"
#include "src/predict/predictor/datasheet.h"
#include "src/predict/predictor/overlay.h"
#include "src/predict/predictor/predictor_file.h"

namespace wattree {
namespace {

constexpr std::string_view kMeasuredDevice = "H200 SXM 141GB";  // What the shipped predictor is of.

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20;
constexpr std::string_view kTrainOne =
    "train one with `wattree train data.jsonl -o predictor.json`, and give it with <predictor>";

Result<LoadedPredictor> parse(std::string_view text, const std::string& name, std::string origin) {
  Result<Predictor> parsed = parse_predictor(text, name);
  if (!parsed.ok()) return parsed.error();
  return make_loaded(std::move(parsed).value(), std::move(origin));
}

// Factors over a shipped predictor, or over one that is made from a datasheet.
Result<LoadedPredictor> read_overlay(std::string_view text, const std::string& name) {
  const Result<MachineOverlay> overlay = parse_overlay(text, name);
  if (!overlay.ok()) return overlay.error();
  const Result<LoadedPredictor> below = load_predictor({{}, overlay.value().over, {}});
  if (!below.ok()) {
    Error error = below.error();
    error.message = name + ": field \"over\": " + error.message;
    return error;
  }
  return make_loaded(with_overlay(*below.value().predictor, overlay.value()),
                     origin_of(overlay.value()));
}

Result<LoadedPredictor> parse_shipped(const ShippedPredictor& shipped) {
  Result<LoadedPredictor> parsed = parse(shipped.json, std::string(shipped.name), "shipped");
  if (!parsed.ok()) return parsed;
  LoadedPredictor out = std::move(parsed).value();
  out.is_shipped = true;
  return out;
}

// The shipped ones in their order, which are parsed when the first of them is asked for.
const std::vector<Result<LoadedPredictor>>& parsed_shipped() {
  static const std::vector<Result<LoadedPredictor>> all = [] {
    std::vector<Result<LoadedPredictor>> out;
    for (const ShippedPredictor& shipped : shipped_predictors()) {
      out.push_back(parse_shipped(shipped));
    }
    return out;
  }();
  return all;
}

Result<LoadedPredictor> read(const fs::path& file) {
  const Result<std::string> text = read_file(file, kLargestFile);
  if (!text.ok()) return text.error();
  if (is_overlay(text.value())) return read_overlay(text.value(), file.string());
  return parse(text.value(), file.string(), file.string());
}

std::optional<fs::path> own_file(const PredictorChoice& choice, std::string_view name) {
  if (choice.folder.empty()) return std::nullopt;
  fs::path file = choice.folder / (std::string(name) + ".json");
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  return file;
}

// The names to choose from: the user's own and the shipped ones.
std::vector<std::string> known_names(const PredictorChoice& choice) {
  std::vector<std::string> names;
  if (const auto own = folder_entries(choice.folder); own.ok()) {
    for (const fs::path& file : own.value()) {
      if (file.extension() == ".json") names.push_back(file.stem().string());
    }
  }
  for (const ShippedPredictor& shipped : shipped_predictors()) names.emplace_back(shipped.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::pair<std::string, std::string>> slow_dtypes_of(std::string_view hardware) {
  const Result<Device> found = find_device(hardware, bundled_devices());
  if (!found.ok()) return {};
  const Device& device = found.value();
  const char* rate = device.tensor_or_fp16_gflops ? "fp16" : "fp32";
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& dtype : device.no_units_for) {
    out.emplace_back(dtype, device.name + " has no units for " + dtype +
                                ": it is priced at the rate of " + rate +
                                ", and takes longer in truth");
  }
  return out;
}

}  // namespace

Provenance LoadedPredictor::provenance() const {
  return {predictor->is_assumed ? Basis::kAssumed : Basis::kPredicted, predictor->name,
          parse_boundary(predictor->boundary).value_or(Boundary::kWall)};
}

LoadedPredictor make_loaded(Predictor predictor, std::string origin) {
  LoadedPredictor out;
  out.predictor = std::make_shared<const Predictor>(std::move(predictor));
  out.index = std::make_shared<const TwinIndex>(*out.predictor);
  out.origin = std::move(origin);
  out.device_bytes = memory_bytes(out.predictor->hardware, bundled_devices());
  out.slow_dtypes = slow_dtypes_of(out.predictor->hardware);
  return out;
}

namespace {

std::optional<Datasheet> datasheet_of(const Device& device) {
  if (!device.tdp || !device.fp32_gflops || !device.memory_gb_per_s) return std::nullopt;
  // Without units for 16 bits they run as fp32 does.
  return Datasheet{device.name,         device.tensor_or_fp16_gflops.value_or(*device.fp32_gflops),
                   *device.fp32_gflops, *device.memory_gb_per_s,
                   device.tdp->value,   device.last_level_cache_mib.value_or(0)};
}

// Accelerators with that name, such as the variants of a card.
std::vector<Device> accelerators_called(const std::string& name) {
  std::vector<Device> found = search_devices(name, bundled_devices());
  std::erase_if(found, [](const Device& device) {
    return !is_accelerator(device.kind) || !datasheet_of(device);
  });
  return found;
}

Error several_are_called(const std::string& name, const std::vector<Device>& devices) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(devices.size(), kShown); ++i) {
    names.push_back("\"" + devices[i].name + "\"");
  }
  const std::size_t left = devices.size() - names.size();
  return {ErrorCode::kInvalidInput,
          "\"" + name + "\" may be " + std::to_string(devices.size()) + " devices",
          "choose one: " + join(names) +
              (left > 0 ? "; `wattree hardware` lists the other " + std::to_string(left) : ""),
          "on"};
}

Result<LoadedPredictor> by_datasheet(const Device& device) {
  const auto to = datasheet_of(device);
  const Result<Device> known = find_device(kMeasuredDevice, bundled_devices());
  const Result<LoadedPredictor> measured = load_predictor({{}, std::string(kDefaultPredictor), {}});
  if (!measured.ok()) return measured.error();
  if (!to || !known.ok() || !is_accelerator(device.kind)) {
    return Error{ErrorCode::kUnavailable,
                 "there is no predictor for " + device.name +
                     ", and its datasheet does not say enough to assume one",
                 "the catalogue needs its power, fp32 rate and memory bandwidth, of an accelerator "
                 "(wattree hardware)"};
  }
  return make_loaded(
      scaled_by_datasheet(*measured.value().predictor, *datasheet_of(known.value()), *to),
      "scaled from " + std::string(kDefaultPredictor));
}

}  // namespace

Result<std::string> predictor_for(const std::string& name) {
  const Result<Device> device = find_device(name, bundled_devices());
  if (!device.ok() || !is_accelerator(device.value().kind)) {
    return Error{ErrorCode::kUnavailable, "no predictor is known for \"" + name + "\"",
                 "name one with <over>, or calibrate without <quick>", "over"};
  }
  return device.value().name == kMeasuredDevice ? std::string(kDefaultPredictor)
                                                : device.value().name;
}

Result<LoadedPredictor> load_predictor(const PredictorChoice& choice) {
  if (!choice.file.empty()) return read(choice.file);
  if (choice.on.find_first_of("/\\") != std::string::npos) {
    return Error{ErrorCode::kInvalidInput, "\"" + choice.on + "\" is not the name of a predictor",
                 "give a file with <predictor>"};
  }
  const std::string_view first = choice.on.empty() ? kThisMachine : std::string_view(choice.on);
  if (const auto file = own_file(choice, first)) return read(*file);
  const std::string_view name = choice.on.empty() ? kDefaultPredictor : std::string_view(choice.on);
  for (std::size_t i = 0; i < shipped_predictors().size(); ++i) {
    if (shipped_predictors()[i].name == name) return parsed_shipped()[i];
  }
  if (!choice.on.empty()) {
    const Result<Device> device = find_device(choice.on, bundled_devices());
    if (device.ok()) return by_datasheet(device.value());
    const std::vector<Device> called = accelerators_called(choice.on);
    if (called.size() == 1) return by_datasheet(called.front());
    if (called.size() > 1) return several_are_called(choice.on, called);
    if (const Result<Fleet> fleet = parse_fleet(choice.on, bundled_devices()); fleet.ok()) {
      return Error{ErrorCode::kInvalidInput,
                   "a prediction is for one device, and \"" + choice.on + "\" is several",
                   "name one with <on>: " + fleet.value().front().device.name +
                       "; `wattree whatif` takes fleets",
                   "on"};
    }
  }
  const std::vector<std::string> names = known_names(choice);
  std::string hint(kTrainOne);
  if (!names.empty()) {
    hint = "choose one with <on>: " + join(names) + ", or a GPU of `wattree hardware`; or " + hint;
  }
  return Error{ErrorCode::kUnavailable,
               choice.on.empty() ? "there is no predictor for this machine, and none is shipped"
                                 : "there is no predictor \"" + choice.on + "\"",
               hint};
}

NamedPredictors named_predictors(const fs::path& folder) {
  NamedPredictors out;
  const PredictorChoice choice{{}, "", folder};
  for (const std::string& name : known_names(choice)) {
    Result<LoadedPredictor> loaded = load_predictor({{}, name, folder});
    if (loaded.ok()) {
      out.predictors.push_back({name, std::move(loaded).value()});
    } else {
      // Without the folder: where it lies is nobody else's business.
      std::string message = loaded.error().message;
      const std::string place = folder.string() + "/";
      for (std::size_t at; (at = message.find(place)) != std::string::npos;) {
        message.erase(at, place.size());
      }
      out.problems.push_back(std::move(message));
    }
  }
  return out;
}

std::vector<Device> devices_with_datasheets() {
  std::vector<Device> out;
  for (const Device& device : bundled_devices()) {
    if (is_accelerator(device.kind) && datasheet_of(device)) out.push_back(device);
  }
  std::stable_sort(out.begin(), out.end(), [](const Device& a, const Device& b) {
    return a.year.value_or(0) > b.year.value_or(0);
  });
  return out;
}

const std::vector<NamedPredictor>& assumed_predictors() {
  static const std::vector<NamedPredictor> all = [] {
    std::vector<NamedPredictor> out;
    for (const Device& device : devices_with_datasheets()) {
      Result<LoadedPredictor> assumed = by_datasheet(device);
      if (assumed.ok()) out.push_back({device.name, std::move(assumed).value()});
    }
    return out;
  }();
  return all;
}

}  // namespace wattree
