// Trackers on other machines, linked by the address that a user typed: this program asks them, so
// that no web page needs to.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/runs/live/live_runs.h"

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
  std::string run;  // Id of the run among the others.
};

class LinkedTracker;

// All functions may be called from many threads.
class Links {
 public:
  // Must live longer.
  explicit Links(LiveRuns& live);
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  ~Links();

  // Asks the tracker once: an error where nobody answers there, or somebody who is no tracker.
  Result<Link> add(const LinkRequest& request);
  std::vector<Link> list() const;
  Status remove(const std::string& id);

 private:
  LiveRuns& live_;
  mutable std::mutex mutex_;
  int next_ = 1;
  std::map<std::string, std::shared_ptr<LinkedTracker>> links_;
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
