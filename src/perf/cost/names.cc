#include "perf/cost/names.h"

#include <algorithm>
#include <string>

#include "base/text/ascii.h"

namespace epwise::cost {

const std::vector<Name<Format>>& names_of(Format) {
  static const std::vector<Name<Format>> names = {
      {"bf16", Format::bf16},
      {"fp16", Format::bf16},
      {"fp8", Format::fp8},
      {"fp8_block", Format::fp8_block},
      {"mxfp8", Format::fp8_block},
      {"nvfp4", Format::nvfp4},
      {"fp4", Format::nvfp4},
      {"w4a8_mxfp4_mxfp8", Format::w4a8},
  };
  return names;
}

const std::vector<Name<Architecture>>& names_of(Architecture) {
  static const std::vector<Name<Architecture>> names = {
      {"ampere", Architecture::ampere},
      {"hopper", Architecture::hopper},
      {"blackwell", Architecture::blackwell},
  };
  return names;
}

const std::vector<Name<Family>>& names_of(Family) {
  static const std::vector<Name<Family>> names = {
      {"hopper", Family::hopper}, {"b200", Family::b200}, {"gb200", Family::gb200}};
  return names;
}

const std::vector<Name<Direction>>& names_of(Direction) {
  static const std::vector<Name<Direction>> names = {{"dispatch", Direction::dispatch},
                                                     {"combine", Direction::combine}};
  return names;
}

const std::vector<Name<CollectiveKind>>& names_of(CollectiveKind) {
  static const std::vector<Name<CollectiveKind>> names = {
      {"alltoall", CollectiveKind::all_to_all},
      {"all_to_all", CollectiveKind::all_to_all},
      {"alltoallv", CollectiveKind::all_to_all},
      {"a2a", CollectiveKind::all_to_all},
      {"allgather", CollectiveKind::all_gather},
      {"all_gather", CollectiveKind::all_gather},
      {"ag", CollectiveKind::all_gather},
      {"reducescatter", CollectiveKind::reduce_scatter},
      {"reduce_scatter", CollectiveKind::reduce_scatter},
      {"rs", CollectiveKind::reduce_scatter},
      {"allreduce", CollectiveKind::all_reduce},
      {"all_reduce", CollectiveKind::all_reduce},
      {"ar", CollectiveKind::all_reduce},
      {"p2p", CollectiveKind::point_to_point},
      {"sendrecv", CollectiveKind::point_to_point},
  };
  return names;
}

const std::vector<Name<MoeKernels>>& names_of(MoeKernels) {
  static const std::vector<Name<MoeKernels>> names = {
      {"cutlass", MoeKernels::cutlass},
      {"sglang", MoeKernels::sglang},
      {"deepgemm", MoeKernels::deepgemm},
      {"trtllm_gen", MoeKernels::trtllm_gen},
  };
  return names;
}

const std::vector<Name<MemoryKernel>>& names_of(MemoryKernel) {
  static const std::vector<Name<MemoryKernel>> names = {
      {"copy", MemoryKernel::copy},
      {"elementwise", MemoryKernel::elementwise},
      {"norm", MemoryKernel::norm},
      {"permute", MemoryKernel::permute},
      {"cross_entropy", MemoryKernel::cross_entropy},
  };
  return names;
}

namespace {

std::optional<Backend> parse_deepep(const std::string& name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (has("v2")) {
    return Backend::deepep_v2;
  }
  if (has("low") || name.ends_with("-ll") || has("-ll-")) {
    return Backend::low_latency;
  }
  return Backend::deepep;
}

}  // namespace

std::optional<Backend> parse_backend(std::string_view text) {
  const std::string name = text::lower(text);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (name == "alltoall" || name == "nccl" || name == "a2a" || name == "allgather") {
    return Backend::nccl;
  }
  if (has("hybrid") || name == "ncclep" || name == "nccl_ep") {
    return Backend::hybridep;
  }
  if (has("deepep")) {
    return parse_deepep(name);
  }
  if (has("trtllm") || has("nvlink")) {
    return has("one") ? Backend::nvlink_one_sided : Backend::nvlink_two_sided;
  }
  return std::nullopt;
}

}  // namespace epwise::cost
