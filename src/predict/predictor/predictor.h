// A fitted predictor: coefficients that belong to one machine, and how far to trust them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/base/units.h"
#include "src/predict/predictor/work.h"

namespace wattree {

// What is known of the tree to predict, besides the work of every node.
enum class Known : std::uint8_t {
  kNothing,   // Nothing was measured: prediction proper.
  kLeaves,    // The leaves ran: do the parts add up?
  kChildren,  // A node's children ran, but not the node.
  kNode,      // The node itself ran: is the reading right?
  kRoot,      // The whole ran, and its energy is to be shared out.
};
inline constexpr std::size_t kKnownCount = 5;
std::string_view name_of(Known known);
std::optional<Known> parse_known(std::string_view name);

// Joules (or seconds) for each term of a kind.
struct Coefficients {
  Terms energy{};
  Terms time{};
  std::int64_t samples = 0;  // Distinct measurements behind them.
  // The least and the most of each term in those; both 0 where nobody recorded it.
  Terms least{};
  Terms most{};
  // Half of the 90 % interval of a single kernel of this kind, relative; 0: that of its level.
  double energy_spread = 0;
  double time_spread = 0;
};

// E = counter_factor * E_gpu + (base + cpu * cpu_percent) * t: from what the GPU's own counter says
// to what the meter says.
struct PowerLaw {
  double counter_factor = 1;
  double base_w = 0;
  double cpu_w_per_percent = 0;
  std::int64_t samples = 0;
};

// A device that would draw more than its limit slows its clock instead: the pass takes as much
// longer as (power / limit)^exponent, at the limit.
struct PowerCap {
  double limit_w = 0;
  double exponent = 0;
  std::int64_t samples = 0;
};

// Launching kernels one by one from a program, instead of replaying a graph of them: the device
// waits for the host wherever that is slower.
struct EagerHost {
  double per_kernel_s = 0;
  double per_call_s = 0;  // Besides, of a kernel that a library chooses: see is_library_call().
  double per_module_s = 0;
  double waiting_w = 0;  // What the device draws meanwhile.
  std::int64_t samples = 0;
  // What it took this program's own executor to launch a kernel, on the host that the others are
  // of; 0: nobody measured it. It tells how much quicker or slower another host is.
  double native_kernel_s = 0;
  // Half of the 90 % interval of the host's time: of some host, and of one whose speed is known.
  double spread = 0.5;
  double known_spread = 0.5;

  double seconds(double kernels, double calls, double modules) const {
    return kernels * per_kernel_s + calls * per_call_s + modules * per_module_s;
  }
};

// A kernel that was measured itself, class and sizes the same: looked up, not computed.
struct Twin {
  std::string type;
  Work work;
  Joules energy;
  Seconds time;
  std::int64_t samples = 0;
};

// Half the width of the 90 % interval, relative to the prediction, by level (ml, module, model).
struct Spread {
  std::array<double, 3> energy{};
  std::array<double, 3> time{};
  double twin_energy = 0;  // Of an ml node that was looked up.
  double twin_time = 0;
  // Of models also a share of what the half-widths of their kernels add up to, where that is more:
  // what is made of badly known kernels is itself known badly.
  double energy_of_kernels = 0;
  double time_of_kernels = 0;
};

// The energy of the anchor, the pass by which measuring sessions compare their cards. Only those of
// one protocol run the same one.
struct CardAnchor {
  Joules energy;  // 0: nobody measured it.
  std::string protocol;

  bool is_like(const CardAnchor& other) const {
    return energy > Joules() && other.energy > Joules() && protocol == other.protocol;
  }
};

struct Predictor {
  std::string name;      // "h200", or what the user calls the machine.
  std::string hardware;  // As shown to people.
  std::string meter;     // What measured the energy to predict.
  std::string boundary = "wall";
  std::vector<std::string> dtypes = {"fp32"};
  Chip chip;
  // Prices are those of the list of kernels, not of nodes: see KindList.
  bool is_by_kernel = false;
  bool is_assumed = false;  // Scaled from another device's: see datasheet.h. Never in a file.
  std::optional<PowerLaw> power_law;
  std::optional<PowerCap> power_cap;
  std::optional<EagerHost> eager;
  double idle_w = 0;  // 0: nobody measured it.
  CardAnchor anchor;  // On the middle one of the cards that it was fitted to.
  std::array<std::optional<Coefficients>, kWorkKinds> kinds;
  std::vector<Twin> twins;
  std::array<std::optional<Spread>, kKnownCount> spreads;
  std::optional<Spread> single_spread;  // Of fp32 where nothing is known; else as above.

  // Where it comes from.
  std::vector<std::string> models;
  std::int64_t trees = 0;
  std::int64_t measurements = 0;  // Distinct ones.
  struct Errors {                 // Leave-one-model-out, mean, in percent.
    double ml = 0;
    double module = 0;
    double model = 0;
  };
  std::array<std::optional<Errors>, kKnownCount> errors;

  // Of what nothing is known of, in this precision.
  Spread spread_of_unknown(bool is_single) const {
    if (is_single && single_spread) return *single_spread;
    return spreads[static_cast<std::size_t>(Known::kNothing)].value_or(Spread{});
  }
  const Coefficients* find(WorkKind kind) const {
    const auto& entry = kinds[static_cast<std::size_t>(kind)];
    return entry ? &*entry : nullptr;
  }
};

// Energy and time of one kernel.
struct Price {
  Joules energy;
  Seconds time;
  WorkKind kind = WorkKind::kElementwise;  // Whose coefficients these are,
  bool is_stand_in = false;                // and whether they are another kind's.
  // Whose interval it has: its kind's, or that of what it takes besides where that is wider.
  WorkKind known_as = WorkKind::kElementwise;
  bool is_far = false;   // The kernel is far larger or smaller than what they were fitted on.
  bool is_known = true;  // False: no kind stands in, and the price is zero.
  Seconds lifted_time;   // What the prices fell short of the least that the chip allows,
  Joules lifted_energy;  // and what idling for as long takes; both are in the above.
};
Price price_of(const Predictor& predictor, const Work& work);
// Whose coefficients price the work: its own kind's, or those of the first that stands in for it.
// Nothing where the predictor has none of them.
std::optional<WorkKind> priced_kind(const Predictor& predictor, const Work& work);
// Half of the 90 % interval of a single kernel, relative, at most 1.
struct KernelSpread {
  double energy = 0;
  double time = 0;
};
KernelSpread spread_of_kernel(const Predictor& predictor, const Price& price, bool is_single);
// Added to a half-width, times the share of the energy whose prices are of other kinds or sizes.
inline constexpr double kStandInSpread = 0.5;
// What a kernel takes besides where it comes after another one: zero in a predictor without.
Price price_to_follow(const Predictor& predictor);
// What a product takes besides where its weight is not in the cache: zero in a predictor without.
Price price_to_fetch(const Predictor& predictor);
// Among which kernels one runs.
struct Neighbours {
  bool is_behind_another = true;
  bool is_rested = false;  // It runs too seldom for the power limit to matter.
};
// All that a kernel takes: its price, what it takes to follow another and to fetch its weight, and
// the power limit where it lasts for long enough. Unchanged where the price is not known.
Price price_among(const Predictor& predictor, const Work& work, Neighbours neighbours = {});
// The factors for energy and time of a pass that would take this much: 1 below the power limit.
struct Capped {
  double energy = 1;
  double time = 1;
};
Capped cap_of(const Predictor& predictor, Joules energy, Seconds time);

// Looks twins up. Holds a pointer to the predictor.
class TwinIndex {
 public:
  explicit TwinIndex(const Predictor& predictor);
  const Twin* find(std::string_view type, const Work& work) const;

 private:
  const Predictor* predictor_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};
std::uint64_t hash_of(std::string_view type, const Work& work);

}  // namespace wattree
