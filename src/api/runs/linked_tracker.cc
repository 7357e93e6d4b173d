#include "src/api/runs/linked_tracker.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/thread.h"
#include "src/facts/carbon/region.h"

namespace wattree {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr std::size_t kPiece = std::size_t{1} << 20;  // Of a journal, as the route gives it.
constexpr int kPiecesAtOnce = 64;
constexpr std::uint64_t kMostOfAnswer = std::uint64_t{4} << 20;
constexpr std::size_t kMostInMemory = std::size_t{64} << 20;  // Of such an answer as a document.
constexpr std::size_t kMostLinkedEpochs = 100'000;
constexpr std::size_t kRecord = 512;  // What a record takes beside its texts.
// As EnergyVis's own page asks, and as often as a tracker writes totals.
constexpr auto kEnergyVisEvery = 5s;
constexpr auto kJournalEvery = 1s;

Error no_tracker(const std::string& why) {
  return {
      ErrorCode::kUnavailable, "no tracker answers there: " + why,
      "start it with `wattree track` and the option <serve>, and give the address that it prints",
      "address"};
}

Error no_room() {
  return {ErrorCode::kUnavailable,
          "the linked run has more epochs than there is room for: its figures end here",
          "delete links that are no longer needed", "address"};
}

constexpr long kOk = 200;  // The HTTP status.
constexpr long kOtherMethod = 405;

Result<Json> parse_answer(std::string_view text, const std::string& origin) {
  if (document_bytes(text) > kMostInMemory) return no_tracker(origin + " has too many values");
  return parse_json(text, origin);
}

Error answered_with(const std::string& path, long status) {
  return no_tracker(path + " is answered with " + std::to_string(status));
}

// How it stands there, or why it refuses, in its own words.
Result<ControlAnswer> pause_answer(const HttpReply& reply) {
  const Result<Json> json = parse_json(reply.body, "the tracker's answer");
  if (!json.ok()) return json.error();
  Status failure;
  if (reply.status != kOk) {
    const auto error = json.value().find("error");
    JsonFields fields(error != json.value().end() ? *error : Json::object(), "",
                      "the tracker's answer", failure);
    Error refusal{ErrorCode::kUnavailable, fields.text("message", true), fields.text("hint")};
    return failure.ok() ? refusal : failure.error();
  }
  JsonFields fields(json.value(), "", "the tracker's answer", failure);
  const auto state = parse_run_state(fields.text("status", true));
  if (!failure.ok()) return failure.error();
  ControlAnswer out;
  out.pause = state == RunState::kPaused    ? PauseState::kStanding
              : state == RunState::kWaiting ? PauseState::kAsked
                                            : PauseState::kNone;
  return out;
}

}  // namespace

// --- EnergyVis's backend ---

Result<RunBegun> EnergyVisRecords::begin(std::string_view setup, const std::string& address,
                                         Nanos at) {
  const Result<Json> json = parse_answer(setup, "the answer of /initial-setup");
  if (!json.ok()) return json.error();
  Status failure;
  JsonFields fields(json.value(), "", "/initial-setup", failure);
  RunBegun out;
  out.name = "EnergyVis at " + address;
  out.at = at;
  out.time =
      std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  const std::string state = fields.text("state");
  const Result<Region> region = find_region(state, RegionKind::kUsState);
  if (region.ok()) {
    out.region = region.value().code;
    out.intensity = RecordedIntensity{region.value().intensity, Basis::kPublished,
                                      source_of(region.value()).title};
  }
  const Json* names = fields.object("component_names", true);
  for (const char* part : {"cpu", "gpu"}) {
    const bool is_gpu = std::string_view(part) == "gpu";
    out.meters.push_back({part,
                          "",
                          is_gpu ? ComponentKind::kGpu : ComponentKind::kCpu,
                          {Basis::kMeasured, "EnergyVis's backend", Boundary::kHost}});
    if (names == nullptr || !names->contains(part) || !names->at(part).is_object()) continue;
    for (const auto& [name, count] : names->at(part).items()) {
      const bool is_count = count.is_number_integer() && count.get<std::int64_t>() > 0 &&
                            count.get<std::int64_t>() <= 1'000'000;
      out.hardware.push_back(
          {is_gpu ? DeviceKind::kGpu : DeviceKind::kCpu, name, is_count ? count.get<int>() : 1});
    }
  }
  if (!failure.ok()) return failure.error();
  return out;
}

Result<std::vector<Record>> EnergyVisRecords::take(std::string_view stats, Nanos at) {
  const Result<Json> json = parse_answer(stats, "the answer of /energy-stats");
  if (!json.ok()) return json.error();
  Status failure;
  JsonFields fields(json.value(), "", "/energy-stats", failure);
  std::vector<std::vector<double>> kwh;
  for (const char* part : {"cpu", "gpu"}) {
    const Json* object = fields.object(part);
    static const Json empty = Json::object();
    JsonFields below = fields.below(object != nullptr ? *object : empty, part);
    kwh.push_back(below.numbers("epoch", 0, 1e9));
  }
  const std::size_t epochs = std::max(kwh[0].size(), kwh[1].size());
  if (epochs > kMostLinkedEpochs) fields.complain("cpu", "has too many epochs");
  if (!failure.ok()) return failure.error();
  std::vector<Record> out;
  Totals totals{at, {}};
  for (std::int64_t meter = 0; meter < 2; ++meter) {
    totals.meters.push_back({meter, {}, {}, {}, {}});
  }
  for (std::size_t i = 0; i < epochs; ++i) {
    EpochMeasured epoch{std::to_string(i + 1), at, at, {}, true};
    for (std::size_t meter = 0; meter < 2; ++meter) {
      if (i >= kwh[meter].size()) continue;
      const Joules energy(kwh[meter][i] * kJoulesPerKwh);
      epoch.meters.push_back({static_cast<std::int64_t>(meter), energy, energy, energy, Seconds()});
      MeterEnergy& sum = totals.meters[meter];
      sum.energy = sum.low = sum.high = sum.energy + energy;
    }
    if (i >= epochs_) out.emplace_back(std::move(epoch));
  }
  epochs_ = std::max(epochs_, epochs);
  out.emplace_back(std::move(totals));
  return out;
}

// --- the link ---

Result<std::shared_ptr<LinkedTracker>> LinkedTracker::reach(const LinkRequest& request,
                                                            LiveRuns& live,
                                                            std::shared_ptr<LinkRoom> room) {
  Result<LinkAddress> address = parse_link_address(request.address);
  if (!address.ok()) return address.error();
  std::shared_ptr<LinkedTracker> out(
      new LinkedTracker(std::move(address).value(), request.token, live, std::move(room)));
  if (const Status failure = out->ask_first(); !failure.ok()) return failure.error();
  return out;
}

LinkedTracker::~LinkedTracker() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (run_) live_.remove(run_->id());
  room_->taken -= kept_;
}

Result<HttpReply> LinkedTracker::fetch(const std::string& path, bool is_post) const {
  HttpFetch request;
  request.url = address_.origin + path;
  request.token = token_;
  request.connect_timeout = 2s;
  request.total_timeout = 10s;
  request.size_limit = kMostOfAnswer;
  request.follows_redirects = false;
  request.is_post = is_post;
  request.may_connect = is_linkable;
  Result<HttpReply> reply = http_get(request);
  if (!reply.ok()) {
    return Error{reply.error().code, "no tracker answers at " + address_.origin,
                 "check the address, and that the run still goes on", "address"};
  }
  return reply;
}

Result<std::string> LinkedTracker::fetch_body(const std::string& path, bool is_post) const {
  Result<HttpReply> reply = fetch(path, is_post);
  if (!reply.ok()) return reply.error();
  if (reply.value().status != kOk) return answered_with(path, reply.value().status);
  return std::move(reply).value().body;
}

Status LinkedTracker::ask_first() {
  // A piece is enough to know it by; the rest comes once it is linked.
  const Result<long> status = ask_journal(1);
  if (!status.ok()) return status.error();
  if (status.value() == kOk) {
    return first_.empty() ? Status(no_tracker("the run has not begun")) : Status();
  }
  Error refusal = answered_with(journal_path(), status.value());
  if (!address_.run.empty()) return refusal;  // A run of ours was named.
  const Nanos now = boot_clock().now();
  const Result<std::string> setup = fetch_body("/initial-setup");
  if (!setup.ok()) return refusal;
  Result<RunBegun> begun = EnergyVisRecords::begin(setup.value(), address_.origin, now);
  if (!begun.ok()) return no_tracker(begun.error().message);
  first_.emplace_back(std::move(begun).value());
  link_.form = LinkForm::kEnergyVis;
  return ask_energyvis();
}

Status LinkedTracker::join(const std::string& id) {
  link_.id = id;
  link_.address = address_.origin + address_.run;
  RunEntry entry;
  entry.id = "link-" + id;
  entry.link = id;
  link_.run = entry.id;
  run_ = live_.add_own(std::move(entry));
  run_->set_pauser([weak = weak_from_this()](bool is_paused) -> Result<ControlAnswer> {
    if (const auto self = weak.lock()) return self->set_paused(is_paused);
    return Error{ErrorCode::kUnavailable, "the run is no longer linked", ""};
  });
  for (const Record& record : first_) run_->hand_over(record);
  first_.clear();
  live_.wake();
  Result<std::jthread> thread = start_thread("the link", [this] { follow(); });
  if (!thread.ok()) return thread.error();
  thread_ = std::move(thread).value();
  return {};
}

void LinkedTracker::follow() {
  const auto every = link_.form == LinkForm::kWattree ? kJournalEvery : kEnergyVisEvery;
  for (auto pause = 0s; !has_ended_; pause = every) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, pause, [this] { return is_ending_; })) return;
    }
    attempt([this] {
      // Without room nothing more is asked for, but the run goes on being said to be stale.
      const Status failure = is_full_ ? Status(no_room()) : ask();
      live_.wake();
      if (failure.ok()) {
        run_->set_outside(std::nullopt, "");
      } else {
        run_->set_outside(RunState::kStale,
                          is_full_ ? failure.error().message : "its tracker does not answer");
      }
    });
  }
}

Status LinkedTracker::ask() {
  if (link_.form == LinkForm::kEnergyVis) return ask_energyvis();
  const Result<long> status = ask_journal(kPiecesAtOnce);
  if (!status.ok()) return status.error();
  if (status.value() != kOk) return answered_with(journal_path(), status.value());
  return {};
}

std::string LinkedTracker::journal_path() const {
  const std::string run = address_.run.empty() ? "/api/v1/runs/current" : address_.run;
  return run + "/journal?from=" + std::to_string(scanner_.good_bytes());
}

Result<long> LinkedTracker::ask_journal(int most_pieces) {
  for (int i = 0; i < most_pieces; ++i) {
    const std::uint64_t from = scanner_.good_bytes();
    const Result<HttpReply> reply = fetch(journal_path());
    if (!reply.ok()) return reply.error();
    if (reply.value().status != kOk) return reply.value().status;
    const std::string& bytes = reply.value().body;
    scanner_.feed(bytes);
    Status problem = take_lines();
    if (problem.ok() && !scanner_.damage().empty()) problem = no_tracker(scanner_.damage());
    scanner_.rewind();
    if (!problem.ok()) return problem.error();
    if (bytes.size() < kPiece) return kOk;
    // A record is shorter than a piece: this is none, however often it is asked for.
    if (scanner_.good_bytes() == from) return no_tracker("its journal has a line without an end");
  }
  return kOk;
}

Status LinkedTracker::take_lines() {
  std::string_view line;
  while (scanner_.next(line)) {
    Result<Record> record = parse_record(line, "a record of the linked journal");
    if (!record.ok()) continue;
    has_ended_ = has_ended_ || std::holds_alternative<RunEnded>(record.value());
    const std::size_t bytes = line.size();
    if (Status failure = take(std::move(record).value(), bytes); !failure.ok()) return failure;
  }
  return {};
}

Status LinkedTracker::take(Record record, std::size_t bytes) {
  // Totals take the place of those before.
  const bool is_kept = !run_ || !std::holds_alternative<Totals>(record);
  const std::size_t takes = is_kept ? bytes + kRecord : 0;
  room_->taken += takes;
  kept_ += takes;
  if (kept_ > room_->most_of_one || room_->taken > room_->most) {
    is_full_ = true;
    return no_room();
  }
  if (run_) {
    run_->hand_over(record);
  } else {
    first_.push_back(std::move(record));
  }
  return {};
}

Status LinkedTracker::ask_energyvis() {
  const Result<std::string> stats = fetch_body("/energy-stats");
  if (!stats.ok()) return stats.error();
  const Result<std::vector<Record>> records = energyvis_.take(stats.value(), boot_clock().now());
  if (!records.ok()) return records.error();
  for (const Record& record : records.value()) {
    if (Status failure = take(record, 0); !failure.ok()) return failure;
  }
  return {};
}

// EnergyVis's own backend knows GET alone; ours takes that of its page alone.
Result<std::string> LinkedTracker::toggle_pause() const {
  Result<HttpReply> posted = fetch("/pause", true);
  if (!posted.ok()) return posted.error();
  if (posted.value().status == kOtherMethod) return fetch_body("/pause");
  if (posted.value().status != kOk) return answered_with("/pause", posted.value().status);
  return std::move(posted).value().body;
}

Result<ControlAnswer> LinkedTracker::set_paused(bool is_paused) {
  ControlAnswer out;
  if (link_.form == LinkForm::kWattree) {
    const std::string run = address_.run.empty() ? "/api/v1/runs/current" : address_.run;
    const Result<HttpReply> reply = fetch(run + (is_paused ? "/pause" : "/resume"), true);
    if (!reply.ok()) return reply.error();
    return pause_answer(reply.value());
  }
  // Its only route toggles: once more where that was the wrong way.
  for (int i = 0; i < 2; ++i) {
    const Result<std::string> answer = toggle_pause();
    if (!answer.ok()) return answer.error();
    const Result<Json> json = parse_answer(answer.value(), "the answer of /pause");
    if (!json.ok()) return json.error();
    Status failure;
    JsonFields fields(json.value(), "", "/pause", failure);
    const bool stands = fields.flag("training_paused");
    if (!failure.ok()) return failure.error();
    out.pause = stands ? PauseState::kAsked : PauseState::kNone;
    if (stands == is_paused) break;
  }
  run_->hand_over(PauseChanged{boot_clock().now(), out.pause});
  live_.wake();
  return out;
}

}  // namespace wattree
