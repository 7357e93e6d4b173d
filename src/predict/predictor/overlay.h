// What one card and one host make different of a predictor: a few factors, measured in a minute
// (`wattree calibrate --quick`), in a small file of their own (docs/schemas/overlay.schema.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/predict/predictor/predictor.h"

namespace wattree {

inline constexpr std::string_view kOverlayFormat = "wattree-overlay";
inline constexpr std::int64_t kOverlayVersion = 1;

// Over what the predictor says: 1.02 takes 2 % more.
struct Factor {
  double energy = 1;
  double time = 1;
};
inline constexpr double kLeastFactor = 0.1;
inline constexpr double kMostFactor = 10;

struct MachineOverlay {
  std::string name;   // As predictions call the machine.
  std::string over;   // The predictor that the factors belong to, as <on> names it.
  std::string card;   // "NVIDIA H200"
  std::string host;   // "Intel(R) Xeon(R) Processor, 16 CPUs"
  std::string date;   // "2026-11-17T13:05:00Z"
  Factor compute;     // Of arithmetic,
  Factor memory;      // and of traffic.
  double idle = 1;    // Of the power while nothing is computed.
  double launch = 1;  // Of the host's time to launch kernels one by one.
  // How much longer than on average the slowest of its readings took: a shared host may be that
  // slow for as long as a run.
  double launch_swing = 0;

  // What the factors come from, for people.
  struct Reading {
    std::string what;  // "bert-base-uncased, bf16, 16 × 128"
    double measured_j = 0, predicted_j = 0;
    double measured_s = 0, predicted_s = 0;
  };
  std::vector<Reading> readings;
};

// Whether a text is an overlay and no predictor: by its first field.
bool is_overlay(std::string_view text);
std::string to_json(const MachineOverlay& overlay);
// Refuses a newer version, fields that are missing, unknown or of a wrong type, and factors that
// no machine has; every message names `origin` and the field.
Result<MachineOverlay> parse_overlay(std::string_view text, const std::string& origin);

// The predictor of that machine: terms that count arithmetic, traffic and launches have factors of
// their own. Intervals stay; that of launches from a program is the one of a host that is known,
// and as much wider as that host was seen to change.
Predictor with_overlay(Predictor predictor, const MachineOverlay& overlay);

// "h200, calibrated 2026-11-17 to NVIDIA H200 with Intel(R) Xeon(R) Processor, 16 CPUs"
std::string origin_of(const MachineOverlay& overlay);

}  // namespace wattree
