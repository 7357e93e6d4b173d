// `wattree calibrate --quick`: in a minute, how this card and this host differ from a predictor.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/api/measure/measure_request.h"
#include "src/predict/predictor/overlay.h"

namespace wattree {

struct QuickCalibrateRequest {
  std::string on;                // Name of the machine; empty: that of this one.
  std::string over;              // The predictor to correct; empty: that of the device.
  MeasureRequest measure;        // Its execution and caches are given.
  std::string python;            // That launches passes; empty: python3.
  std::filesystem::path output;  // Empty: where `predict` finds it by its name.
};

struct QuickCalibrateAnswer {
  std::filesystem::path output;
  MachineOverlay overlay;
  std::vector<std::string> warnings;
  Seconds duration;
  std::string json;  // What goes into the file.
};

// Measures idle power, the anchor, a kernel that streams from memory, and passes that are launched
// kernel by kernel from Python; where there is none, by this program. Windows are written beside
// the output, in place of earlier ones. Fails with kUnavailable where nothing measures energy, on a
// processor, and where no predictor is known for the device and none was named.
Result<QuickCalibrateAnswer> quick_calibrate(const QuickCalibrateRequest& request,
                                             const Services& services, const MeasureHost& host);

}  // namespace wattree
