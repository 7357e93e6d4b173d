// The profile use case: runs every distinct node of a model's tree, measures it, and makes a
// dataset of it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/measure/measure_request.h"
#include "src/measure/campaign/measured_pass.h"

namespace wattree {

struct ProfileRequest {
  std::string model;               // A name, a config or a TorchScript file.
  PassShape pass;                  // Of a config; of a script's guessed inputs, batch and seq.
  std::string revision;            // On the Hub.
  std::vector<std::string> input;  // Of a TorchScript file: "i64[16,128]<30522" for each argument.
  MeasureRequest measure;
  // The dataset that the tree is added to. Windows go to a file beside it as they come, so that
  // nothing is lost where it is cut short.
  std::filesystem::path output;
  bool resume = false;  // What that file has already is not measured again.
};
// From {"model", "batch", "seq", "target_len", "past", "dtype", "attention", "as", "set": {…},
// "revision", "input": […], "output", "resume", …} and the fields of read_measure_request().
Result<ProfileRequest> profile_request(const nlohmann::json& json);

struct ProfileAnswer {
  MeasuredPass pass;
  std::filesystem::path dataset, windows;  // Where it was written.
  std::vector<std::string> notes;
};

// An error where nothing could be measured; where it was cut short, pass.campaign.session.ending
// tells.
Result<ProfileAnswer> profile_model(const ProfileRequest& request, const Services& services,
                                    const MeasureHost& host);

// The contract of docs/schemas/measured.schema.json.
std::string to_json(const ProfileAnswer& answer);

}  // namespace wattree
