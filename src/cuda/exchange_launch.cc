#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cuda/agreement.h"
#include "cuda/exchange_job.h"

namespace epwise::cuda {

namespace {

using calibrate::Kernel;
using calibrate::Scope;
using calibrate::Structure;
using calibrate::Work;

constexpr std::uint32_t kPipelinedStages = 10;
constexpr std::uint32_t kReduceStages = 12;
constexpr int kMostDirectWarps = kernel::kDirectThreads / 32;

/// Launch sizes by structure; a reason when the row doesn't fit.
std::string fit_launch(const Gpu& gpu, ExchangeShape& shape, int ranks) {
  const std::size_t room = gpu.shared_limit() - kernel::kBarrierBytes;
  const std::size_t slot = shape.slot_bytes;
  const auto slots = static_cast<int>(room / slot);
  LaunchShape& launch = shape.launch;
  launch.blocks = shape.sms;
  launch.together = true;
  launch.cluster = gpu.capability() >= 90 && shape.sms % 2 == 0 ? 2 : 1;
  if (shape.sms > gpu.sms()) {
    return fmt::format("the device has {} SMs", gpu.sms());
  }
  if (shape.structure == Structure::direct) {
    const int warps = std::min(slots, kMostDirectWarps);
    launch.threads = 32 * warps;
    // All shared memory, also when rows are small: one block an SM is what k SMs mean.
    launch.shared_bytes = gpu.shared_limit();
    return warps >= 1 ? "" : "a row doesn't fit into shared memory";
  }
  if (shape.structure == Structure::pipelined) {
    const bool dispatch = shape.is_dispatch();
    shape.stages = static_cast<std::uint32_t>(
        std::min<int>(slots, static_cast<int>(dispatch ? kPipelinedStages : kReduceStages)));
    launch.threads = dispatch ? kernel::kPipelinedThreads : kernel::kPipelinedCombineThreads;
    launch.shared_bytes = gpu.shared_limit();
    if (static_cast<int>(shape.stages) < (dispatch ? kernel::kLeastStages : 2)) {
      return fmt::format("{} rows fit into shared memory, too few for a queue", shape.stages);
    }
    if (!dispatch &&
        shape.slot_bytes / 16 > static_cast<std::uint32_t>(kernel::kMostReduceVectors)) {
      return "the pipelined combine sums rows of up to 8192";
    }
    return "";
  }
  shape.piece_bytes = static_cast<std::uint32_t>(
      std::min<std::size_t>(room / kernel::kStagedWarps / 128 * 128, kernel::kStagedPiece));
  launch.threads = kernel::kStagedThreads;
  launch.shared_bytes = gpu.shared_limit();
  if (ranks > kernel::kMostStagedRanks) {
    return fmt::format("staged exchanges reach {} ranks", kernel::kMostStagedRanks);
  }
  return shape.sms % 2 == 0 && shape.sms >= 2 ? "" : "staged exchanges take pairs of SMs";
}

/// Why an exchange between so many ranks can't be had; empty: `shape` says how.
std::string fit_exchange(
    const Workshop& shop, const Work& work, Scope scope, int ranks, ExchangeShape& shape) {
  const bool epilogue =
      work.kernel == Kernel::copy_epilogue || work.kernel == Kernel::reduce_epilogue;
  if (scope == Scope::nodes) {
    return "exchanges across domains need the network, which only NCCL reaches here";
  }
  if (scope == Scope::domain && ranks < 2) {
    return "one GPU: no peers";
  }
  if (ranks > kernel::kMostRanks || work.shape.topk > kernel::kMostTopk) {
    return "the exchange kernels hold up to 128 ranks and 32 choices";
  }
  if (work.shape.experts % ranks != 0 || work.shape.topk > work.shape.experts) {
    return fmt::format("{} experts don't divide among {} ranks", work.shape.experts, ranks);
  }
  shape.kernel = work.kernel;
  shape.structure = epilogue ? Structure::direct : work.structure;
  shape.tokens = static_cast<std::int32_t>(work.shape.tokens);
  shape.topk = static_cast<std::int32_t>(work.shape.topk);
  shape.experts = static_cast<std::int32_t>(work.shape.experts);
  shape.hidden = work.shape.hidden;
  shape.fp8 = work.format != cost::Format::bf16 &&
              (shape.is_dispatch() || work.kernel == Kernel::copy_epilogue);
  shape.sms = work.sms > 0 ? work.sms : shop.gpu.sms();
  shape.row_bytes = kernel::row_bytes_of(shape.hidden, shape.fp8);
  const bool tailed = shape.is_dispatch() || work.kernel == Kernel::copy_epilogue;
  shape.slot_bytes = tailed ? kernel::slot_bytes_of(shape.row_bytes, shape.topk) : shape.row_bytes;
  if (work.pace > 0) {
    shape.pace = static_cast<std::uint32_t>(std::max(std::lround(1048576.0 / work.pace * 1e9), 1L));
  }
  if (epilogue) {
    shape.launch = {std::min(shape.tokens, 16 * shape.sms), kernel::kRowThreads, 0};
    return {};
  }
  return fit_launch(shop.gpu, shape, ranks);
}

}  // namespace

MadeJob make_exchange_job(Workshop& shop, const Work& work, Scope scope, std::uint64_t seed) {
  const bool loopback = scope == Scope::device;
  const int ranks = loopback ? static_cast<int>(std::max<std::int64_t>(work.shape.ranks, 1))
                             : static_cast<int>(shop.peers.domain().size());
  ExchangeShape shape;
  const std::string reason = fit_exchange(shop, work, scope, ranks, shape);
  if (!loopback) {
    // Devices may differ: none goes on where one can't.
    in_step(shop.ranks, [&reason] {
      if (!reason.empty()) {
        throw DeviceError(reason, false);
      }
    });
  }
  if (!reason.empty()) {
    return {nullptr, reason};
  }
  auto tables = exchange_tables(shape.tokens,
                                shape.topk,
                                shape.experts,
                                ranks,
                                loopback ? 0 : shop.peers.place(),
                                loopback,
                                shape.channels(),
                                seed);
  return {new_exchange_job(shop, shape, std::move(tables), seed), {}};
}

}  // namespace epwise::cuda
