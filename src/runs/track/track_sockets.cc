#include "src/runs/track/track_sockets.h"

#include <utility>

namespace wattree {

TrackSockets open_sockets(const std::filesystem::path& folder,
                          const std::function<void(const std::string&)>& say) {
  TrackSockets out;
  if (folder.empty()) return out;
  Result<std::unique_ptr<EpochSocket>> epochs = EpochSocket::create(folder);
  if (epochs.ok()) {
    out.epochs = std::move(epochs).value();
  } else {
    say("programs cannot tell of their epochs: " + epochs.error().message);
  }
  Result<ControlSocket> requests = ControlSocket::create(folder);
  if (requests.ok()) {
    out.requests = std::make_unique<ControlSocket>(std::move(requests).value());
  } else {
    say("other programs cannot pause this run: " + requests.error().message);
  }
  return out;
}

}  // namespace wattree
