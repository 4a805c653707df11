#include "sim/work/work.h"

#include <array>

namespace epwise::sim {

void Work::add(const Work& other, double weight) {
  constexpr std::array<double Work::*, 13> kParts = {&Work::dense,
                                                     &Work::grouped,
                                                     &Work::attention,
                                                     &Work::scores,
                                                     &Work::memory,
                                                     &Work::router,
                                                     &Work::cross_entropy,
                                                     &Work::scan,
                                                     &Work::collective,
                                                     &Work::kernels,
                                                     &Work::operations,
                                                     &Work::expert_products,
                                                     &Work::quantisations};
  for (const auto part : kParts) {
    this->*part += weight * (other.*part);
  }
}

void Piece::add(const Piece& other, double weight) {
  forward.add(other.forward, weight);
  data.add(other.data, weight);
  weights.add(other.weights, weight);
}

}  // namespace epwise::sim
