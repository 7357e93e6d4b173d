#include "src/runs/track/control_socket.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "src/base/error_text.h"
#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::size_t kMostControllers = 16;
constexpr timeval kPatience{2, 0};
constexpr std::array<std::string_view, 3> kRequests{"status", "pause", "resume"};
constexpr std::array<std::string_view, 3> kStates{"live", "waiting", "paused"};  // As PauseState.

template <std::size_t n>
std::optional<std::size_t> place_of(std::string_view text,
                                    const std::array<std::string_view, n>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string to_text(const ControlAnswer& answer) {
  JsonWriter out;
  out.begin_object();
  out.field("status", kStates.at(static_cast<std::size_t>(answer.pause)));
  out.field("elapsed_s", answer.elapsed.value);
  out.field("epochs_ended", answer.epochs_ended);
  out.end_object();
  return out.take();
}

std::string to_text(const Result<ControlAnswer>& answer) {
  return answer.ok() ? to_text(answer.value()) : wattree::to_json(answer.error());
}

// What the tracker refuses, in its own words.
Result<ControlAnswer> refused(const nlohmann::json& error) {
  Status failure;
  JsonFields fields(error, "", "the tracker's answer", failure);
  Error out{ErrorCode::kUnavailable, fields.text("message", true), fields.text("hint")};
  return failure.ok() ? out : failure.error();
}

Result<ControlAnswer> read_answer(std::string_view text) {
  const Result<nlohmann::json> json = parse_json(text, "the tracker's answer");
  if (!json.ok()) return json.error();
  const auto error = json.value().find("error");
  if (error != json.value().end() && error->is_object()) return refused(*error);
  Status failure;
  JsonFields fields(json.value(), "", "the tracker's answer", failure);
  const auto state = place_of(fields.text("status", true), kStates);
  if (!state) fields.complain("status", "must be live, waiting or paused");
  ControlAnswer out;
  out.pause = static_cast<PauseState>(state.value_or(0));
  out.elapsed = Seconds(fields.number("elapsed_s", 0, 1e12, true).value_or(0));
  out.epochs_ended = fields.whole("epochs_ended", 0, std::int64_t{1} << 53, true).value_or(0);
  if (!failure.ok()) return failure.error();
  return out;
}

Error no_answer(const char* why) {
  return Error{ErrorCode::kUnavailable, std::string("the run's tracker does not answer: ") + why,
               "a run can be paused by the user who tracks it, for as long as it goes on"};
}

// Closes it, too.
Result<ControlAnswer> ask(int connection, const sockaddr_un& address, ControlRequest request) {
  const std::string_view text = kRequests.at(static_cast<std::size_t>(request));
  ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  std::array<char, 512> packet{};
  ssize_t got = -1;
  const bool is_sent =
      ::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(connection, text.data(), text.size(), MSG_NOSIGNAL) >= 0;
  if (is_sent) got = ::recv(connection, packet.data(), packet.size(), 0);
  const int number = errno;
  ::close(connection);
  if (got == 0) return no_answer("it does not let this user in");
  if (got < 0) return no_answer(std::strerror(number));
  return read_answer({packet.data(), static_cast<std::size_t>(got)});
}

}  // namespace

std::filesystem::path control_path(const std::filesystem::path& folder, std::int64_t process) {
  return folder / (std::to_string(process) + ".control");
}

Result<ControlSocket> ControlSocket::create(const std::filesystem::path& folder) {
  Result<PacketSocket> socket = PacketSocket::create(control_path(folder, ::getpid()),
                                                     SocketUsers::kThisUser, kMostControllers);
  if (!socket.ok()) return socket.error();
  return ControlSocket(std::move(socket).value());
}

void ControlSocket::receive(const std::function<Result<ControlAnswer>(ControlRequest)>& take) {
  socket_.receive({{},
                   [&](int client, std::string_view packet) {
                     const auto request = place_of(packet, kRequests);
                     PacketSocket::send(
                         client, request ? to_text(take(static_cast<ControlRequest>(*request)))
                                         : R"({"error":"ask for status, pause or resume"})");
                   },
                   {}});
}

Result<ControlAnswer> ask_tracker(const std::filesystem::path& socket, ControlRequest request) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.empty() || socket.string().size() >= sizeof address.sun_path) {
    return no_answer("it has no socket");
  }
  std::memcpy(address.sun_path, socket.c_str(), socket.string().size());
  const int connection = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (connection < 0) return no_answer(std::strerror(errno));
  return ask(connection, address, request);
}

}  // namespace wattree
