#include "src/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "src/base/text.h"
#include "src/report/table/quantity.h"

namespace wattree {

ProgressBar::ProgressBar(Surroundings& world, std::string what)
    : world_(world), what_(std::move(what)), next_(Clock::now() + std::chrono::seconds(1)) {}

ProgressBar::~ProgressBar() {
  if (is_shown_) world_.err << "\r\033[K" << std::flush;
}

void ProgressBar::show(double done, const std::string& more) {
  if (!world_.is_err_terminal || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  is_shown_ = true;
  constexpr int kCells = 30;
  const std::string filled = bar(done, kCells);
  const std::string blanks(kCells - std::min<std::size_t>(kCells, display_width(filled)), ' ');
  world_.err << fmt::format("\r{} {}{} {:3.0f} %", what_, filled, blanks, 100 * done);
  // What was there before may have been longer.
  if (!more.empty()) world_.err << "  " << more << "\033[K";
  world_.err << std::flush;
}

}  // namespace wattree
