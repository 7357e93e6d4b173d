// The interval of something that is made of kernels (ADR 23).
//
// Every distinct kernel has an error of its own: one that runs twelve times is wrong twelve times
// by the same, and different ones average out. All kernels of a card share another error, which
// does not. So the interval goes from that of a single kernel to that of a whole pass, by how much
// of the energy is one kernel's, and nodes that are made of the same have the same interval.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace wattree {

// How much of a sum is one part's: the sum of the squares of the shares. 1: it is one part; a
// quarter: as if it were four that are equal.
using Concentration = double;

// Half of the interval, relative. `whole` is that of whole passes, `kernels` what those of the
// kernels add up to.
inline double half_of_mixture(double whole, double kernels, Concentration concentration) {
  constexpr Concentration kOfPasses = 0.3;  // Few passes have more.
  const double mixed = std::clamp((1 - concentration) / (1 - kOfPasses), 0.0, 1.0);
  return std::sqrt(mixed * whole * whole + (1 - mixed) * kernels * kernels);
}

// Energies, or times, of the distinct kernels that something is made of, and of their half-widths.
class Mixture {
 public:
  void add(std::size_t kernel, double amount, double relative_half) {
    // A tree with more distinct kernels has some that count as one: wider, if anything.
    constexpr std::size_t kMost = 256;
    kernel %= kMost;
    if (kernel >= parts_.size()) parts_.resize(kernel + 1);
    parts_[kernel] += amount;
    halves_ += amount * relative_half;
  }
  void add(const Mixture& other) {
    if (other.parts_.size() > parts_.size()) parts_.resize(other.parts_.size());
    for (std::size_t i = 0; i < other.parts_.size(); ++i) parts_[i] += other.parts_[i];
    halves_ += other.halves_;
  }
  void clear() {
    parts_.clear();
    halves_ = 0;
  }

  struct Summary {
    double halves = 0;  // What the half-widths of the kernels add up to, relative to their sum.
    Concentration concentration = 1;
    double sum = 0;
  };
  // Of what takes nothing: as of one kernel that is known exactly.
  Summary summary() const {
    double sum = 0;
    double squares = 0;
    for (const double part : parts_) {
      sum += part;
      squares += part * part;
    }
    if (sum <= 0) return {};
    return {halves_ / sum, squares / (sum * sum), sum};
  }

 private:
  std::vector<double> parts_;
  double halves_ = 0;
};

}  // namespace wattree
