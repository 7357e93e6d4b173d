#include <nlohmann/json.hpp>

#include "src/api/runs/links.h"
#include "src/api/runs/run_detail.h"
#include "src/api/runs/runs.h"
#include "src/base/json_fields.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/parameters.h"
#include "src/server/routes/run_events.h"
#include "src/server/routes/tables.h"

namespace wattree {
namespace {

using enum ParameterType;

constexpr std::size_t kJournalPiece = std::size_t{1} << 20;
constexpr auto kJson = [](const auto& answer) { return to_json(answer); };

Parameter id_in_path(const char* description, const char* example) {
  Parameter out{"id", kText, description, example};
  out.place = ParameterPlace::kPath;
  out.is_required = true;
  return out;
}
Parameter run_id_in_path() {
  return id_in_path("The run's id, or \"current\": the newest one that goes on.", "current");
}

std::string text_of(const RouteCall& call, const char* name) {
  const auto found = call.fields.find(name);
  return found != call.fields.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<std::shared_ptr<LiveRun>> run_of(const RouteCall& call) {
  const Result<LiveRuns*> live = live_runs(call.services);
  if (!live.ok()) return live.error();
  return live.value()->find(text_of(call, "id"));
}

Result<HttpAnswer> events_answer(const RouteCall& call) {
  Result<std::shared_ptr<LiveRun>> run = run_of(call);
  if (!run.ok()) return run.error();
  const std::string_view last = call.http.header("last-event-id");
  HttpAnswer out;
  out.type = "text/event-stream";
  out.headers.emplace_back("Cache-Control", "no-store");
  out.events = run_events(std::move(run).value(),
                          last.empty() ? std::string_view(text_of(call, "since")) : last);
  return out;
}

Result<HttpAnswer> profile_answer(const RouteCall& call) {
  Result<std::string> profile = run_profile_json(text_of(call, "id"), call.services);
  if (!profile.ok()) return profile.error();
  return json_answer(std::move(profile).value());
}

Result<HttpAnswer> journal_answer(const RouteCall& call) {
  if (!call.services.shows_private) {
    return Error{ErrorCode::kPermission,
                 "a journal has the run's command, which callers without a token do not see",
                 "send Authorization: Bearer TOKEN; `wattree token create` makes one"};
  }
  const Result<std::shared_ptr<LiveRun>> run = run_of(call);
  if (!run.ok()) return run.error();
  Status failure;
  JsonFields fields(call.fields, "", "request", failure);
  const std::int64_t from = fields.whole("from", 0, std::int64_t{1} << 53).value_or(0);
  if (!failure.ok()) return failure.error();
  HttpAnswer out =
      json_answer(run.value()->journal_bytes(static_cast<std::uint64_t>(from), kJournalPiece));
  out.type = "text/plain; charset=utf-8";
  return out;
}

Route pause_route(bool is_paused) {
  const char* word = is_paused ? "pause" : "resume";
  Route out = api_route(
      HttpMethod::kPost, std::string("runs/{id}/") + word, std::string(word) + "_run",
      is_paused ? "Pauses a run where its next epoch would begin, or at once where it has none."
                : "Lets a run that is paused go on.",
      {run_id_in_path()}, "run_pause", [is_paused](const RouteCall& call) -> Result<HttpAnswer> {
        const Result<PauseAnswer> answer =
            pause_run({text_of(call, "id"), is_paused}, call.services);
        if (!answer.ok()) return answer.error();
        return json_answer(to_json(answer.value()));
      });
  out.scope = TokenScope::kIngest;
  return out;
}

Parameters list_parameters() {
  Parameter status{"status", kTexts, "Only runs of this status; may be repeated.", "live"};
  status.values = {"live", "waiting", "paused", "stale", "lost", "ended", "failed", "stopped"};
  return {
      status,
      {"q", kText, "Only runs with this in their name, host, job, hardware or command.", "bert"},
      {"sort", kText, "begun, name, energy, carbon, elapsed or power; downwards after a \"-\".",
       "-energy"},
      {"points", kInteger, "Points of each power trace, 2 to 2000.", "60"},
      {"offset", kInteger, "Leave out so many.", "0"},
      {"limit", kInteger, "At most so many, up to 2000.", "200"}};
}

void add_links(Routes& out) {
  out.push_back(api_route(HttpMethod::kGet, "links", "links", "Trackers on other machines.", {},
                          "links", [](const RouteCall& call) -> Result<HttpAnswer> {
                            const Result<LinksAnswer> answer = links(call.services);
                            if (!answer.ok()) return answer.error();
                            return json_answer(to_json(answer.value()));
                          }));
  Parameter address{"address", kText, "The address that the tracker prints.",
                    "http://127.0.0.1:8080/api/v1/runs/current"};
  address.is_required = true;
  Route add = api_route(
      HttpMethod::kPost, "links", "add_link",
      "Follows a tracker on another machine; its run then is among the others.",
      in_body({address, {"token", kText, "For a server that wants one.", "wt_0123456789abcdef"}}),
      "link", use_case(link_request, add_link, kJson));
  add.scope = TokenScope::kAdmin;
  add.changes_answers = true;
  out.push_back(std::move(add));
  Route remove = api_route(HttpMethod::kDelete, "links/{id}", "remove_link",
                           "Follows that tracker no longer; the run itself goes on.",
                           {id_in_path("The link's id.", "1")}, "links",
                           [](const RouteCall& call) -> Result<HttpAnswer> {
                             const Result<LinksAnswer> answer =
                                 remove_link(text_of(call, "id"), call.services);
                             if (!answer.ok()) return answer.error();
                             return json_answer(to_json(answer.value()));
                           });
  remove.scope = TokenScope::kAdmin;
  remove.changes_answers = true;
  out.push_back(std::move(remove));
}

}  // namespace

Routes run_routes() {
  Routes out;
  out.push_back(api_route(HttpMethod::kGet, "runs", "runs", "What runs and ran on this machine.",
                          list_parameters(), "runs", use_case(runs_request, runs, kJson)));
  out.push_back(api_route(
      HttpMethod::kGet, "runs/{id}", "run",
      "One run with its epochs, and those of them that took too much.",
      {run_id_in_path(), {"points", kInteger, "At most so many epochs and trace points.", "500"}},
      "run", use_case(run_request, run, kJson)));
  Route events = api_route(
      HttpMethod::kGet, "runs/{id}/events", "run_events",
      "Server-sent events of a run: status, epoch and last ended, from the beginning or "
      "after the header Last-Event-ID.",
      {run_id_in_path(), {"since", kText, "In place of that header.", "12"}}, "", events_answer);
  events.answer_type = "text/event-stream";
  out.push_back(std::move(events));
  out.push_back(api_route(HttpMethod::kGet, "runs/{id}/profile", "run_profile",
                          "The run's profile as far as it has come.", {run_id_in_path()}, "profile",
                          profile_answer));
  Route journal =
      api_route(HttpMethod::kGet, "runs/{id}/journal", "run_journal",
                "The run's journal, for another server that follows it; a MiB at a time.",
                {run_id_in_path(), {"from", kInteger, "The first byte.", "0"}}, "", journal_answer);
  journal.answer_type = "text/plain; charset=utf-8";
  out.push_back(std::move(journal));
  out.push_back(pause_route(true));
  out.push_back(pause_route(false));
  add_links(out);
  return tagged("Runs", std::move(out));
}

}  // namespace wattree
