#include "src/api/runs/links.h"

#include <algorithm>

#include "src/api/runs/linked_tracker.h"
#include "src/api/runs/run_request.h"
#include "src/base/in_quotes.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::size_t kMostLinks = 32;

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

Links::Links(LiveRuns& live) : live_(live) {}
Links::~Links() = default;

Result<Link> Links::add(const LinkRequest& request) {
  std::string id;
  {
    const std::lock_guard lock(mutex_);
    if (links_.size() >= kMostLinks) {
      return Error{ErrorCode::kUnavailable,
                   "there are " + std::to_string(kMostLinks) + " links already",
                   "delete one that is no longer needed"};
    }
    id = std::to_string(next_++);
  }
  // Without the lock: it may take seconds.
  Result<std::shared_ptr<LinkedTracker>> tracker = LinkedTracker::start(request, id, live_);
  if (!tracker.ok()) return tracker.error();
  Link out = tracker.value()->link();
  const std::lock_guard lock(mutex_);
  links_[id] = std::move(tracker).value();
  return out;
}

std::vector<Link> Links::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Link> out;
  for (const auto& [id, tracker] : links_) out.push_back(tracker->link());
  return out;
}

Status Links::remove(const std::string& id) {
  std::shared_ptr<LinkedTracker> ending;  // Declared first: it ends after the lock, which it may
                                          // take seconds to do.
  const std::lock_guard lock(mutex_);
  const auto found = links_.find(id);
  if (found == links_.end()) {
    return Error{ErrorCode::kNotFound, "there is no link " + in_quotes(id),
                 "GET /api/v1/links lists those that there are", "id"};
  }
  ending = std::move(found->second);
  links_.erase(found);
  return {};
}

Result<LinksAnswer> links(const Services& services) {
  const Result<Links*> all = links_of(services);
  if (!all.ok()) return all.error();
  return LinksAnswer{all.value()->list()};
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
