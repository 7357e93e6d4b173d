// The sockets by which others reach a tracker.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "src/runs/track/control_socket.h"
#include "src/runs/track/epoch_socket.h"

namespace wattree {

struct TrackSockets {
  std::unique_ptr<EpochSocket> epochs;      // Programs tell of their epochs.
  std::unique_ptr<ControlSocket> requests;  // Others pause the run.
};

// In the folder for sockets; none where that is empty. What cannot be opened is said, and the run
// goes on without it.
TrackSockets open_sockets(const std::filesystem::path& folder,
                          const std::function<void(const std::string&)>& say);

}  // namespace wattree
