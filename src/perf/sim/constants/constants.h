#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "base/units/quantity.h"
#include "perf/cost/cost.h"

namespace epwise::sim {

/// The numbers with which the step model multiplies laws and counts: global, physical, the same for
/// every recipe. Seconds, bytes and ratios. hwprofiles/stepmodel/constants.yaml documents the
/// meaning, source and uncertainty of each.
struct Constants {
  // Kernels
  double gemm_hopper = 0;
  double gemm_blackwell = 0;
  double fp8_hopper = 0;
  double fp8_blackwell = 0;
  double fp4_blackwell = 0;
  double grouped_gemm = 0;
  double expert_fusion = 0;
  double attention = 0;
  double ultra_attention = 0;
  double fp8_attention = 0;
  double unfused_softmax_passes = 0;
  double fused_softmax = 0;
  double memory_kernels = 0;
  double scan = 0;
  double router = 0;
  double router_fusion = 0;
  double permute_unfused = 0;
  double cross_entropy = 0;
  double kernel_launch = 0;  // s

  // Exchange
  double alltoall_nic = 0;
  double alltoall_nvlink = 0;
  double flex_nic = 0;
  double flex_nvlink = 0;
  double alltoall_launch = 0;   // s
  double flex_launch = 0;       // s
  double flex_preparation = 0;  // s
  double tensor_parallel = 0;
  double tensor_parallel_exposed = 0;
  double pipeline_transfer = 0;
  double imbalance_forced = 0;
  double imbalance_natural = 0;
  double imbalance_exchange = 0;
  double capacity_padding = 0;

  // Host
  double host_x86 = 0;  // s
  double host_arm = 0;  // s
  double host_expert_launch = 0;
  double host_quantised_gemm = 0;
  double host_overlap = 0;
  double host_delayed_wgrad = 0;
  double host_chunk = 0;
  double host_sync = 0;  // s
  double host_parameter = 0;
  double host_unbound = 0;
  double host_replay = 0;

  // Overlap
  double overlap_exchange = 0;
  double overlap_sms = 0;
  double overlap_loss = 0;

  // Step
  double step_fixed = 0;  // s
  double optimizer = 0;
  double dp_window = 0;
  double dp_ring = 0;

  // Not fitted
  double share_quantise = 0;
  double share_optimizer = 0;
  double share_nic = 0;
  double share_nvlink = 0;
  double share_host_link = 0;
  double small_head_blackwell = 0;
  double small_head_hopper = 0;
  double softmax_span = 0;
  double scan_rate = 0;  // B/s
  double share_host_update = 0;
  double overlapped_host_update = 0;
  double unfused_rope = 0;
  double unfused_residual = 0;
  double unfused_activation = 0;
  double unfused_loss = 0;
  double compiled_loss = 0;
  double separate_allocations = 0;
  double separate_swizzle = 0;
  double graph_launch = 0;
  double launch_latency = 0;    // s
  double transfer_latency = 0;  // s

  // Half widths of intervals, logarithmic
  double width_base = 0;
  double width_routing = 0;
  double width_softmax = 0;
  double width_overlap = 0;
  double width_tensor_parallel = 0;
  double width_hardware = 0;
  double width_host = 0;
  double width_no_study = 0;
  double width_one_study = 0;
  double width_new_model = 0;
  double width_pair = 0;
  double width_apart = 0;
};

/// A constant as described in its file.
struct ConstantNote {
  std::string name;         // "host_x86"
  double value = 0;         // base units: 6.9e-05
  std::string unit;         // as written: "us"
  double log_sd = 0;        // of its logarithm; 0: not sampled
  double prior = 0;         // prior value, before fitting to step times, in base units
  double prior_log_sd = 0;  // of its logarithm, prior
  cost::Status status = cost::Status::prior;  // fitted: determined by step times
  std::string source;
  std::string date;
  std::string meaning;
};

struct ConstantTable {
  Constants values;
  std::vector<std::string> measured_on;     // GPUs whose published steps determine the constants
  std::vector<std::string> measured_cells;  // kinds of these steps: see evidence.h
  std::vector<std::string> measured_models;
  std::vector<ConstantNote> notes;
};

/// A constant by name; null pointer for an unknown name. (&Constants::x by text.)
double Constants::*constant_member(std::string_view name);

/// YAML text → table; an empty one and the reason if something is missing, unknown or in another
/// unit:
///   constants.yaml:14:3: constant `host_x86` must be a time (us, ms), not 1
ConstantTable read_constants(const text::SourceFile& file, std::vector<text::Diagnostic>& problems);

/// Table ↔ the bytes embedded by the build.
std::string pack_constants(const ConstantTable& table);
ConstantTable unpack_constants(std::string_view bytes);

/// The table embedded by the build.
const ConstantTable& constants();

/// Where a name of the file is stored.
struct ConstantColumn {
  std::string_view name;
  units::Dimension dimension = units::Dimension::none;
  double Constants::*member = nullptr;
};

/// All of them, in the order of the struct.
const std::vector<ConstantColumn>& constant_columns();

}  // namespace epwise::sim
