#include "src/measure/meter/window.h"

#include <algorithm>

namespace wattree {
namespace {

// How long a window waits for a meter that does not answer.
constexpr Nanos kPatience = 5 * kNanosPerSecond;
constexpr Nanos kSilence =
    3 * kNanosPerSecond;  // Whoever is not heard of for so long is not there.

Amount between(const Edge& a, const Edge& b, Nanos begun, Nanos ended) {
  Amount out;
  out.is_known = a.is_known && b.is_known;
  out.is_settled = a.is_settled && b.is_settled;
  out.value = b.integral - a.integral;
  // Inside one step of the counter the bounds are zero and the whole step.
  out.low = std::min(std::max(b.low - a.high, 0.0), out.value);
  out.high = std::max(b.high - a.low, out.value);
  out.covered_seconds = b.covered_seconds - a.covered_seconds;
  out.gap_seconds = std::max(0.0, seconds(ended - begun) - out.covered_seconds);
  // What is left after rounding is no gap.
  if (out.gap_seconds < 1e-6) out.gap_seconds = 0.0;
  return out;
}

}  // namespace

Amount amount_between(const History& history, Nanos begun, Nanos ended) {
  return between(history.at(begun), history.at(ended), begun, ended);
}

Windows::Windows(const std::vector<const Description*>& meters)
    : meters_(meters), is_dormant_(meters.size(), false) {
  for (const Description* meter : meters_) histories_.emplace_back(*meter);
}

void Windows::add(std::size_t meter, const Point& point) {
  histories_[meter].add(point);
  newest_ = std::max(newest_, point.time());
  // Now and then is enough, and it costs a look at every window.
  if (histories_[meter].size() % 256 == 0) forget();
}

void Windows::join(std::size_t meter, Nanos at) {
  is_dormant_[meter] = false;
  for (Pending& pending : pending_) {
    // Its first point is zero; before it there is nothing.
    if (pending.window.begun < at) pending.edges[meter] = {0.0, 0.0, 0.0, 0.0, true, true};
  }
}

int Windows::begin(std::string name, Nanos at) {
  Pending pending;
  pending.window.id = next_id_++;
  pending.window.name = std::move(name);
  pending.window.begun = at;
  pending.edges.resize(meters_.size());
  pending_.push_back(std::move(pending));
  return pending_.back().window.id;
}

bool Windows::end(int id, Nanos at) {
  for (Pending& pending : pending_) {
    if (pending.window.id != id || pending.is_over) continue;
    pending.window.ended = std::max(at, pending.window.begun);
    pending.is_over = true;
    return true;
  }
  return false;
}

void Windows::settle(Pending& pending) {
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    if (!pending.edges[i].is_settled) pending.edges[i] = histories_[i].at(pending.window.begun);
  }
}

std::vector<Window> Windows::take_finished(bool is_final) {
  std::vector<Window> out;
  for (Pending& pending : pending_) {
    settle(pending);
    if (!pending.is_over) continue;
    Window& window = pending.window;
    window.amounts.clear();
    bool is_settled = true;
    const bool is_overdue = newest_ - window.ended > kPatience;
    for (std::size_t i = 0; i < meters_.size(); ++i) {
      const Edge end = histories_[i].at(window.ended);
      window.amounts.push_back(between(pending.edges[i], end, window.begun, window.ended));
      // Use is read less often; a window does not wait for it.
      is_settled &= window.amounts.back().is_settled || !meters_[i]->is_energy() || is_dormant_[i];
    }
    if (is_settled || is_overdue || is_final) out.push_back(window);
  }
  std::erase_if(pending_, [&](const Pending& pending) {
    return std::any_of(out.begin(), out.end(),
                       [&](const Window& done) { return done.id == pending.window.id; });
  });
  std::stable_sort(out.begin(), out.end(),
                   [](const Window& a, const Window& b) { return a.ended < b.ended; });
  return out;
}

std::optional<Window> Windows::peek(int id, Nanos now) const {
  for (const Pending& pending : pending_) {
    if (pending.window.id != id) continue;
    Window window = pending.window;
    if (!pending.is_over) window.ended = std::max(now, window.begun);
    for (std::size_t i = 0; i < meters_.size(); ++i) {
      const Edge& known = pending.edges[i];
      window.amounts.push_back(between(known.is_settled ? known : histories_[i].at(window.begun),
                                       histories_[i].at(window.ended), window.begun, window.ended));
    }
    return window;
  }
  return std::nullopt;
}

Nanos Windows::known_until(Nanos now) const {
  Nanos known = now;
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    if (is_dormant_[i] || histories_[i].is_empty()) continue;
    const Nanos latest = histories_[i].latest().time();
    if (now - latest <= kSilence) known = std::min(known, latest);
  }
  return known;
}

Nanos Windows::settling_time(Nanos period) const {
  Nanos longest = 0;
  for (const Description* meter : meters_) {
    if (!meter->is_energy()) continue;
    const auto steps = static_cast<Nanos>(meter->period.value * 1e9);
    const Nanos readings = std::max(period, steps / 5);
    longest = std::max(
        longest, meter->kind == Kind::kCounter ? steps + steps / 2 + 2 * readings : 3 * readings);
  }
  return longest;
}

void Windows::forget() {
  for (Pending& pending : pending_) settle(pending);
  for (std::size_t i = 0; i < histories_.size(); ++i) {
    if (histories_[i].is_empty()) continue;
    Nanos needed = histories_[i].latest().time();
    for (const Pending& pending : pending_) {
      if (!pending.edges[i].is_settled) needed = std::min(needed, pending.window.begun);
      if (pending.is_over) needed = std::min(needed, pending.window.ended);
    }
    // A mark may come in a little late: it was made on another thread.
    histories_[i].forget_before(needed - kPatience);
  }
}

EnergySum sum_energy(const std::vector<const Description*>& meters,
                     const std::vector<Amount>& amounts, std::optional<Component> component) {
  EnergySum out;
  for (std::size_t i = 0; i < meters.size() && i < amounts.size(); ++i) {
    const Description& meter = *meters[i];
    if (!meter.is_counted || (component && meter.component != *component)) continue;
    if (!amounts[i].is_known) continue;
    out.energy = out.energy + Joules(amounts[i].value);
    out.low = out.low + Joules(amounts[i].low);
    out.high = out.high + Joules(amounts[i].high);
    out.gap_seconds = std::max(out.gap_seconds, amounts[i].gap_seconds);
    const Provenance part{meter.basis, meter.source, meter.boundary};
    out.provenance = out.meters == 0 ? part : of_sum(out.provenance, part);
    ++out.meters;
  }
  return out;
}

}  // namespace wattree
