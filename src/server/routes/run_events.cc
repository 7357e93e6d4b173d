#include "src/server/routes/run_events.h"

#include <utility>

namespace wattree {
namespace {

class RunEvents : public EventStream {
 public:
  RunEvents(std::shared_ptr<LiveRun> run, std::string_view last_event_id)
      : reader_(std::move(run), last_event_id) {}
  std::shared_ptr<const std::string> next() override { return reader_.next(); }
  bool is_over() const override { return reader_.is_over(); }
  void on_more(std::function<void()> wake) override { reader_.on_more(std::move(wake)); }

 private:
  RunReader reader_;
};

}  // namespace

std::shared_ptr<EventStream> run_events(std::shared_ptr<LiveRun> run,
                                        std::string_view last_event_id) {
  return std::make_shared<RunEvents>(std::move(run), last_event_id);
}

}  // namespace wattree
