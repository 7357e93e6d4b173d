#include "src/facts/hardware/device.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <set>

#include "src/base/csv.h"
#include "src/base/text.h"

namespace wattree {

std::string_view bundled_hardware_csv();  // Generated from data/hardware.csv.

namespace {

bool is_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// The words of a name in lower case; a number's point and the plus of "8480+" belong to a word.
std::vector<std::string> words_of(std::string_view name) {
  name = name.substr(0, std::min<std::size_t>(name.size(), 200));  // Bounds hostile input.
  name = name.substr(0, name.find(" @ "));                         // "@ 2.10GHz"
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '.') {
      word += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else {
      finish();
    }
  }
  finish();
  return words;
}

// Words that say who made a device or what it is for, but not which one it is.
constexpr std::array<std::string_view, 18> kNoise{
    "nvidia", "amd",      "intel",     "apple", "aws", "google", "geforce", "tesla", "radeon",
    "quadro", "instinct", "processor", "cpu",   "gpu", "r",      "tm",      "core",  "xeon"};

std::vector<std::string> reduced_words(std::string_view name) {
  const std::vector<std::string> all = words_of(name);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool has_next = i + 1 < all.size();
    // "64-Core", "11th Gen": a count, not a name.
    if (has_next && is_digits(all[i]) && (all[i + 1] == "core" || all[i + 1] == "cores")) {
      ++i;
    } else if (has_next && all[i].ends_with("th") && all[i + 1] == "gen") {
      ++i;
    } else if (std::find(kNoise.begin(), kNoise.end(), all[i]) == kNoise.end()) {
      kept.push_back(all[i]);
    }
  }
  return kept;
}

bool has_all(const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  });
}

std::optional<DeviceKind> parse_kind(std::string_view name) {
  for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kCpu, DeviceKind::kTpu}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

// Reads one row, and keeps what is wrong with it.
class Row {
 public:
  explicit Row(const CsvReader& csv) : csv_(csv) {}

  std::string_view text(std::string_view column) const {
    const std::optional<std::size_t> index = csv_.column(column);
    return index ? csv_.row()[*index] : std::string_view();
  }
  std::optional<double> positive(std::string_view column) {
    const std::string_view field = text(column);
    if (field.empty()) return std::nullopt;
    const std::optional<double> number = parse_number(field);
    if (number && *number > 0) return number;
    complain(std::string(column) + " must be a number above 0, not \"" + std::string(field) + "\"");
    return std::nullopt;
  }
  std::optional<int> whole(std::string_view column, int most) {
    const std::optional<double> number = positive(column);
    if (!number) return std::nullopt;
    return static_cast<int>(std::min(*number, static_cast<double>(most)));
  }
  void complain(const std::string& what) {
    if (failure_.ok()) failure_ = csv_.error(what);
  }
  const Status& failure() const { return failure_; }

 private:
  const CsvReader& csv_;
  Status failure_;
};

}  // namespace

std::string_view name_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpu: return "gpu";
    case DeviceKind::kCpu: return "cpu";
    case DeviceKind::kTpu: return "tpu";
  }
  return "gpu";
}

std::string reduced_name(std::string_view name) { return join(reduced_words(name), " "); }

Result<std::vector<Device>> read_devices(std::string text, const std::string& origin) {
  CsvReader csv(std::move(text), origin);
  if (const auto found = csv.columns({"name", "kind", "tdp_w", "fp32_gflops"}); !found.ok()) {
    return found.error();
  }
  std::vector<Device> devices;
  std::set<std::string> seen;
  while (csv.next()) {
    Row row(csv);
    Device device;
    device.name = row.text("name");
    device.aliases = split(row.text("aliases"), ';');
    device.vendor = row.text("vendor");
    device.source = row.text("source");
    device.notes = row.text("notes");
    if (const auto tdp = row.positive("tdp_w")) device.tdp = Watts(*tdp);
    device.fp32_gflops = row.positive("fp32_gflops");
    device.tensor_or_fp16_gflops = row.positive("tensor_or_fp16_gflops");
    device.no_units_for = split(row.text("no_units_for"), ';');
    device.memory_gb = row.positive("memory_gb");
    device.memory_gb_per_s = row.positive("memory_gb_per_s");
    device.multiprocessors = row.whole("multiprocessors", 100'000);
    device.last_level_cache_mib = row.positive("last_level_cache_mib");
    device.reached_fp32_gflops = row.positive("reached_fp32_gflops");
    device.reached_tensor_or_fp16_gflops = row.positive("reached_tensor_or_fp16_gflops");
    device.reached_memory_gb_per_s = row.positive("reached_memory_gb_per_s");
    device.year = row.whole("year", 9999);
    const std::string reduced = reduced_name(device.name);
    if (reduced.empty()) {
      row.complain("name is empty, or only a maker's");
    } else if (!seen.insert(reduced).second) {
      row.complain("there is a second \"" + device.name + "\"");
    }
    if (const auto kind = parse_kind(row.text("kind"))) {
      device.kind = *kind;
    } else {
      row.complain("kind must be gpu, cpu or tpu, not \"" + std::string(row.text("kind")) + "\"");
    }
    if (!row.failure().ok()) return row.failure().error();
    devices.push_back(std::move(device));
  }
  if (!csv.failure().ok()) return csv.failure().error();
  return devices;
}

const std::vector<Device>& bundled_devices() {
  static const std::vector<Device> devices = [] {
    Result<std::vector<Device>> read =
        read_devices(std::string(bundled_hardware_csv()), "data/hardware.csv");
    assert(read.ok() && "the bundled hardware table is well-formed");
    return read.ok() ? std::move(read).value() : std::vector<Device>();
  }();
  return devices;
}

std::vector<Device> with_own_devices(std::vector<Device> own, const std::string& origin) {
  std::set<std::string> names;
  for (Device& device : own) {
    names.insert(reduced_name(device.name));
    device.basis = Basis::kAssumed;
    if (device.source.empty()) device.source = origin;
  }
  for (const Device& device : bundled_devices()) {
    if (!names.contains(reduced_name(device.name))) own.push_back(device);
  }
  return own;
}

namespace {

// Devices of the kinds that share a word with the name: who asks for a Xeon means a processor.
std::vector<const Device*> candidates(const std::vector<std::string>& wanted,
                                      std::span<const Device> devices) {
  const auto is_word = [](const std::string& word) {
    return std::none_of(word.begin(), word.end(),
                        [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  std::set<DeviceKind> kinds;
  for (const Device& device : devices) {
    const std::vector<std::string> words = reduced_words(device.name);
    const bool shares = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
      return is_word(word) && std::find(words.begin(), words.end(), word) != words.end();
    });
    if (shares) kinds.insert(device.kind);
  }
  std::vector<const Device*> out;
  for (const Device& device : devices) {
    if (kinds.empty() || kinds.contains(device.kind)) out.push_back(&device);
  }
  return out;
}

}  // namespace

Result<Device> find_device(std::string_view name, std::span<const Device> devices) {
  const std::vector<std::string> wanted = reduced_words(name);
  const std::string reduced = join(wanted, " ");
  std::vector<const Device*> partial;
  std::vector<std::string_view> names;
  for (const Device& device : devices) {
    if (reduced.empty()) break;
    names.push_back(device.name);
    bool has_words = has_all(reduced_words(device.name), wanted);
    if (reduced_name(device.name) == reduced) return device;
    for (const std::string& alias : device.aliases) {
      if (reduced_name(alias) == reduced) return device;
      has_words = has_words || has_all(reduced_words(alias), wanted);
    }
    if (has_words) partial.push_back(&device);
  }
  if (partial.size() == 1) return *partial.front();
  Error error{ErrorCode::kNotFound, "hardware \"" + std::string(name) + "\" is not known", ""};
  std::vector<std::string> close;
  if (partial.empty()) {
    // Compared as reduced names, shown in full.
    const std::vector<const Device*> likely = candidates(wanted, devices);
    std::vector<std::string> keys;
    for (const Device* device : likely) keys.push_back(reduced_name(device->name));
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    for (const std::string& key : nearest(reduced, views)) {
      const auto at = std::find(keys.begin(), keys.end(), key) - keys.begin();
      close.push_back(likely[static_cast<std::size_t>(at)]->name);
    }
  } else {
    error.message = "hardware \"" + std::string(name) +
                    "\" is not one device: " + std::to_string(partial.size()) +
                    " have that in their name";
    for (const Device* device : partial) {
      if (close.size() < 6) close.push_back(device->name);
    }
  }
  error.hint = close.empty() ? "`wattree hardware WORDS` searches the table; <hardware_file> adds "
                               "entries of your own"
                             : "did you mean " + join(close, ", or ") + "?";
  return error;
}

std::optional<std::int64_t> memory_bytes(std::string_view name, std::span<const Device> devices) {
  const auto bytes_of = [](const Device& device) -> std::optional<std::int64_t> {
    if (!device.memory_gb) return std::nullopt;
    return static_cast<std::int64_t>(*device.memory_gb * (1 << 30));
  };
  if (const Result<Device> one = find_device(name, devices); one.ok()) return bytes_of(one.value());
  const std::vector<std::string> wanted = reduced_words(name);
  std::optional<std::int64_t> agreed;
  for (const Device& device : devices) {
    if (wanted.empty() || !has_all(reduced_words(device.name), wanted)) continue;
    const std::optional<std::int64_t> bytes = bytes_of(device);
    if (!bytes || (agreed && agreed != bytes)) return std::nullopt;
    agreed = bytes;
  }
  return agreed;
}

std::vector<Device> search_devices(std::string_view words, std::span<const Device> devices) {
  const std::vector<std::string> wanted = words_of(words);
  std::vector<Device> found, written_together;
  for (const Device& device : devices) {
    std::string all = device.vendor + " " + device.name;
    for (const std::string& alias : device.aliases) all += " " + alias;
    // A word may be the beginning of one: "rtx 40" finds the RTX 4090.
    const std::vector<std::string> has = words_of(all);
    const bool fits = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
      return std::any_of(has.begin(), has.end(),
                         [&](const std::string& candidate) { return candidate.starts_with(word); });
    });
    if (fits) found.push_back(device);
    // "rtx4090", where no word begins so.
    const std::string together = join(wanted, "");
    if (together.size() >= 4 && join(has, "").find(together) != std::string::npos) {
      written_together.push_back(device);
    }
  }
  return found.empty() ? written_together : found;
}

}  // namespace wattree
