#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <ostream>

#include "src/api/access/token_watch.h"
#include "src/api/access/tokens.h"
#include "src/api/runs/links.h"
#include "src/api/runs/open_profiles.h"
#include "src/base/in_quotes.h"
#include "src/cli/command.h"
#include "src/cli/log_lines.h"
#include "src/cli/server_address.h"
#include "src/server/beast/server.h"
#include "src/server/routes/application.h"

namespace wattree {
namespace {

struct ServeFlags {
  std::uint16_t port = 8080;
  std::string address = "127.0.0.1";
  std::filesystem::path tls_cert, tls_key, models;
  ServerOptions options;
  std::optional<std::string> log;
  bool open = false;
};

constexpr char kServeFooter[] =
    "Examples:\n"
    "  wattree serve --open\n"
    "  wattree serve --port 0 --log requests.jsonl\n"
    "  wattree serve --public --trust-proxy 127.0.0.1 --host-name energy.example.org\n"
    "  wattree serve --address 0.0.0.0 --public --tls-cert cert.pem --tls-key key.pem\n\n"
    "By default it serves this machine alone. Ctrl-C (SIGINT) or SIGTERM stops it once open\n"
    "requests are answered; a second signal stops it at once. See docs/server.md.\n";

// Who may call, and by which name.
void add_access(CommandSyntax serve, ServeFlags& flags) {
  serve.add_flag("--public", flags.options.is_public,
                 "Let anybody read without a token, at a limited rate; every change needs a token");
  serve.add_flag(
      "--hub-for-all", flags.options.hub_for_strangers,
      "Fetch models of the Hugging Face Hub also for callers without a token: public ones");
  serve
      .add_option("--host-name", flags.options.host_names,
                  "Another name that clients may use for this server (repeatable)")
      .repeatable("NAME");
  serve
      .add_option("--allow-origin", flags.options.allowed_origins,
                  "Let pages of this origin call the API, such as https://example.org (repeatable)")
      .repeatable("ORIGIN");
  serve
      .add_option("--trust-proxy", flags.options.trusted_proxies,
                  "Trust X-Forwarded-For from this address (repeatable)")
      .repeatable("ADDRESS");
}

CommandSyntax describe(CommandSyntax app, ServeFlags& flags) {
  const CommandSyntax serve = app.add_subcommand(
      "serve", "Show predictions and runs as pages in a browser, and serve the HTTP API");
  serve.footer(kServeFooter);
  serve.add_option("--port", flags.port, "Port to listen on; 0: any free one").show_default();
  serve
      .add_option("--address", flags.address,
                  "Numeric address to listen on, or unix:PATH; others than this machine's own need "
                  "--public")
      .show_default();
  serve.add_flag("--open", flags.open, "Open the address in the browser");
  serve
      .add_option("--models", flags.models,
                  "Folder of more models, NAME.json or NAME/config.json; it may change at any time")
      .type_name("DIR");
  add_access(serve, flags);
  serve
      .add_option("--tls-cert", flags.tls_cert,
                  "Serve over TLS with this certificate and chain (PEM)")
      .type_name("FILE");
  serve.add_option("--tls-key", flags.tls_key, "The certificate's key (PEM)").type_name("FILE");
  serve
      .add_option("--log", flags.log,
                  "Append a line of JSON for each answer to this file [standard error]")
      .value_or("-")
      .type_name("FILE");
  return serve;
}

// Each connection takes a descriptor, and the usual limit is there for programs that use select().
void allow_many_descriptors() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

// Of glibc: trees and answers of many megabytes go back to the system when they are done with, and
// not to a heap that each thread keeps for the largest it ever had.
void give_large_memory_back() {
#ifdef M_MMAP_THRESHOLD
  constexpr int kLarge = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
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

Status check(const ServeFlags& flags, const Services& services) {
  Status wrong;
  if (flags.tls_cert.empty() != flags.tls_key.empty()) {
    const std::string missing = flags.tls_cert.empty() ? "tls_cert" : "tls_key";
    wrong = Error{ErrorCode::kInvalidInput, "TLS needs both <tls_cert> and <tls_key>",
                  "add <" + missing + ">", missing};
  } else if (std::error_code ignored;
             !flags.models.empty() && !std::filesystem::is_directory(flags.models, ignored)) {
    wrong = Error{ErrorCode::kNotFound, in_quotes(flags.models.string()) + " is no folder",
                  "make it, or name another with <models>", "models"};
  } else {
    wrong = check_address(flags.address, flags.options.is_public, services);
  }
  return wrong;
}

// What is served, and what that needs: all of it outlives the server.
struct Served {
  std::unique_ptr<LogLines> log;
  std::unique_ptr<LiveRuns> live;
  std::unique_ptr<Links> links;
  std::unique_ptr<WebServer> server;
};

Result<Served> start(const ServeFlags& flags, const std::string& token, Services services) {
  Served out;
  if (!flags.models.empty()) {
    services.models = std::make_shared<ModelsFolder>(flags.models, services.hub.size_limit);
  }
  Result<std::unique_ptr<LiveRuns>> live = LiveRuns::start({services.runs, services.journals});
  if (!live.ok()) return live.error();
  out.live = std::move(live).value();
  Result<std::unique_ptr<Links>> links = Links::start(
      *out.live, [services](StoreAccess access) { return open_store({}, services, access); });
  if (!links.ok()) return links.error();
  out.links = std::move(links).value();
  services.live = out.live.get();
  services.links = out.links.get();
  ServerOptions options = flags.options;
  options.start_token = token;
  Result<TokenCheck> tokens = watched_tokens(services);
  if (!tokens.ok()) return tokens.error();
  options.tokens = std::move(tokens).value();
  if (flags.log) {
    Result<std::unique_ptr<LogLines>> log = LogLines::open(*flags.log);
    if (!log.ok()) return log.error();
    out.log = std::move(log).value();
    options.log = [lines = out.log.get()](std::string_view line) { lines->add(line); };
  }
  WebListener listener{flags.address == "localhost" ? "127.0.0.1" : flags.address, flags.port};
  if (!flags.tls_cert.empty()) listener.tls = TlsFiles{flags.tls_cert, flags.tls_key};
  Result<std::unique_ptr<WebServer>> server =
      WebServer::start({listener}, make_application(std::move(options), services));
  if (!server.ok()) return server.error();
  out.server = std::move(server).value();
  return out;
}

int run(const ServeFlags& flags, Surroundings& world) {
  if (const Status wrong = check(flags, world.services); !wrong.ok())
    return fail(wrong.error(), false, world);
  const StopSignals signals;
  allow_many_descriptors();
  give_large_memory_back();
  const std::string token = random_token();
  const Result<Served> served = start(flags, token, world.services);
  if (!served.ok()) return fail(served.error(), false, world);
  WebServer& server = *served.value().server;
  const std::string& url = server.urls().front();
  world.out << "Wattree is at " << url << "\n";
  if (!url.starts_with("unix:")) {
    world.out << "Other accounts can make changes through " << url << "/#token=" << token << "\n";
  }
  world.out << std::flush;
  // Without the token: other users see the arguments of programs, and the own browser needs none.
  if (flags.open && !open_in_browser(url)) {
    world.err << "wattree: there is no xdg-open here to open it with\n" << std::flush;
  }
  signals.wait();
  signals.release();
  server.stop();
  return 0;
}

}  // namespace

Command serve_command(CommandSyntax app) {
  auto flags = std::make_shared<ServeFlags>();
  const CommandSyntax serve = describe(app, *flags);
  return {serve, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
