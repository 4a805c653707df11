#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "model/architecture.h"

namespace epwise::model {

/// One value for each kind of layer, computed when first asked for: models have many layers and few
/// kinds of them.
///   LayerTable<double> flops;
///   flops.get(layer, [&](const Layer& kind) { return layer_flops(model, kind); })
template <typename T>
class LayerTable {
 public:
  template <typename Compute>
  const T& get(const Layer& layer, const Compute& compute) {
    auto& value = values_[static_cast<std::size_t>(layer.mixer) * 3 +
                          static_cast<std::size_t>(layer.feed_forward)];
    if (!value) {
      value = compute(layer);
    }
    return *value;
  }

 private:
  std::array<std::optional<T>, 18> values_;
};

}  // namespace epwise::model
