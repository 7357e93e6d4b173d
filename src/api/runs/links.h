// Trackers on other machines, linked by the address that a user typed: this program asks them, so
// that no web page needs to.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/runs/live/live_runs.h"
#include "src/runs/store/profile_store.h"

namespace wattree {

enum class LinkForm { kWattree, kEnergyVis };  // Whose routes the tracker has.
std::string_view name_of(LinkForm form);

struct LinkRequest {
  std::string address;  // As the tracker prints it.
  std::string token;    // For a server that wants one. Never shown again.
};
Result<LinkRequest> link_request(const nlohmann::json& json);  // {"address", "token"?}

struct Link {
  std::string id;
  std::string address;
  LinkForm form = LinkForm::kWattree;
  std::string run;      // Id of the run among the others; empty while nobody answers.
  std::string problem;  // Why it is not followed: of a link that was kept. It is tried again.
};

class LinkedTracker;
struct LinkRoom;

// The store that links are kept in.
using OpenLinkStore = std::function<Result<std::shared_ptr<ProfileStore>>(StoreAccess)>;

// All functions may be called from many threads.
class Links {
 public:
  // `live` must live longer. Without a store, links end with the program.
  explicit Links(LiveRuns& live) : Links(live, {}) {}
  // Follows the links that the store has again, on a thread of their own that asks until somebody
  // answers. An error where that thread cannot start.
  static Result<std::unique_ptr<Links>> start(LiveRuns& live, OpenLinkStore store);
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  ~Links();

  // Asks the tracker once: an error where nobody answers there, or somebody who is no tracker.
  Result<Link> add(const LinkRequest& request);
  std::vector<Link> list() const;
  Status remove(const std::string& id);

 private:
  Links(LiveRuns& live, OpenLinkStore store);
  struct Waiting {
    LinkRequest request;
    std::string problem;
  };
  Status check_count();
  Result<std::int64_t> keep(const LinkRequest& request);
  Status forget(std::int64_t id);
  void load();
  void follow_kept();
  void try_waiting();

  LiveRuns& live_;
  const OpenLinkStore store_;
  const std::shared_ptr<LinkRoom> room_;
  mutable std::mutex mutex_;  // Guards what follows.
  mutable std::condition_variable changed_;
  bool is_loaded_ = false, is_ending_ = false;
  std::int64_t next_ = 1;  // Without a store.
  std::map<std::int64_t, std::shared_ptr<LinkedTracker>> links_;
  std::map<std::int64_t, Waiting> waiting_;
  std::jthread thread_;
};

// The use cases.
struct LinksAnswer {
  std::vector<Link> links;
};
Result<LinksAnswer> links(const Services& services);
Result<Link> add_link(const LinkRequest& request, const Services& services);
Result<LinksAnswer> remove_link(const std::string& id, const Services& services);

// docs/schemas/link.schema.json and links.schema.json
std::string to_json(const Link& link);
std::string to_json(const LinksAnswer& answer);

}  // namespace wattree
