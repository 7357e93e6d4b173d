#include "src/measure/protocol/session.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "src/base/random.h"
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

Subject subject_of(const Job& job) {
  const Subject subject = facts_of(*job.tree, job.node).subject;
  return subject == Subject::kModel && job.pass.past > 0 ? Subject::kDecode : subject;
}

bool is_whole(const Job& job) {
  const Subject subject = subject_of(job);
  return subject == Subject::kModel || subject == Subject::kDecode;
}

template <class T>
void shuffle(typename std::vector<T>::iterator first, typename std::vector<T>::iterator last,
             Random& random) {
  for (auto n = last - first; n > 1; --n) {
    const auto other = static_cast<std::ptrdiff_t>(random.next() % static_cast<std::uint64_t>(n));
    std::swap(first[n - 1], first[other]);
  }
}

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
  Status attempt(const Job& job);
  Status record(const Job& job, const Prepared& prepared, bool is_paused);
  Result<Prepared> load(const ModelTree& tree, std::int32_t node, const LaunchOptions& launch,
                        const WindowSettings& settings, const Pauses& pauses);
  Status pause(const Job& job, const Prepared& alone);
  bool is_lost();

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
  std::unique_ptr<Launch> anchor_launch_;
  double anchor_at_s_ = 0;
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
  if (others > 0 && !options_.allow_load) {
    return Error{ErrorCode::kUnavailable,
                 std::to_string(others) +
                     (others == 1 ? " other process is" : " other processes are") +
                     " on the GPU: what it takes would be counted too",
                 "wait for it to end, or go on with <allow_load>; every window is marked then"};
  }
  const auto waited = wait_for_standby(watch_, conduct_, options_.standby_w);
  Result<Idle> idle = measure_idle(watch_, conduct_);
  if (!idle.ok()) return idle.error();
  result.idle = idle.value();
  const Resources& r = result.idle.resources;
  if (r.gpu_percent.value_or(0.0) > options_.most_other_gpu_percent && !options_.allow_load) {
    return Error{ErrorCode::kUnavailable,
                 "the GPU is at work for " + std::to_string(std::lround(*r.gpu_percent)) +
                     " % of the time before anything was begun",
                 "wait for that to end, or go on with <allow_load>"};
  }
  std::optional<double> other_cpu;
  if (r.cpu_percent && r.own_cpu_percent) {
    other_cpu = std::max(0.0, *r.cpu_percent - *r.own_cpu_percent);
    if (*other_cpu > options_.most_other_cpu_percent && !options_.allow_load) {
      return Error{ErrorCode::kUnavailable,
                   "other processes use " + std::to_string(std::lround(*other_cpu)) +
                       " % of the processors: times and energies would be theirs too",
                   "wait for them to end, or go on with <allow_load>; windows are marked then"};
    }
  }
  result.machine = describe_machine(executor_.device(), watch_, options_.roots);
  HeaderRecord header{name_,          at_s,          result.machine, result.idle, waited,
                      options_.whole, options_.node, others,         other_cpu};
  if (const Status failure = file_.append(to_line(header)); !failure.ok()) return failure;
  if (options_.model) {
    if (const Status failure = file_.append(to_line(name_, *options_.model)); !failure.ok())
      return failure;
  }
  return anchor(true);
}

// The first anchor has to find the card as warm as later ones will: a cold one takes 2 % less.
Status Session::warm_up(const WindowSettings& settings) {
  double before = 0;
  for (int i = 0; i < kWarmUps; ++i) {
    const Result<Measurement> measured = measure(*anchor_launch_, watch_, settings, conduct_);
    if (!measured.ok()) return measured.error();
    const double figure = measured.value().run_j().value_or(measured.value().run_s());
    if (before > 0 && std::abs(figure / before - 1) <= kWarm) break;
    before = figure;
  }
  return {};
}

// The block since the last one is good if the machine is still the same.
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
    if (const Status failure = warm_up(settings); !failure.ok()) return failure;
  }
  double deviation = 0;
  for (int i = 0; i < kAnchorTries; ++i) {
    const Result<Measurement> measured = measure(*anchor_launch_, watch_, settings, conduct_);
    if (!measured.ok()) return measured.error();
    const Measurement& m = measured.value();
    const double figure = m.run_j().value_or(m.run_s());
    if (!result.anchor_time_s) {
      result.anchor_energy_j = m.run_j();
      result.anchor_time_s = m.run_s();
    }
    deviation = figure / result.anchor_energy_j.value_or(*result.anchor_time_s) - 1;
    if (const Status failure = file_.append(to_line(AnchorRecord{name_, block_, m, deviation}));
        !failure.ok()) {
      return failure;
    }
    if (std::abs(deviation) <= options_.anchor.tolerance) break;
  }
  if (!is_first) {
    const bool is_good = std::abs(deviation) <= options_.anchor.tolerance;
    if (const Status failure = file_.append(verdict_line(name_, block_, is_good, deviation));
        !failure.ok()) {
      return failure;
    }
    if (is_good) {
      block_jobs_.clear();
    } else {
      ++result.discarded_blocks;
      for (const Job& job : block_jobs_) {
        figures_.erase(job.key());
        figures_.erase(window_key(job.node.key, job.cache, true));
      }
    }
  }
  ++block_;
  anchor_at_s_ = passed_s();
  return {};
}

Result<Session::Prepared> Session::load(const ModelTree& tree, std::int32_t node,
                                        const LaunchOptions& launch, const WindowSettings& settings,
                                        const Pauses& pauses) {
  Result<std::unique_ptr<Launch>> prepared = executor_.prepare(tree, node, launch);
  if (!prepared.ok()) return prepared.error();
  Prepared out{std::move(prepared).value(), {}};
  Result<Measurement> measured = measure(*out.launch, watch_, settings, conduct_, pauses);
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
    record.software_j = software->energy_j;
    record.software_covers = software->covers;
  }
  NodeFigures& figures = record.figures;
  figures.key = job.node.key;
  figures.cache = job.cache;
  figures.is_paused = is_paused;
  figures.execution = prepared.launch->execution();
  figures.energy_j = m.run_j();
  figures.time_s = m.run_s();
  if (result.idle.power_w) figures.idle_j = *result.idle.power_w * m.run_s();
  if (result.machine.boundary == "gpu") figures.gpu_energy_j = figures.energy_j;
  figures.relative_error = m.window.relative_error;
  figures.drift = m.window.drift;
  figures.is_capped = m.is_capped;
  figures.is_settled = m.is_settled;
  figures.resources = m.resources;
  figures.doubts = doubts_about(m, record.other_processes);
  record.key = window_key(figures.key, figures.cache, is_paused);
  if (const Status failure = file_.append(to_line(record)); !failure.ok()) return failure;
  figures_[record.key] = figures;
  ++result.measured;
  return {};
}

// A heavy node once more with rest in between, so that its clock is the one it has within a model.
Status Session::pause(const Job& job, const Prepared& alone) {
  const double run_s = alone.measurement.run_s();
  const LaunchOptions launch{job.cache, std::max(1, static_cast<int>(kPausedLaunch / run_s)),
                             options_.allow_graph};
  const Result<Prepared> paused =
      load(*job.tree, job.node.node, launch, within_budget(options_.node),
           {kPauseShare, result.idle.power_w.value_or(0.0)});
  if (!paused.ok()) return paused.error();
  return record(job, paused.value(), true);
}

Status Session::attempt(const Job& job) {
  const WindowSettings settings = within_budget(is_whole(job) ? options_.whole : options_.node);
  const Result<Prepared> alone =
      load(*job.tree, job.node.node, {job.cache, 0, options_.allow_graph}, settings, {});
  if (!alone.ok()) return alone.error();
  if (const Status failure = record(job, alone.value(), false); !failure.ok()) return failure;
  const bool is_heavy = alone.value().measurement.is_capped && !is_whole(job) &&
                        options_.with_pauses && result.idle.power_w && settings.rounds == 1 &&
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

Status Session::run(std::vector<Job> jobs) {
  jobs.erase(std::remove_if(jobs.begin(), jobs.end(),
                            [&](const Job& job) { return figures_.count(job.key()) > 0; }),
             jobs.end());
  total_ = jobs.size();
  jobs_begun_s_ = passed_s();
  std::set<std::string> repeated;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job job = jobs[i];
    if (!block_jobs_.empty() && options_.anchor.tree != nullptr &&
        passed_s() - anchor_at_s_ > options_.anchor.every_s) {
      if (const Status failure = anchor(false); !failure.ok()) {
        result.ending = is_interruption(failure.error()) ? Ending::kInterrupted : Ending::kLost;
        result.lost = failure.error();
        return {};
      }
      // Thrown out: once more, at the end. Twice off is no accident, and stays out.
      for (const Job& bad : block_jobs_) {
        if (repeated.insert(bad.key()).second) {
          jobs.push_back(bad);
        } else {
          skip(bad, kThrownOut);
        }
      }
      block_jobs_.clear();
      total_ = jobs.size();
    }
    const double each =
        done_ > 0 ? (passed_s() - jobs_begun_s_) / static_cast<double>(done_) : kExpectedJob;
    if (has_budget() && left_s() < each && done_ > 0) {
      result.ending = Ending::kBudget;
      for (std::size_t rest = i; rest < jobs.size(); ++rest) {
        skip(jobs[rest], "the time was up");
      }
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
    if (is_interruption(failure.error())) {
      result.ending = Ending::kInterrupted;
      return {};
    }
    skip(job, failure.error().message);
    if (const Status unwritten = file_.append(failure_line(name_, job.key(), failure.error()));
        !unwritten.ok()) {
      return unwritten;
    }
    if (is_lost()) {
      result.ending = Ending::kLost;
      result.lost = failure.error();
      return {};
    }
  }
  tell("");
  return {};
}

Status Session::end() {
  if (result.ending == Ending::kDone && !block_jobs_.empty() && options_.anchor.tree != nullptr) {
    // A verdict on the last block; what it throws out is not measured again.
    const Status failure = anchor(false);
    if (!failure.ok() && is_interruption(failure.error())) result.ending = Ending::kInterrupted;
    if (failure.ok()) {
      for (const Job& bad : block_jobs_) skip(bad, kThrownOut);
    }
  }
  anchor_launch_.reset();
  result.duration_s = passed_s();
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

void order_jobs(std::vector<Job>& jobs, double budget_s, double seconds_each, std::uint64_t seed) {
  Random random(seed);
  // By key first, so that the order does not depend on where they were found.
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.key() < b.key(); });
  const auto parts = std::stable_partition(jobs.begin(), jobs.end(), is_whole);
  shuffle<Job>(jobs.begin(), parts, random);
  shuffle<Job>(parts, jobs.end(), random);
  if (budget_s <= 0) return;
  const double affordable = std::max(0.0, budget_s / seconds_each) -
                            static_cast<double>(std::distance(jobs.begin(), parts));
  if (affordable >= static_cast<double>(std::distance(parts, jobs.end()))) return;
  std::stable_sort(parts, jobs.end(),
                   [](const Job& a, const Job& b) { return a.weight > b.weight; });
  shuffle<Job>(parts, parts + static_cast<std::ptrdiff_t>(std::max(0.0, affordable)), random);
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
