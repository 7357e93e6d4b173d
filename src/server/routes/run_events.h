// A run's events for one reader, as the transport sends them.
#pragma once

#include <memory>
#include <string_view>

#include "src/api/runs/runs.h"
#include "src/server/http/event_stream.h"

namespace wattree {

// After the event of that id; from the beginning where it is empty.
std::shared_ptr<EventStream> run_events(std::shared_ptr<LiveRun> run,
                                        std::string_view last_event_id);

}  // namespace wattree
