#include "sim/constants/constant_columns.h"

namespace epwise::sim {

using units::Dimension;

const std::vector<ConstantColumn>& constant_columns() {
  static const std::vector<ConstantColumn> columns = {
      {"gemm_hopper", Dimension::none, &Constants::gemm_hopper},
      {"gemm_blackwell", Dimension::none, &Constants::gemm_blackwell},
      {"fp8_hopper", Dimension::none, &Constants::fp8_hopper},
      {"fp8_blackwell", Dimension::none, &Constants::fp8_blackwell},
      {"fp4_blackwell", Dimension::none, &Constants::fp4_blackwell},
      {"grouped_gemm", Dimension::none, &Constants::grouped_gemm},
      {"expert_fusion", Dimension::none, &Constants::expert_fusion},
      {"attention", Dimension::none, &Constants::attention},
      {"ultra_attention", Dimension::none, &Constants::ultra_attention},
      {"fp8_attention", Dimension::none, &Constants::fp8_attention},
      {"unfused_softmax_passes", Dimension::none, &Constants::unfused_softmax_passes},
      {"fused_softmax", Dimension::none, &Constants::fused_softmax},
      {"memory_kernels", Dimension::none, &Constants::memory_kernels},
      {"scan", Dimension::none, &Constants::scan},
      {"router", Dimension::none, &Constants::router},
      {"cross_entropy", Dimension::none, &Constants::cross_entropy},
      {"kernel_launch", Dimension::seconds, &Constants::kernel_launch},
      {"alltoall_nic", Dimension::none, &Constants::alltoall_nic},
      {"alltoall_nvlink", Dimension::none, &Constants::alltoall_nvlink},
      {"flex_nic", Dimension::none, &Constants::flex_nic},
      {"flex_nvlink", Dimension::none, &Constants::flex_nvlink},
      {"alltoall_launch", Dimension::seconds, &Constants::alltoall_launch},
      {"flex_launch", Dimension::seconds, &Constants::flex_launch},
      {"flex_preparation", Dimension::seconds, &Constants::flex_preparation},
      {"tensor_parallel", Dimension::none, &Constants::tensor_parallel},
      {"tensor_parallel_exposed", Dimension::none, &Constants::tensor_parallel_exposed},
      {"pipeline_transfer", Dimension::none, &Constants::pipeline_transfer},
      {"imbalance_forced", Dimension::none, &Constants::imbalance_forced},
      {"imbalance_natural", Dimension::none, &Constants::imbalance_natural},
      {"capacity_padding", Dimension::none, &Constants::capacity_padding},
      {"host_x86", Dimension::seconds, &Constants::host_x86},
      {"host_arm", Dimension::seconds, &Constants::host_arm},
      {"host_expert_launch", Dimension::none, &Constants::host_expert_launch},
      {"host_quantised_gemm", Dimension::none, &Constants::host_quantised_gemm},
      {"host_overlap", Dimension::none, &Constants::host_overlap},
      {"host_delayed_wgrad", Dimension::none, &Constants::host_delayed_wgrad},
      {"host_chunk", Dimension::none, &Constants::host_chunk},
      {"host_sync", Dimension::seconds, &Constants::host_sync},
      {"host_parameter", Dimension::none, &Constants::host_parameter},
      {"overlap_exchange", Dimension::none, &Constants::overlap_exchange},
      {"overlap_sms", Dimension::none, &Constants::overlap_sms},
      {"overlap_loss", Dimension::none, &Constants::overlap_loss},
      {"step_fixed", Dimension::seconds, &Constants::step_fixed},
      {"optimizer", Dimension::none, &Constants::optimizer},
      {"dp_window", Dimension::none, &Constants::dp_window},
      {"dp_ring", Dimension::none, &Constants::dp_ring},
      {"share_quantise", Dimension::none, &Constants::share_quantise},
      {"share_optimizer", Dimension::none, &Constants::share_optimizer},
      {"share_nic", Dimension::none, &Constants::share_nic},
      {"share_nvlink", Dimension::none, &Constants::share_nvlink},
      {"share_host_link", Dimension::none, &Constants::share_host_link},
      {"small_head_blackwell", Dimension::none, &Constants::small_head_blackwell},
      {"small_head_hopper", Dimension::none, &Constants::small_head_hopper},
      {"scan_rate", Dimension::bytes_per_second, &Constants::scan_rate},
      {"graph_launch", Dimension::none, &Constants::graph_launch},
      {"launch_latency", Dimension::seconds, &Constants::launch_latency},
      {"transfer_latency", Dimension::seconds, &Constants::transfer_latency},
      {"width_base", Dimension::none, &Constants::width_base},
      {"width_routing", Dimension::none, &Constants::width_routing},
      {"width_softmax", Dimension::none, &Constants::width_softmax},
      {"width_overlap", Dimension::none, &Constants::width_overlap},
      {"width_tensor_parallel", Dimension::none, &Constants::width_tensor_parallel},
      {"width_hardware", Dimension::none, &Constants::width_hardware},
      {"width_host", Dimension::none, &Constants::width_host},
      {"width_pair", Dimension::none, &Constants::width_pair},
      {"width_apart", Dimension::none, &Constants::width_apart},
  };
  return columns;
}

double Constants::*constant_member(std::string_view name) {
  for (const ConstantColumn& column : constant_columns()) {
    if (column.name == name) {
      return column.member;
    }
  }
  return nullptr;
}

}  // namespace epwise::sim
