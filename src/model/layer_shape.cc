#include "model/layer_shape.h"

#include <algorithm>

#include "model/expert_load.h"

namespace epwise::model {

namespace {

using Products = std::vector<MatrixProduct>;

Products mlp(double rows, double hidden, double width, double matrices) {
  return {{rows, (matrices - 1) * width, hidden}, {rows, hidden, width}};
}

Products latent_attention(const Workload& workload) {
  const auto& a = workload.architecture.latent;
  const double h = workload.architecture.hidden;
  const double n =
      static_cast<double>(workload.architecture.attention.heads) / workload.parallel.tensor;
  const double key = a.head_dim + a.rotary_dim;
  const double group = workload.group_tokens();
  const double own = workload.tokens();
  Products products;
  if (a.query_rank > 0) {
    products.push_back({own, static_cast<double>(a.query_rank), h});
    products.push_back({group, n * key, static_cast<double>(a.query_rank)});
  } else {
    products.push_back({group, n * key, h});
  }
  products.push_back({own, static_cast<double>(a.key_value_rank + a.rotary_dim), h});
  products.push_back(
      {group, n * (a.head_dim + a.value_dim), static_cast<double>(a.key_value_rank)});
  products.push_back({group, h, n * a.value_dim});
  return products;
}

/// One projection in and one out.
Products in_and_out(const Workload& workload, double in_width, double out_width) {
  const double h = workload.architecture.hidden;
  const double rows = workload.group_tokens();
  const double tensor = workload.parallel.tensor;
  return {{rows, in_width / tensor, h}, {rows, h, out_width / tensor}};
}

}  // namespace

Products mixer_products(const Workload& workload, Mixer mixer) {
  const Architecture& model = workload.architecture;
  switch (mixer) {
    case Mixer::attention:
    case Mixer::windowed: {
      const auto& a = model.attention;
      const double tensor = workload.parallel.tensor;
      const double q = static_cast<double>(a.heads) * a.head_dim;
      // Groups that are fewer than the ranks are held by several.
      const double kv = static_cast<double>(std::max<double>(a.groups, tensor)) * a.head_dim;
      return in_and_out(workload, q * (a.output_gate ? 2 : 1) + 2 * kv, q);
    }
    case Mixer::latent:
      return latent_attention(workload);
    case Mixer::delta_net: {
      const auto& a = model.delta_net;
      const double keys = static_cast<double>(a.key_heads) * a.key_dim;
      const double values = static_cast<double>(a.value_heads) * a.value_dim;
      return in_and_out(workload, 2 * keys + 2 * values + 2.0 * a.value_heads, values);
    }
    case Mixer::mamba: {
      const auto& a = model.mamba;
      const double inner = static_cast<double>(a.heads) * a.head_dim;
      const double groups = std::max(a.groups, workload.parallel.tensor);
      return in_and_out(workload, 2 * inner + 2 * groups * a.state + a.heads, inner);
    }
    case Mixer::none:
      break;
  }
  return {};
}

double core_attention_flops(const Workload& workload, Mixer mixer) {
  const Architecture& model = workload.architecture;
  const double heads = static_cast<double>(model.attention.heads) / workload.parallel.tensor;
  const double sequence = model.sequence;
  const double rows = workload.group_tokens();
  if (mixer == Mixer::latent) {
    const auto& a = model.latent;
    return rows * heads * sequence * (a.head_dim + a.rotary_dim + a.value_dim);
  }
  if (mixer != Mixer::attention && mixer != Mixer::windowed) {
    return 0;
  }
  double seen = sequence / 2;
  if (mixer == Mixer::windowed && model.attention.window > 0) {
    const double window = std::min<double>(model.attention.window, sequence);
    seen = window - window * (window - 1) / (2 * sequence);
  }
  return rows * heads * model.attention.head_dim * 4 * seen;
}

Products dense_mlp_products(const Workload& workload) {
  const Architecture& model = workload.architecture;
  return mlp(workload.group_tokens(),
             model.hidden,
             static_cast<double>(model.dense_ffn) / workload.parallel.tensor,
             model.mlp_matrices());
}

Products shared_expert_products(const Workload& workload) {
  const Architecture& model = workload.architecture;
  if (model.experts.shared_ffn == 0) {
    return {};
  }
  return mlp(workload.group_tokens(),
             model.hidden,
             static_cast<double>(model.experts.shared_ffn) / workload.parallel.tensor,
             model.mlp_matrices());
}

Products expert_products(const Workload& workload) {
  const Architecture& model = workload.architecture;
  if (model.experts.count == 0) {
    return {};
  }
  const auto load = expert_load(workload);
  auto products = mlp(load.rows_per_expert,
                      model.dispatch_width(),
                      static_cast<double>(model.experts.ffn) / workload.parallel.expert_tensor,
                      model.mlp_matrices());
  for (auto& product : products) {
    product.groups = load.local_experts;
  }
  return products;
}

MatrixProduct head_product(const Workload& workload) {
  const Architecture& model = workload.architecture;
  return {workload.group_tokens(),
          static_cast<double>(model.padded_vocab) / workload.parallel.tensor,
          static_cast<double>(model.hidden)};
}

}  // namespace epwise::model
