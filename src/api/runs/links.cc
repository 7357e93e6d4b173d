#include "src/api/runs/links.h"

#include <algorithm>
#include <chrono>

#include "src/api/runs/linked_tracker.h"
#include "src/api/runs/run_request.h"
#include "src/base/in_quotes.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/base/thread.h"

namespace wattree {
namespace {

constexpr std::size_t kMostLinks = 32;
constexpr auto kAskedAgain = std::chrono::seconds(10);
constexpr char kNotAskedYet[] = "it has not been asked since the server started";

Result<Links*> links_of(const Services& services) {
  if (services.links != nullptr) return services.links;
  return Error{ErrorCode::kUnavailable, "trackers elsewhere cannot be linked here",
               "`wattree serve` can"};
}

void write_link(JsonWriter& out, const Link& link) {
  out.begin_object();
  out.field("id", link.id);
  out.field("address", link.address);
  out.field("form", name_of(link.form));
  out.field("run", link.run);
  if (!link.problem.empty()) out.field("problem", link.problem);
  out.end_object();
}

}  // namespace

std::string_view name_of(LinkForm form) {
  return form == LinkForm::kWattree ? "wattree" : "energyvis";
}

Result<LinkRequest> link_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  LinkRequest out{fields.text("address", true), fields.text("token")};
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Links::Links(LiveRuns& live, OpenLinkStore store)
    : live_(live),
      store_(std::move(store)),
      room_(std::make_shared<LinkRoom>()),
      is_loaded_(!store_) {}

Result<std::unique_ptr<Links>> Links::start(LiveRuns& live, OpenLinkStore store) {
  std::unique_ptr<Links> out(new Links(live, std::move(store)));
  Result<std::jthread> thread =
      start_thread("the follower of links", [links = out.get()] { links->follow_kept(); });
  if (!thread.ok()) return thread.error();
  out->thread_ = std::move(thread).value();
  return out;
}

Links::~Links() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Links::load() {
  std::vector<KeptLink> kept;
  if (const auto store = store_(StoreAccess::kRead); store.ok()) {
    if (auto found = store.value()->links(); found.ok()) kept = std::move(found).value();
  }
  const std::lock_guard lock(mutex_);
  for (KeptLink& link : kept) {
    waiting_[link.id] = {{std::move(link.address), std::move(link.token)}, kNotAskedYet};
  }
}

void Links::follow_kept() {
  attempt([this] { load(); });
  std::unique_lock lock(mutex_);
  is_loaded_ = true;  // Or never will be: nobody waits for ever.
  changed_.notify_all();
  while (!is_ending_ && !waiting_.empty()) {
    lock.unlock();
    attempt([this] { try_waiting(); });
    lock.lock();
    changed_.wait_for(lock, kAskedAgain, [this] { return is_ending_; });
  }
}

// Each once, without the lock: it may take seconds.
void Links::try_waiting() {
  std::map<std::int64_t, Waiting> asked;
  {
    const std::lock_guard lock(mutex_);
    asked = waiting_;
  }
  for (const auto& [id, waiting] : asked) {
    Result<std::shared_ptr<LinkedTracker>> tracker =
        LinkedTracker::reach(waiting.request, live_, room_);
    Status failure = tracker.ok() ? Status() : Status(tracker.error());
    const std::lock_guard lock(mutex_);
    if (is_ending_) return;
    const auto found = waiting_.find(id);
    if (found == waiting_.end()) continue;  // It was removed meanwhile.
    if (failure.ok()) failure = tracker.value()->join(std::to_string(id));
    if (failure.ok()) {
      links_[id] = std::move(tracker).value();
      waiting_.erase(found);
    } else {
      found->second.problem = failure.error().message;
    }
  }
}

Status Links::check_count() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_loaded_ || is_ending_; });
  if (links_.size() + waiting_.size() < kMostLinks) return {};
  return Error{ErrorCode::kUnavailable,
               "there are " + std::to_string(kMostLinks) + " links already",
               "delete one that is no longer needed"};
}

Result<std::int64_t> Links::keep(const LinkRequest& request) {
  const Result<LinkAddress> address = parse_link_address(request.address);
  if (!address.ok()) return address.error();
  if (!store_) {
    const std::lock_guard lock(mutex_);
    return next_++;
  }
  const Result<std::shared_ptr<ProfileStore>> store = store_(StoreAccess::kWrite);
  if (!store.ok()) return store.error();
  return store.value()->add_link({0, address.value().origin + address.value().run, request.token});
}

Status Links::forget(std::int64_t id) {
  if (!store_) return {};
  const Result<std::shared_ptr<ProfileStore>> store = store_(StoreAccess::kWrite);
  if (!store.ok()) return store.error();
  return store.value()->remove_link(id);
}

Result<Link> Links::add(const LinkRequest& request) {
  if (Status failure = check_count(); !failure.ok()) return failure.error();
  // Without the lock: it may take seconds. What is no tracker is not kept, or it would be asked
  // again after every start.
  Result<std::shared_ptr<LinkedTracker>> tracker = LinkedTracker::reach(request, live_, room_);
  if (!tracker.ok()) return tracker.error();
  if (Status failure = check_count(); !failure.ok()) return failure.error();
  const Result<std::int64_t> id = keep(request);
  if (!id.ok()) return id.error();
  if (Status failure = tracker.value()->join(std::to_string(id.value())); !failure.ok()) {
    (void)forget(id.value());
    return failure.error();
  }
  Link out = tracker.value()->link();
  const std::lock_guard lock(mutex_);
  links_[id.value()] = std::move(tracker).value();
  return out;
}

std::vector<Link> Links::list() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_loaded_ || is_ending_; });
  std::map<std::int64_t, Link> out;
  for (const auto& [id, tracker] : links_) out[id] = tracker->link();
  for (const auto& [id, waiting] : waiting_) {
    out[id] = {std::to_string(id), waiting.request.address, LinkForm::kWattree, "",
               waiting.problem};
  }
  std::vector<Link> links;
  for (auto& [id, link] : out) links.push_back(std::move(link));
  return links;
}

Status Links::remove(const std::string& id) {
  std::shared_ptr<LinkedTracker> ending;  // Declared first: it ends after the lock, which it may
                                          // take seconds to do.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_loaded_ || is_ending_; });
  const auto is_named = [&](const auto& entry) { return std::to_string(entry.first) == id; };
  const auto found = std::find_if(links_.begin(), links_.end(), is_named);
  const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), is_named);
  if (found == links_.end() && waiting == waiting_.end()) {
    return Error{ErrorCode::kNotFound, "there is no link " + in_quotes(id),
                 "GET /api/v1/links lists those that there are", "id"};
  }
  const std::int64_t key = found != links_.end() ? found->first : waiting->first;
  if (found != links_.end()) {
    ending = std::move(found->second);
    links_.erase(found);
  } else {
    waiting_.erase(waiting);
  }
  lock.unlock();
  return forget(key);
}

Result<LinksAnswer> links(const Services& services) {
  const Result<Links*> all = links_of(services);
  if (!all.ok()) return all.error();
  LinksAnswer out{all.value()->list()};
  for (Link& link : out.links) {
    if (services.shows_private) break;
    link.address = "hidden";
    if (!link.problem.empty()) link.problem = "nobody answers";
  }
  return out;
}

Result<Link> add_link(const LinkRequest& request, const Services& services) {
  const Result<Links*> all = links_of(services);
  if (!all.ok()) return all.error();
  return all.value()->add(request);
}

Result<LinksAnswer> remove_link(const std::string& id, const Services& services) {
  const Result<Links*> all = links_of(services);
  if (!all.ok()) return all.error();
  if (const Status failure = all.value()->remove(id); !failure.ok()) return failure.error();
  return LinksAnswer{all.value()->list()};
}

std::string to_json(const Link& link) {
  JsonWriter out;
  write_link(out, link);
  return out.take() + "\n";
}

std::string to_json(const LinksAnswer& answer) {
  JsonWriter out;
  out.begin_object();
  out.key("links");
  out.begin_array();
  for (const Link& link : answer.links) write_link(out, link);
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
