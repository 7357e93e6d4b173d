#include "src/predict/predictor/predictor.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/predict/predictor/least_time.h"

namespace wattree {
namespace {

constexpr std::string_view kKnownNames[kKnownCount] = {"nothing", "leaves", "children", "node",
                                                       "root"};

double dot(const Terms& a, const Terms& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kMaxTerms; ++i) sum += a[i] * b[i];
  return sum;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value;
  hash *= 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29);
}

}  // namespace

std::string_view name_of(Known known) { return kKnownNames[static_cast<std::size_t>(known)]; }

std::optional<Known> parse_known(std::string_view name) {
  for (std::size_t i = 0; i < kKnownCount; ++i) {
    if (kKnownNames[i] == name) return static_cast<Known>(i);
  }
  return std::nullopt;
}

namespace {

// A law holds somewhat beyond its measurements; by more than this factor nobody knows.
constexpr double kReach = 4;

bool is_far(const Coefficients& c, const Terms& terms) {
  for (std::size_t i = 0; i < kMaxTerms; ++i) {
    if (c.most[i] <= 0) continue;
    if (terms[i] > kReach * c.most[i] || terms[i] * kReach < c.least[i]) return true;
  }
  return false;
}

WorkKind own_kind(const Predictor& predictor, const Work& work) {
  return predictor.is_by_kernel ? kernel_kind(work, predictor.chip) : work.kind;
}

}  // namespace

std::optional<WorkKind> priced_kind(const Predictor& predictor, const Work& work) {
  const WorkKind own = own_kind(predictor, work);
  if (predictor.find(own) != nullptr) return own;
  for (const WorkKind other : facts_of(own).stand_ins) {
    if (predictor.find(other) != nullptr) return other;
  }
  return std::nullopt;
}

namespace {

// For a short while a kernel may draw more than the limit, which holds over milliseconds; no kernel
// was seen to draw twice as much (ADR 22).
constexpr double kBurst = 2;
constexpr Seconds kShortWhile(5e-3);

// No prices, however fitted or scaled, make a kernel faster than the chip is, nor let it draw more
// than its regulators give.
void lift(const Predictor& predictor, const Work& work, Price& price) {
  const double peaks_s = least_time(work, predictor.chip.peak);
  price.lifted_time = std::max(Seconds(), Seconds(peaks_s) - price.time);
  price.lifted_energy = Watts(predictor.idle_w) * price.lifted_time;
  price.energy += price.lifted_energy;
  if (predictor.power_cap && predictor.power_cap->limit_w > 0) {
    const Seconds at_the_limit = price.energy / Watts(kBurst * predictor.power_cap->limit_w);
    price.lifted_time = std::max(price.lifted_time, at_the_limit - price.time);
  }
  price.time += price.lifted_time;
}

}  // namespace

Price price_of(const Predictor& predictor, const Work& work) {
  Price price;
  const std::optional<WorkKind> kind = priced_kind(predictor, work);
  if (!kind) {
    // A module without a price of its own costs only what its parts do.
    price.is_known = work.kind == WorkKind::kModuleCall;
    return price;
  }
  const Coefficients& c = *predictor.find(*kind);
  const Terms terms = count_terms(seen_as(work, *kind), predictor.chip);
  price.energy = Joules(dot(terms, c.energy));
  price.time = Seconds(dot(terms, c.time));
  price.kind = price.known_as = *kind;
  // Recurrent layers have no kind of their own among kernels, and products in TF32 have that of 16
  // bits.
  price.is_stand_in =
      *kind != own_kind(predictor, work) ||
      (predictor.is_by_kernel && work.kind == WorkKind::kConvolution && work.channels <= 0) ||
      (work.is_tf32 && facts_of(*kind).arithmetic == Arithmetic::kHalf);
  price.is_far = is_far(c, terms);
  for (const WorkKind extra : kExtras) {
    const Coefficients* besides = predictor.find(extra);
    if (besides == nullptr || !takes_besides(work, extra)) continue;
    const Terms more = count_terms(seen_as(work, extra), predictor.chip);
    price.energy += Joules(dot(more, besides->energy));
    price.time += Seconds(dot(more, besides->time));
    if (besides->energy_spread > predictor.find(price.known_as)->energy_spread) {
      price.known_as = extra;
    }
  }
  // Element-wise kernels are priced by traffic alone; what stands in for a module also launches.
  if (price.is_stand_in && price.kind == WorkKind::kElementwise && terms_of(work.kind).size() > 1) {
    if (const Coefficients* call = predictor.find(WorkKind::kModuleCall)) {
      price.energy += Joules(call->energy[0]);
      price.time += Seconds(call->time[0]);
    }
  }
  lift(predictor, work, price);
  return price;
}

KernelSpread spread_of_kernel(const Predictor& predictor, const Price& price, bool is_single) {
  const Spread spread = predictor.spread_of_unknown(is_single);
  KernelSpread out{spread.energy[0], spread.time[0]};
  if (const Coefficients* c = predictor.find(price.known_as); c && c->energy_spread > 0) {
    out = {c->energy_spread, c->time_spread};
  }
  return {std::min(1.0, out.energy), std::min(1.0, out.time)};
}

namespace {

// Of a kind whose one term is the kernel.
Price price_per_kernel(const Predictor& predictor, WorkKind kind) {
  Price price;
  price.kind = kind;
  if (const Coefficients* c = predictor.find(kind)) {
    price.energy = Joules(c->energy[0]);
    price.time = Seconds(c->time[0]);
  }
  return price;
}

}  // namespace

Price price_to_follow(const Predictor& predictor) {
  return price_per_kernel(predictor, WorkKind::kFollow);
}

Price price_to_fetch(const Predictor& predictor) {
  return price_per_kernel(predictor, WorkKind::kFetch);
}

Capped cap_of(const Predictor& predictor, Joules energy, Seconds time) {
  if (!predictor.power_cap || time <= Seconds()) return {};
  const PowerCap& cap = *predictor.power_cap;
  const double power_w = (energy / time).value;
  if (cap.limit_w <= 0 || power_w <= cap.limit_w) return {};
  const double longer = std::pow(power_w / cap.limit_w, cap.exponent);
  return {cap.limit_w * longer / power_w, longer};
}

Price price_among(const Predictor& predictor, const Work& work, Neighbours neighbours) {
  Price price = price_of(predictor, work);
  if (!price.is_known) return price;
  const auto add = [&price](const Price& besides) {
    price.energy += besides.energy;
    price.time += besides.time;
  };
  if (neighbours.is_behind_another) add(price_to_follow(predictor));
  if (work.fetches_weight) add(price_to_fetch(predictor));
  if (neighbours.is_rested || price.time <= kShortWhile) return price;
  const Capped factor = cap_of(predictor, price.energy, price.time);
  price.energy *= factor.energy;
  price.time *= factor.time;
  return price;
}

std::uint64_t hash_of(std::string_view type, const Work& work) {
  std::uint64_t hash = static_cast<std::uint64_t>(work.kind);
  for (const char c : type) hash = mixed(hash, static_cast<unsigned char>(c));
  for (const double value :
       {work.groups, work.m, work.n, work.k, work.width, work.weight_width, work.bytes}) {
    hash = mixed(hash, std::bit_cast<std::uint64_t>(value));
  }
  return hash;
}

TwinIndex::TwinIndex(const Predictor& predictor) : predictor_(&predictor) {
  by_hash_.reserve(predictor.twins.size());
  for (std::size_t i = 0; i < predictor.twins.size(); ++i) {
    const Twin& twin = predictor.twins[i];
    by_hash_.emplace(hash_of(twin.type, twin.work), static_cast<std::uint32_t>(i));
  }
}

const Twin* TwinIndex::find(std::string_view type, const Work& work) const {
  const auto [begin, end] = by_hash_.equal_range(hash_of(type, work));
  for (auto it = begin; it != end; ++it) {
    const Twin& twin = predictor_->twins[it->second];
    if (is_same(twin.work, work) && twin.type == type) return &twin;
  }
  return nullptr;
}

}  // namespace wattree
