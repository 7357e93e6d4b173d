// The calibrate use case: measures kernels on this machine, and fits a predictor to them.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/api/measure/measure_request.h"
#include "src/predict/fit/calibration.h"

namespace wattree {

struct CalibrateRequest {
  std::string on;        // What to call the machine, and its predictor.
  std::string hardware;  // As people should read it; empty: the device's own name.
  std::string dtype;     // "bf16,fp32". Empty: these two on a GPU, fp32 on a processor.
  MeasureRequest measure;
  // The predictor's file, which the caller writes; windows go beside it as they come.
  std::filesystem::path output;
  bool resume = false;  // The windows that are there count, and are gone on with.
};
// From {"on", "hardware", "dtype", "output", "resume", …} and the fields of read_measure_request().
Result<CalibrateRequest> calibrate_request(const nlohmann::json& json);

struct CalibrateAnswer {
  Calibration calibration;
  Campaign campaign;
  std::string json;  // The predictor's file.
};

// Precisions share the time, and the most telling kernels of each come first. What the file of
// windows has of others is fitted to as well. kUnavailable where the machine has no energy meter:
// nothing can be fitted to then.
Result<CalibrateAnswer> calibrate(const CalibrateRequest& request, const Services& services,
                                  const MeasureHost& host);

}  // namespace wattree
