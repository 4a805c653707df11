#include "calibrate/work/law_time.h"

#include "perf/cost/collective.h"
#include "perf/cost/exchange.h"
#include "perf/cost/gemm.h"
#include "perf/cost/memory_bound.h"

namespace epwise::calibrate {

namespace {

constexpr double kBf16 = 2;
constexpr double kLaunchMicros = 3;  // for a memory-bound kernel, as in the fits of the laws

double real(std::int64_t value) {
  return static_cast<double>(value);
}

double bytes_of(cost::Format format) {
  return format == cost::Format::bf16 ? kBf16 : 1;
}

double ranks_reached(const Shape& shape) {
  return cost::expected_parts(
      real(shape.experts), static_cast<int>(shape.ranks), static_cast<int>(shape.topk), {});
}

std::optional<cost::CollectiveKind> collective_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::all_to_all:
      return cost::CollectiveKind::all_to_all;
    case Kernel::all_gather:
      return cost::CollectiveKind::all_gather;
    case Kernel::reduce_scatter:
      return cost::CollectiveKind::reduce_scatter;
    case Kernel::send_recv:
    case Kernel::peer_copy:
      return cost::CollectiveKind::point_to_point;
    default:
      return std::nullopt;
  }
}

std::optional<cost::MemoryKernel> memory_kernel_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::hbm_copy:
    case Kernel::hbm_read:
    case Kernel::hbm_write:
    case Kernel::copy_epilogue:
    case Kernel::reduce_epilogue:
      return cost::MemoryKernel::copy;
    case Kernel::permute:
    case Kernel::unpermute:
      return cost::MemoryKernel::permute;
    case Kernel::swiglu:
      return cost::MemoryKernel::elementwise;
    default:
      return std::nullopt;
  }
}

double gemm_time(const cost::Table& table, const cost::Chip& chip, const Work& work) {
  cost::Gemm shape;
  shape.format = work.format;
  shape.m = real(work.shape.m);
  shape.n = real(work.shape.n);
  shape.k = real(work.shape.k);
  shape.quantise = false;
  shape.sms = work.sms;
  return cost::gemm(table, chip, shape).seconds;
}

double grouped_time(const cost::Table& table, const cost::Chip& chip, const Work& work) {
  cost::GroupedGemm shape;
  shape.format = work.format;
  shape.groups = real(work.shape.groups);
  shape.rows_per_group = real(work.shape.m);
  shape.n = real(work.shape.n);
  shape.k = real(work.shape.k);
  shape.stage = work.stage == Stage::forward         ? cost::GemmStage::forward
                : work.stage == Stage::data_gradient ? cost::GemmStage::data_gradient
                                                     : cost::GemmStage::weight_gradient;
  const double share = work.sms > 0 && chip.sms > 0 ? chip.sms / work.sms : 1;
  return cost::grouped_gemm(table, chip, shape).seconds * share;
}

double exchange_time(const cost::Table& table, const cost::Chip& chip, const Work& work) {
  cost::Exchange call;
  call.direction =
      work.kernel == Kernel::dispatch ? cost::Direction::dispatch : cost::Direction::combine;
  call.backend = work.structure == Structure::direct      ? cost::Backend::deepep_v2
                 : work.structure == Structure::pipelined ? cost::Backend::hybridep
                                                          : cost::Backend::deepep;
  call.tokens = real(work.shape.tokens);
  call.hidden = real(work.shape.hidden);
  call.topk = static_cast<int>(work.shape.topk);
  call.experts = real(work.shape.experts);
  call.ranks = static_cast<int>(work.shape.ranks);
  call.format = work.format;
  call.sms = work.sms;
  return cost::exchange(table, chip, call).seconds;
}

}  // namespace

std::optional<double> law_time(const cost::Table& table, const cost::Chip& chip, const Work& work) {
  if (const auto kernel = memory_kernel_of(work.kernel)) {
    return cost::memory_bound(table, chip, *kernel, memory_bytes_of(work), kLaunchMicros).seconds;
  }
  if (const auto kind = collective_of(work.kernel)) {
    cost::Collective call;
    call.kind = *kind;
    call.bytes = work.shape.bytes;
    call.ranks = static_cast<int>(work.shape.ranks);
    return cost::collective(table, chip, call).seconds;
  }
  switch (work.kernel) {
    case Kernel::gemm:
      return gemm_time(table, chip, work);
    case Kernel::grouped_gemm:
      return grouped_time(table, chip, work);
    case Kernel::dispatch:
    case Kernel::combine:
      return exchange_time(table, chip, work);
    default:
      return std::nullopt;
  }
}

double memory_bytes_of(const Work& work) {
  const Shape& shape = work.shape;
  const double row = real(shape.hidden) * bytes_of(work.format);
  const double rows = real(shape.tokens) * real(shape.topk);
  switch (work.kernel) {
    case Kernel::hbm_copy:
    case Kernel::hbm_read:
    case Kernel::hbm_write:
      return shape.bytes;
    case Kernel::gemm:
    case Kernel::grouped_gemm: {
      const double groups = work.kernel == Kernel::gemm ? 1 : real(shape.groups);
      const double operands = real(shape.m) * real(shape.k) + real(shape.n) * real(shape.k);
      return groups * (operands * bytes_of(work.format) + real(shape.m) * real(shape.n) * kBf16);
    }
    case Kernel::permute:
    case Kernel::unpermute:
      return (real(shape.tokens) + rows) * row;
    case Kernel::swiglu:
      return rows * real(shape.inter) * kBf16 * 3;
    case Kernel::router:
      return real(shape.tokens) * real(shape.experts) * 4;
    case Kernel::scan:
      return real(shape.ranks) * real(shape.tokens) * real(shape.experts);
    case Kernel::dispatch:
    case Kernel::combine:
    case Kernel::reduce_epilogue:
      return real(shape.tokens) * row + payload_bytes_of(work);
    case Kernel::copy_epilogue:
      return 2 * payload_bytes_of(work);
    default:
      return 0;
  }
}

double payload_bytes_of(const Work& work) {
  const Shape& shape = work.shape;
  switch (work.kernel) {
    case Kernel::dispatch:
    case Kernel::combine:
    case Kernel::copy_epilogue:
    case Kernel::reduce_epilogue:
      return real(shape.tokens) * real(shape.hidden) * bytes_of(work.format) * ranks_reached(shape);
    case Kernel::all_to_all:
    case Kernel::all_gather:
    case Kernel::reduce_scatter:
    case Kernel::send_recv:
    case Kernel::peer_copy:
      return shape.bytes;
    default:
      return 0;
  }
}

}  // namespace epwise::calibrate
