#include "hw/profile_numbers.h"

#include <algorithm>
#include <array>

#include "units/prefixes.h"

namespace epwise::hw {

namespace {

using units::Dimension;
using units::kGiB;
using units::kTera;

constexpr double kGB = 1e9;

constexpr NumberKind count(std::string_view key, double high, Need need) {
  return {key, Dimension::none, 1, high, need, true};
}

constexpr NumberKind clock(std::string_view key) {
  return {key, Dimension::hertz, 0.5e9, 5e9};
}

constexpr NumberKind peak(std::string_view key, Need need) {
  return {key, Dimension::flops_per_second, 10 * kTera, 1e5 * kTera, need};
}

constexpr NumberKind gemm(std::string_view key, std::string_view limit) {
  return {key, Dimension::flops_per_second, kTera, 1e5 * kTera, Need::optional, false, limit};
}

constexpr NumberKind rate(std::string_view key, Need need, std::string_view limit = {}) {
  return {key, Dimension::bytes_per_second, kGB, 2e4 * kGB, need, false, limit};
}

constexpr std::array<NumberKind, 31> kKinds = {{
    {"compute_capability", Dimension::none, 3, 20, Need::always},
    count("gpus_per_node", 72, Need::always),
    count("nvlink_domain", 1024, Need::always),
    count("sm_count", 1024, Need::full),
    clock("boost_clock"),
    clock("max_clock"),
    peak("peak_bf16", Need::full),
    peak("peak_fp8", Need::optional),
    peak("peak_fp4", Need::optional),
    {"memory", Dimension::bytes, 8 * kGiB, 2048 * kGiB, Need::full},
    {"memory_bandwidth", Dimension::bytes_per_second, 100 * kGB, 100 * kTera, Need::full},
    {"memory_bandwidth_efficiency", Dimension::none, 0.1, 1},
    {"l2_cache", Dimension::bytes, 1e6, 4e9},
    rate("nvlink_bandwidth_per_direction", Need::full),
    rate("nvlink_bandwidth_reached", Need::optional, "nvlink_bandwidth_per_direction"),
    rate("c2c_bandwidth_per_direction", Need::optional),
    rate("pcie_bandwidth_per_direction", Need::full),
    rate("nic_bandwidth_per_gpu", Need::full),
    {"host_operation", Dimension::seconds, 1e-6, 1e-3},
    gemm("gemm_best_bf16", "peak_bf16"),
    gemm("gemm_best_fp8", "peak_fp8"),
    gemm("gemm_best_fp8_block", "peak_fp8"),
    gemm("gemm_best_nvfp4", "peak_fp4"),
    gemm("gemm_4096x4096x7168_bf16", "gemm_best_bf16"),
    gemm("gemm_4096x4096x7168_fp8", "gemm_best_fp8"),
    gemm("gemm_4096x4096x7168_fp8_block", "gemm_best_fp8_block"),
    gemm("gemm_4096x4096x7168_nvfp4", "gemm_best_nvfp4"),
    rate("nccl_all_gather_bus_bandwidth", Need::optional, "nvlink_bandwidth_per_direction"),
    rate("nccl_all_to_all_bus_bandwidth", Need::optional, "nvlink_bandwidth_per_direction"),
    rate("nccl_reduce_scatter_bus_bandwidth", Need::optional, "nvlink_bandwidth_per_direction"),
    // No limit: reduction inside the switch moves fewer bytes than the ring that the figure
    // assumes.
    rate("nccl_all_reduce_bus_bandwidth", Need::optional),
}};

}  // namespace

std::span<const NumberKind> number_kinds() {
  return kKinds;
}

const NumberKind* find_number_kind(std::string_view key) {
  const auto* found = std::find_if(
      kKinds.begin(), kKinds.end(), [&](const NumberKind& kind) { return kind.key == key; });
  return found == kKinds.end() ? nullptr : found;
}

}  // namespace epwise::hw
