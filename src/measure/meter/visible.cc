#include "src/measure/meter/visible.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "src/base/text.h"

namespace wattree {
namespace {

using Chosen = VisibleChoice::Chosen;

std::vector<std::string_view> entries_of(std::string_view list) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t comma = list.find(',');
    out.push_back(trimmed(list.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    list.remove_prefix(comma + 1);
  }
}

std::optional<std::size_t> as_index(std::string_view entry) {
  std::size_t index = 0;
  const char* const end = entry.data() + entry.size();
  const auto result = std::from_chars(entry.data(), end, index);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return index;
}

// The one GPU whose UUID begins so.
std::optional<std::size_t> by_uuid(const std::vector<VisibleGpu>& gpus,
                                   std::string_view beginning) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!std::string_view(gpus[i].uuid).starts_with(beginning)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::optional<Chosen> by_entry(const std::vector<VisibleGpu>& gpus, std::string_view entry) {
  if (entry.starts_with("MIG-GPU-")) {
    // MIG-GPU-<uuid>/<gpu instance>/<compute instance>: the instance itself has no UUID then.
    const auto gpu = by_uuid(gpus, entry.substr(4, entry.find('/') - 4));
    if (!gpu) return std::nullopt;
    return Chosen{*gpu, {std::string(entry)}};
  }
  if (entry.starts_with("MIG-")) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      for (const std::string& uuid : gpus[i].instance_uuids) {
        if (uuid.starts_with(entry)) return Chosen{i, {uuid}};
      }
    }
    return std::nullopt;
  }
  if (entry.starts_with("GPU-")) {
    const auto gpu = by_uuid(gpus, entry);
    if (!gpu) return std::nullopt;
    return Chosen{*gpu, {}};
  }
  const auto index = as_index(entry);
  if (!index || *index >= gpus.size()) return std::nullopt;
  return Chosen{*index, {}};
}

void add(std::vector<Chosen>& all, Chosen more) {
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const Chosen& c) { return c.gpu == more.gpu; });
  if (known == all.end()) {
    all.push_back(std::move(more));
  } else if (more.instances.empty()) {
    known->instances.clear();
  } else if (!known->instances.empty()) {
    known->instances.push_back(std::move(more.instances.front()));
  }
}

bool is_uuid(std::string_view entry) {
  return entry.starts_with("GPU-") || entry.starts_with("MIG-");
}

}  // namespace

VisibleChoice choose_visible(const std::vector<VisibleGpu>& gpus, const VisibleDevices& devices) {
  VisibleChoice out;
  if (devices.cuda) {
    bool uses_indices = false;
    for (const std::string_view entry : entries_of(*devices.cuda)) {
      std::optional<Chosen> chosen = by_entry(gpus, entry);
      if (!chosen) break;
      uses_indices |= !is_uuid(entry);
      add(out.chosen, std::move(*chosen));
    }
    const bool is_mixed = std::any_of(gpus.begin(), gpus.end(), [&](const VisibleGpu& gpu) {
      return gpu.name != gpus.front().name;
    });
    if (uses_indices && is_mixed && devices.cuda_order != "PCI_BUS_ID") {
      out.doubt = "CUDA numbers GPUs of different kinds by speed, NVML by their place on the bus";
    }
    return out;
  }
  if (devices.nvidia) {
    for (const std::string_view entry : entries_of(*devices.nvidia)) {
      if (!is_uuid(entry)) continue;
      if (std::optional<Chosen> chosen = by_entry(gpus, entry)) add(out.chosen, std::move(*chosen));
    }
    if (!out.chosen.empty()) return out;
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) out.chosen.push_back({i, {}});
  return out;
}

}  // namespace wattree
