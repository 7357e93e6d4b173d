#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <ostream>

#include "src/cli/command.h"
#include "src/server/beast/server.h"

namespace wattree {
namespace {

struct ServeFlags {
  std::uint16_t port = 8080;
  std::string address = "127.0.0.1";
  std::filesystem::path tls_cert, tls_key;
  bool open = false;
};

constexpr char kFooter[] =
    "Examples:\n"
    "  wattree serve --open\n"
    "  wattree serve --port 0\n"
    "  wattree serve --tls-cert cert.pem --tls-key key.pem\n\n"
    "It serves until SIGINT (Ctrl-C) or SIGTERM, and then lets answers in "
    "flight\n"
    "finish. A second signal ends it at once.\n";

CommandSyntax describe(CommandSyntax app, ServeFlags& flags) {
  const CommandSyntax serve =
      app.add_subcommand("serve", "Serve predictions, runs and profiles over HTTP");
  serve.footer(kFooter);
  serve.add_option("--port", flags.port, "Port to listen on; 0: any free one").show_default();
  serve.add_option("--address", flags.address, "Numeric address to listen on, or unix:PATH")
      .show_default();
  serve.add_flag("--open", flags.open, "Open the address in the browser");
  serve.add_option("--tls-cert", flags.tls_cert, "Speak TLS with this certificate and chain (PEM)")
      .type_name("FILE");
  serve.add_option("--tls-key", flags.tls_key, "The certificate's key (PEM)").type_name("FILE");
  return serve;
}

// Each connection takes a descriptor, and the usual limit is there for programs that use select().
void allow_many_descriptors() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

// SIGINT and SIGTERM wait until they are asked for.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&awaited_);
    sigaddset(&awaited_, SIGINT);
    sigaddset(&awaited_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
    ::signal(SIGPIPE, SIG_IGN);  // A log's reader that goes does not end the server.
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() { release(); }

  void wait() const {
    int signal = 0;
    ::sigwait(&awaited_, &signal);
  }
  // The next one ends the program.
  void release() const { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t awaited_{};
  sigset_t before_{};
};

// Whether there was a program to ask.
bool open_in_browser(const std::string& url) {
  std::string program = "xdg-open";
  std::string argument = url;
  std::array<char*, 3> arguments{program.data(), argument.data(), nullptr};
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int failure =
      ::posix_spawnp(&child, program.c_str(), nullptr, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  return failure == 0;
}

Application application() {
  Application out;
  out.answer_at_once = [](const HttpCall& call) -> std::optional<HttpAnswer> {
    HttpAnswer answer;
    const bool is_health = call.path == "/healthz";
    answer.status = is_health ? 200 : 404;
    answer.body = std::make_shared<const std::string>(
        is_health ? "{\"status\":\"ok\"}\n"
                  : to_json(Error{ErrorCode::kNotFound, "there is nothing at this path",
                                  "/healthz says whether the server runs"}));
    return answer;
  };
  return out;
}

Status check(const ServeFlags& flags) {
  Status wrong;
  if (flags.tls_cert.empty() != flags.tls_key.empty()) {
    const bool has_key = flags.tls_cert.empty();
    wrong = Error{ErrorCode::kInvalidInput,
                  has_key ? "<tls_key> needs <tls_cert>" : "<tls_cert> needs <tls_key>",
                  "TLS needs both files", has_key ? "tls_cert" : "tls_key"};
  }
  return wrong;
}

int run(const ServeFlags& flags, Surroundings& world) {
  if (const Status wrong = check(flags); !wrong.ok()) return fail(wrong.error(), false, world);
  const StopSignals signals;
  allow_many_descriptors();
  WebListener listener{flags.address, flags.port};
  if (!flags.tls_cert.empty()) listener.tls = TlsFiles{flags.tls_cert, flags.tls_key};
  const Result<std::unique_ptr<WebServer>> server = WebServer::start({listener}, application());
  if (!server.ok()) return fail(server.error(), false, world);
  const std::string& url = server.value()->urls().front();
  world.out << "Wattree is at " << url << "\n" << std::flush;
  if (flags.open && !open_in_browser(url)) {
    world.err << "wattree: there is no xdg-open here to open it with\n" << std::flush;
  }
  signals.wait();
  signals.release();
  server.value()->stop();
  return 0;
}

}  // namespace

Command serve_command(CommandSyntax app) {
  auto flags = std::make_shared<ServeFlags>();
  const CommandSyntax serve = describe(app, *flags);
  return {serve, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
