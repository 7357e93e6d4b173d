#include "src/measure/protocol/session.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "src/measure/protocol/quiet.h"
#include "src/measure/protocol/software_baseline.h"

namespace wattree {
namespace {

constexpr int kAnchorTries = 3;
constexpr double kWarm = 0.003;  // Two anchors running that differ by no more are of a warm card;
constexpr int kWarmUps = 6;      // it takes some seconds.
// Rest after a heavy launch, as a share of it, and how long such a launch should be: long for the
// host's part in it, short for the GPU's limiter.
constexpr double kPauseShare = 0.7;
constexpr double kPausedLaunch = 3e-3;
constexpr double kExpectedJob = 1.0;  // Seconds, before anything was measured.
constexpr const char* kThrownOut = "the anchor had moved: what was measured was thrown out";
constexpr Nanos kRemember = 30 * kNanosPerSecond;

class Session {
 public:
  Session(Executor& executor, Watch& watch, const Conduct& conduct, const SessionOptions& options,
          AppendFile& file, Figures& figures,
          const std::function<void(const SessionProgress&)>& show)
      : executor_(executor),
        watch_(watch),
        conduct_(conduct),
        options_(options),
        file_(file),
        figures_(figures),
        show_(show),
        begun_(conduct.clock.now()) {}

  Status begin();
  Status run(std::vector<Job> jobs);
  Status end();
  SessionResult result;

 private:
  struct Prepared {
    std::unique_ptr<Launch> launch;
    Measurement measurement;
  };

  double passed_s() const { return seconds(conduct_.clock.now() - begun_); }
  double left_s() const { return options_.budget_s - passed_s(); }
  bool has_budget() const { return options_.budget_s > 0; }
  void tell(std::string doing) {
    const double each =
        done_ > 0 ? (passed_s() - jobs_begun_s_) / static_cast<double>(done_) : kExpectedJob;
    double left = each * static_cast<double>(total_ - done_);
    if (has_budget()) left = std::min(left, left_s());
    show_({done_, total_, std::max(left, 0.0), std::move(doing)});
  }
  WindowSettings within_budget(WindowSettings settings) const {
    if (has_budget()) settings.limit_s = std::min(settings.limit_s, std::max(left_s(), 0.1));
    return settings;
  }
  void skip(const Job& job, std::string why) {
    result.skipped.push_back({job.key(), facts_of(*job.tree, job.node).scope, std::move(why)});
  }
  Status anchor(bool is_first);
  Status warm_up(const WindowSettings& settings);
  Status judge_block(double deviation);
  Status attempt(const Job& job);
  Status record(const Job& job, const Prepared& prepared, bool is_paused);
  Result<Prepared> load(const ModelTree& tree, std::int32_t node, const LaunchOptions& launch,
                        const WindowSettings& settings, const Pauses& pauses);
  // Of a launch; the user's having had enough is a failure to everything on the way out.
  Result<Measurement> measured_in(Launch& launch, const WindowSettings& settings,
                                  const Pauses& pauses);
  Error interrupted() {
    is_interrupted_ = true;
    return {ErrorCode::kUnavailable, "interrupted", ""};
  }
  Status pause(const Job& job, const Prepared& alone);
  bool is_lost();
  bool is_anchor_due() const;
  bool is_out_of_time() const;
  void repeat_block(std::vector<Job>& jobs);
  Result<bool> goes_on_after(const Error& failure, const Job& job);

  Executor& executor_;
  Watch& watch_;
  const Conduct& conduct_;
  const SessionOptions& options_;
  AppendFile& file_;
  Figures& figures_;
  const std::function<void(const SessionProgress&)>& show_;
  Nanos begun_;
  std::string name_;
  int block_ = 0;
  std::vector<Job> block_jobs_;
  std::set<std::string> repeated_;
  std::unique_ptr<Launch> anchor_launch_;
  double anchor_at_s_ = 0;
  double anchor_figure_ = 0;  // Of the first one.
  bool is_interrupted_ = false;
  const Job* last_good_ = nullptr;
  Job last_good_job_;
  std::size_t done_ = 0, total_ = 0;
  double jobs_begun_s_ = 0;
};

Status Session::begin() {
  const std::int64_t at_s = options_.seconds_since_1970();
  name_ = std::to_string(at_s);
  tell("idle");
  const int others = options_.other_processes();
  const QuietLimits limits{options_.most_other_cpu_percent, options_.most_other_gpu_percent};
  if (Status failure = check_processes(others); !failure.ok() && !options_.allow_load)
    return failure;
  const auto waited = wait_for_standby(watch_, conduct_, options_.standby_w);
  Result<std::optional<Idle>> idle = measure_idle(watch_, conduct_);
  if (!idle.ok()) return idle.error();
  if (!idle.value()) return interrupted();
  result.idle = *std::move(idle).value();
  const Resources& resources = result.idle.resources;
  if (Status failure = check_quiet(resources, limits); !failure.ok() && !options_.allow_load)
    return failure;
  result.machine = describe_machine(executor_.device(), watch_, options_.roots);
  HeaderRecord header{name_,         at_s,   result.machine,
                      result.idle,   waited, options_.whole,
                      options_.node, others, other_cpu_percent(resources)};
  if (Status failure = file_.append(to_line(header)); !failure.ok()) return failure;
  if (options_.model) {
    if (Status failure = file_.append(to_line(name_, *options_.model)); !failure.ok())
      return failure;
  }
  return anchor(true);
}

// The first anchor has to find the card as warm as later ones will: a cold one takes 2 % less.
Status Session::warm_up(const WindowSettings& settings) {
  double before = 0;
  for (int i = 0; i < kWarmUps; ++i) {
    const Result<Measurement> measured = measured_in(*anchor_launch_, settings, {});
    if (!measured.ok()) return measured.error();
    const double figure = measured.value().figure();
    if (before > 0 && std::abs(figure / before - 1) <= kWarm) break;
    before = figure;
  }
  return {};
}

// The block since the last anchor is good if the machine is still the same.
Status Session::judge_block(double deviation) {
  const bool is_good = std::abs(deviation) <= options_.anchor.tolerance;
  if (Status failure = file_.append(verdict_line(name_, block_, is_good, deviation));
      !failure.ok()) {
    return failure;
  }
  if (is_good) {
    block_jobs_.clear();
    return {};
  }
  ++result.discarded_blocks;
  for (const Job& job : block_jobs_) {
    figures_.erase(job.key());
    figures_.erase(window_key(job.node.key, job.cache, true));
  }
  return {};
}

Status Session::anchor(bool is_first) {
  if (options_.anchor.tree == nullptr) {
    if (is_first) ++block_;
    return {};
  }
  tell("anchor");
  const auto root = static_cast<std::int32_t>(options_.anchor.tree->nodes().size()) - 1;
  if (!anchor_launch_) {
    Result<std::unique_ptr<Launch>> prepared = executor_.prepare(
        *options_.anchor.tree, root, {CacheState::kNatural, 0, options_.allow_graph});
    if (!prepared.ok()) return prepared.error();
    anchor_launch_ = std::move(prepared).value();
  }
  WindowSettings settings = options_.whole;
  settings.window_s *= 2;
  if (is_first) {
    if (Status failure = warm_up(settings); !failure.ok()) return failure;
  }
  double deviation = 0;
  for (int i = 0; i < kAnchorTries; ++i) {
    const Result<Measurement> measured = measured_in(*anchor_launch_, settings, {});
    if (!measured.ok()) return measured.error();
    const Measurement& m = measured.value();
    if (!result.anchor_time) {
      result.anchor_energy = m.run_energy();
      result.anchor_time = m.run_time();
      anchor_figure_ = m.figure();
    }
    deviation = m.figure() / anchor_figure_ - 1;
    if (Status failure = file_.append(to_line(AnchorRecord{name_, block_, m, deviation}));
        !failure.ok()) {
      return failure;
    }
    if (std::abs(deviation) <= options_.anchor.tolerance) break;
  }
  if (!is_first) {
    if (Status failure = judge_block(deviation); !failure.ok()) return failure;
  }
  ++block_;
  anchor_at_s_ = passed_s();
  return {};
}

Result<Measurement> Session::measured_in(Launch& launch, const WindowSettings& settings,
                                         const Pauses& pauses) {
  Result<std::optional<Measurement>> measured = measure(launch, watch_, settings, conduct_, pauses);
  if (!measured.ok()) return measured.error();
  if (!measured.value()) return interrupted();
  return *std::move(measured).value();
}

Result<Session::Prepared> Session::load(const ModelTree& tree, std::int32_t node,
                                        const LaunchOptions& launch, const WindowSettings& settings,
                                        const Pauses& pauses) {
  Result<std::unique_ptr<Launch>> prepared = executor_.prepare(tree, node, launch);
  if (!prepared.ok()) return prepared.error();
  Prepared out{std::move(prepared).value(), {}};
  Result<Measurement> measured = measured_in(*out.launch, settings, pauses);
  if (!measured.ok()) return measured.error();
  out.measurement = std::move(measured).value();
  return out;
}

Status Session::record(const Job& job, const Prepared& prepared, bool is_paused) {
  const Measurement& m = prepared.measurement;
  WindowRecord record;
  record.session = name_;
  record.block = block_;
  record.at_s = options_.seconds_since_1970();
  record.pass = job.pass;
  record.node = facts_of(*job.tree, job.node);
  record.node.subject = subject_of(job);
  record.measurement = m;
  record.why_eager = prepared.launch->why_eager();
  record.copies = prepared.launch->copies();
  record.other_processes = options_.other_processes();
  if (const auto software = software_estimate(m, record.other_processes > 0)) {
    record.software_energy = software->energy;
    record.software_covers = software->covers;
  }
  NodeFigures& figures = record.figures;
  figures.key = job.node.key;
  figures.cache = job.cache;
  figures.is_paused = is_paused;
  figures.execution = prepared.launch->execution();
  figures.energy = m.run_energy();
  figures.time = m.run_time();
  if (result.idle.power) figures.idle_energy = *result.idle.power * m.run_time();
  figures.relative_error = m.window.relative_error;
  figures.drift = m.window.drift;
  figures.is_capped = m.is_capped;
  figures.is_settled = m.is_settled;
  figures.resources = m.resources;
  figures.doubts = doubts_about(m, record.other_processes);
  record.key = window_key(figures.key, figures.cache, is_paused);
  if (Status failure = file_.append(to_line(record)); !failure.ok()) return failure;
  figures_[record.key] = figures;
  ++result.measured;
  return {};
}

// A heavy node once more with rest in between, so that its clock is the one it has within a model.
Status Session::pause(const Job& job, const Prepared& alone) {
  const double run_s = alone.measurement.run_time().value;
  const LaunchOptions launch{job.cache, std::max(1, static_cast<int>(kPausedLaunch / run_s)),
                             options_.allow_graph};
  const Result<Prepared> paused =
      load(*job.tree, job.node.node, launch, within_budget(options_.node),
           {kPauseShare, result.idle.power.value_or(Watts())});
  if (!paused.ok()) return paused.error();
  return record(job, paused.value(), true);
}

Status Session::attempt(const Job& job) {
  const WindowSettings settings = within_budget(is_whole(job) ? options_.whole : options_.node);
  const Result<Prepared> alone =
      load(*job.tree, job.node.node, {job.cache, 0, options_.allow_graph}, settings, {});
  if (!alone.ok()) return alone.error();
  if (Status failure = record(job, alone.value(), false); !failure.ok()) return failure;
  const bool is_heavy = alone.value().measurement.is_capped && !is_whole(job) &&
                        options_.with_pauses && result.idle.power && settings.rounds == 1 &&
                        (!has_budget() || left_s() > 1.0);
  return is_heavy ? pause(job, alone.value()) : Status();
}

// After a failure: does what worked before still work?
bool Session::is_lost() {
  if (watch_.has_energy() && watch_.failure() == Absence::kLost) return true;
  const Job* job = last_good_;
  if (job == nullptr && !anchor_launch_) return false;
  if (job != nullptr) {
    const auto again = executor_.prepare(*job->tree, job->node.node, {job->cache, 1, false});
    if (!again.ok()) return true;
    Launch& launch = *again.value();
    return !launch.start().ok() || !launch.wait().ok();
  }
  return !anchor_launch_->start().ok() || !anchor_launch_->wait().ok();
}

bool Session::is_anchor_due() const {
  return !block_jobs_.empty() && options_.anchor.tree != nullptr &&
         passed_s() - anchor_at_s_ > options_.anchor.every_s;
}

bool Session::is_out_of_time() const {
  if (!has_budget() || done_ == 0) return false;
  return left_s() < (passed_s() - jobs_begun_s_) / static_cast<double>(done_);
}

// What the last anchor threw out: once more, at the end. Twice off is no accident, and stays out.
void Session::repeat_block(std::vector<Job>& jobs) {
  for (const Job& bad : block_jobs_) {
    if (repeated_.insert(bad.key()).second) {
      jobs.push_back(bad);
    } else {
      skip(bad, kThrownOut);
    }
  }
  block_jobs_.clear();
  total_ = jobs.size();
}

// After a failure: whether the session goes on.
Result<bool> Session::goes_on_after(const Error& failure, const Job& job) {
  if (is_interrupted_) {
    result.ending = Ending::kInterrupted;
    return false;
  }
  skip(job, failure.message);
  if (const Status unwritten = file_.append(failure_line(name_, job.key(), failure));
      !unwritten.ok()) {
    return unwritten.error();
  }
  if (!is_lost()) return true;
  result.ending = Ending::kLost;
  result.lost = failure;
  return false;
}

Status Session::run(std::vector<Job> jobs) {
  std::erase_if(jobs, [&](const Job& job) { return figures_.count(job.key()) > 0; });
  total_ = jobs.size();
  jobs_begun_s_ = passed_s();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job job = jobs[i];
    if (is_anchor_due()) {
      if (const Status failure = anchor(false); !failure.ok()) {
        result.ending = is_interrupted_ ? Ending::kInterrupted : Ending::kLost;
        result.lost = failure.error();
        return {};
      }
      repeat_block(jobs);
    }
    if (is_out_of_time()) {
      result.ending = Ending::kBudget;
      for (; i < jobs.size(); ++i) skip(jobs[i], "the time was up");
      return {};
    }
    const NodeFacts facts = facts_of(*job.tree, job.node);
    tell(facts.scope.empty() ? facts.type : facts.scope);
    const Status failure = attempt(job);
    ++done_;
    watch_.forget_before(conduct_.clock.now() - kRemember);
    if (failure.ok()) {
      block_jobs_.push_back(job);
      last_good_job_ = job;
      last_good_ = &last_good_job_;
      continue;
    }
    const Result<bool> goes_on = goes_on_after(failure.error(), job);
    if (!goes_on.ok()) return goes_on.error();
    if (!goes_on.value()) return {};
  }
  tell("");
  return {};
}

Status Session::end() {
  if (result.ending == Ending::kDone && !block_jobs_.empty() && options_.anchor.tree != nullptr) {
    // A verdict on the last block; what it throws out is not measured again.
    const Status failure = anchor(false);
    if (!failure.ok() && is_interrupted_) result.ending = Ending::kInterrupted;
    if (failure.ok()) {
      for (const Job& bad : block_jobs_) skip(bad, kThrownOut);
    }
  }
  anchor_launch_.reset();
  result.duration = Seconds(passed_s());
  return file_.append(footer_line(name_, static_cast<std::int64_t>(result.measured),
                                  watch_.readings(), name_of(result.ending)));
}

}  // namespace

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::kDone: return "done";
    case Ending::kBudget: return "budget";
    case Ending::kInterrupted: return "interrupted";
    case Ending::kLost: return "lost";
  }
  return "";
}

Result<SessionResult> run_session(std::vector<Job> jobs, Executor& executor, Watch& watch,
                                  const Conduct& conduct, const SessionOptions& options,
                                  AppendFile& file, Figures& figures,
                                  const std::function<void(const SessionProgress&)>& show) {
  Session session(executor, watch, conduct, options, file, figures, show);
  if (const Status failure = session.begin(); !failure.ok()) return failure.error();
  order_jobs(jobs, options.budget_s, kExpectedJob, options.seed);
  if (const Status failure = session.run(std::move(jobs)); !failure.ok()) return failure.error();
  if (const Status failure = session.end(); !failure.ok()) return failure.error();
  return std::move(session.result);
}

}  // namespace wattree
