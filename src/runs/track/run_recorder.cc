#include "src/runs/track/run_recorder.h"

#include <utility>

namespace wattree {

void RunRecorder::begin(const RunBegun& run, const std::filesystem::path& journal) {
  run_.emplace(run);
  if (!journal.empty()) {
    Result<std::unique_ptr<JournalWriter>> writer = JournalWriter::create(journal);
    if (writer.ok()) {
      journal_ = std::move(writer).value();
    } else {
      say("a crash would lose this run: " + writer.error().message);
    }
  }
  write(run);
}

void RunRecorder::write(const Record& record) {
  if (journal_) {
    if (const Status failure = journal_->append(to_line(record)); !failure.ok()) {
      say("the journal has to wait: " + failure.error().message + "; tracking goes on");
    }
  }
  run_->apply(record);
  if (observer_.on_record) observer_.on_record(record);
}

void RunRecorder::sync() {
  if (journal_) journal_->request_sync();
}

void RunRecorder::say(const std::string& text) const {
  if (observer_.on_message) observer_.on_message(text);
}

void RunRecorder::note_and_say(const std::string& text) {
  note(text);
  say(text);
}

void RunRecorder::tell(TrackEvent event) const {
  if (observer_.on_event) observer_.on_event(*run_, event);
}

}  // namespace wattree
