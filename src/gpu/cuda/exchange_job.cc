#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include <fmt/format.h>

#include "gpu/abi/reference.h"
#include "gpu/cuda/agreement.h"
#include "gpu/cuda/exchange_memory.h"
#include "gpu/cuda/job.h"

namespace epwise::cuda {

/// A dispatch, a combine or one of their epilogues whose launch configuration fits. For an exchange
/// with peers, all ranks create it together.
std::unique_ptr<Job> new_exchange_job(JobContext& context,
                                      const ExchangeShape& shape,
                                      ExchangeTables tables,
                                      std::uint64_t seed);

namespace {

using calibrate::Check;
using calibrate::Kernel;
using calibrate::Structure;

constexpr std::int32_t kSampledTokens = 64;

const char* kernel_name(const ExchangeShape& shape) {
  const bool dispatch = shape.is_dispatch();
  switch (shape.kernel) {
    case Kernel::copy_epilogue:
      return "epwise_copy_epilogue";
    case Kernel::reduce_epilogue:
      return "epwise_reduce_epilogue";
    default:
      break;
  }
  switch (shape.structure) {
    case Structure::direct:
      return dispatch ? "epwise_dispatch_direct" : "epwise_combine_direct";
    case Structure::pipelined:
      return dispatch ? "epwise_dispatch_pipelined" : "epwise_combine_pipelined";
    default:
      return dispatch ? "epwise_dispatch_staged" : "epwise_combine_staged";
  }
}

class ExchangeJob : public Job {
 public:
  ExchangeJob(JobContext& context,
              const ExchangeShape& shape,
              ExchangeTables tables,
              std::uint64_t seed)
      : context_(context),
        gpu_(context.gpu),
        shape_(shape),
        seed_(seed),
        memory_(context, shape, std::move(tables), seed) {}

  void queue(Stream stream, int run) override {
    abi::ExchangeArguments arguments = memory_.arguments();
    arguments.epoch = ++epoch_;
    arguments.timeout = static_cast<std::uint64_t>(std::min(context_.timeout / 4, 10.0) * 1e9);
    if (is_stamped() && run < kStampedRuns) {
      arguments.stamps = reinterpret_cast<abi::Stamps*>(memory_.stamps()) + run;
      runs_ = std::max(runs_, run + 1);
    }
    gpu_.launch(stream, kernel_name(shape_), shape_.launch, arguments);
  }

  Check verify() override {
    const Stream stream = gpu_.work_stream();
    const auto poison = [&] {
      gpu_.set_bytes(stream, is_checked_in_inbox() ? memory_.inbox() : memory_.reduced(), 0xee);
      gpu_.wait(stream, context_.timeout);
    };
    if (memory_.tables().loopback) {
      poison();
    } else {
      in_step(context_.ranks, poison);  // nobody sends before all are ready
    }
    queue(stream, 0);
    gpu_.wait(stream, context_.timeout);
    if (const std::string problem = trouble(); !problem.empty()) {
      Check check;
      check.what = problem;
      check.result = Check::Result::failed;
      return check;
    }
    switch (shape_.kernel) {
      case Kernel::dispatch:
        return verify_rows();
      case Kernel::copy_epilogue:
        return verify_copies();
      default:
        return shape_.kernel == Kernel::combine && shape_.structure == Structure::direct
                   ? verify_home()
                   : verify_sums();
    }
  }

  double payload_bytes() const override {
    return static_cast<double>(memory_.tables().copies.total) * shape_.row_bytes;
  }

  double memory_bytes() const override {
    const double payload = payload_bytes();
    const double tokens = static_cast<double>(shape_.tokens) * shape_.row_bytes;
    if (shape_.kernel == Kernel::copy_epilogue) {
      return 2 * payload;
    }
    if (shape_.kernel == Kernel::reduce_epilogue) {
      return payload + tokens;
    }
    switch (shape_.structure) {
      case Structure::direct:
        return shape_.is_dispatch() ? tokens + payload : 2 * payload;
      case Structure::pipelined:
        return tokens + payload;
      default:
        return shape_.is_dispatch() ? tokens + 3 * payload : 3 * payload + tokens;
    }
  }

  bool is_stamped() const override {
    return shape_.kernel == Kernel::dispatch || shape_.kernel == Kernel::combine;
  }

  void clear_stamps(Stream /*stream*/) override {
    const std::vector<abi::Stamps> fresh(kStampedRuns, abi::Stamps{~std::uint64_t{0}, 0, 0});
    check(gpu_.driver(),
          gpu_.driver().cuMemcpyHtoD_v2(
              memory_.stamps(), fresh.data(), fresh.size() * sizeof(abi::Stamps)),
          "cuMemcpyHtoD");
    runs_ = 0;
  }

  std::vector<StampedRun> stamps() override {
    std::vector<StampedRun> runs;
    for (const abi::Stamps& stamp :
         gpu_.download<abi::Stamps>(memory_.stamps(), static_cast<std::size_t>(runs_))) {
      runs.push_back({static_cast<double>(stamp.first_start) * 1e-9,
                      static_cast<double>(stamp.last_start) * 1e-9,
                      static_cast<double>(stamp.last_end) * 1e-9});
    }
    return runs;
  }

  std::string trouble() override {
    switch (gpu_.download<std::uint32_t>(memory_.trouble(), 1).front()) {
      case abi::kNoTrouble:
        return {};
      case abi::kPeerSilent:
        return "a rank of the exchange did not respond before the time-out";
      default:
        return "a ring of the exchange made no progress before the time-out";
    }
  }

 private:
  bool is_checked_in_inbox() const {
    return shape_.kernel == Kernel::dispatch ||
           (shape_.kernel == Kernel::combine && shape_.structure == Structure::direct);
  }

  /// Compares every slot with the row that it names, on the device.
  Check verify_rows() {
    const ExchangeTables& tables = memory_.tables();
    const auto tokens = static_cast<std::size_t>(shape_.tokens);
    const auto seen =
        gpu_.upload(std::vector<std::uint32_t>(tokens * static_cast<std::size_t>(tables.ranks), 0));
    const auto wrong = gpu_.upload(std::vector<std::uint64_t>{0, ~std::uint64_t{0}});
    for (int rank = 0; rank < tables.ranks; ++rank) {
      const int source = tables.loopback ? 0 : rank;
      abi::CheckSlotsArguments arguments = {};
      arguments.slots = reinterpret_cast<const std::uint8_t*>(memory_.received(rank));
      arguments.count = static_cast<std::uint64_t>(tables.arriving[static_cast<std::size_t>(rank)]);
      arguments.seen = seen->as<std::uint32_t>() + static_cast<std::size_t>(rank) * tokens;
      arguments.wrong = wrong->as<std::uint64_t>();
      arguments.seed = seed_ + static_cast<std::uint64_t>(source);
      arguments.tokens = shape_.tokens;
      arguments.row_bytes = shape_.row_bytes;
      arguments.slot_bytes = shape_.slot_bytes;
      gpu_.launch(
          gpu_.work_stream(), "epwise_check_slots", {4 * gpu_.sms(), abi::kRowThreads}, arguments);
    }
    gpu_.wait(gpu_.work_stream(), context_.timeout);
    const auto found = gpu_.download<std::uint64_t>(wrong->address(), 2);
    Check check = bitwise(found[0], fmt::format("the first in slot {}", found[1]));
    check.kind = "rows in any order, bitwise";
    if (found[0] == 0) {
      count_rows(gpu_.download<std::uint32_t>(seen->address(),
                                              tokens * static_cast<std::size_t>(tables.ranks)),
                 check);
    }
    return check;
  }

  /// Each token must appear as often as it was sent: since slots contain correct rows, only
  /// duplicates could hide a lost one.
  void count_rows(const std::vector<std::uint32_t>& seen, Check& check) const {
    const ExchangeTables& tables = memory_.tables();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const auto rank = static_cast<int>(i / static_cast<std::size_t>(shape_.tokens));
      const auto token = i % static_cast<std::size_t>(shape_.tokens);
      const abi::Copies& copies = tables.all[static_cast<std::size_t>(tables.loopback ? 0 : rank)];
      const int region = tables.loopback ? rank : tables.me;
      const bool sent = copies.slots[token * static_cast<std::size_t>(tables.ranks) +
                                     static_cast<std::size_t>(region)] >= 0;
      if (seen[i] != (sent ? 1U : 0U)) {
        check.result = Check::Result::failed;
        check.error = 1;
        check.what = fmt::format("token {} of rank {} arrived {} times", token, rank, seen[i]);
        return;
      }
    }
  }

  std::vector<std::int32_t> sampled_tokens() const {
    std::vector<std::int32_t> tokens;
    const std::int32_t step = std::max(shape_.tokens / kSampledTokens, 1);
    for (std::int32_t token = 0; token < shape_.tokens; token += step) {
      tokens.push_back(token);
    }
    return tokens;
  }

  /// Row `slot` of this rank as rank `rank` holds it before it is returned.
  std::vector<abi::Bf16> row_at(int rank, std::int32_t slot) const {
    const ExchangeTables& tables = memory_.tables();
    const auto width = static_cast<std::uint64_t>(shape_.slot_bytes / 2);
    const bool here = tables.loopback;
    const std::int64_t begin = here ? tables.home[static_cast<std::size_t>(rank)]
                                    : tables.land[static_cast<std::size_t>(rank)];
    const std::uint64_t seed = seed_ + static_cast<std::uint64_t>(here ? tables.me : rank);
    return abi::filled_bf16(
        abi::kFillBf16Integers, seed, static_cast<std::uint64_t>(begin + slot) * width, width);
  }

  std::int32_t slot_of(std::int32_t token, int rank) const {
    const ExchangeTables& tables = memory_.tables();
    return tables.copies
        .slots[static_cast<std::size_t>(token) * static_cast<std::size_t>(tables.ranks) +
               static_cast<std::size_t>(rank)];
  }

  Check verify_sums() const {
    const auto width = static_cast<std::size_t>(shape_.slot_bytes / 2);
    for (const std::int32_t token : sampled_tokens()) {
      std::vector<std::vector<abi::Bf16>> rows;
      for (int rank = 0; rank < memory_.tables().ranks; ++rank) {
        if (slot_of(token, rank) >= 0) {
          rows.push_back(row_at(rank, slot_of(token, rank)));
        }
      }
      const auto wanted =
          rows.empty() ? std::vector<abi::Bf16>(width, 0) : abi::unpermuted_row(rows, {});
      const auto found = gpu_.download<abi::Bf16>(
          memory_.reduced().address() + static_cast<std::uint64_t>(token) * shape_.slot_bytes,
          width);
      if (found != wanted) {
        return bitwise(1, fmt::format("the sum of token {}", token));
      }
    }
    return bitwise(0, {});
  }

  Check verify_home() const {
    const auto width = static_cast<std::size_t>(shape_.slot_bytes / 2);
    for (const std::int32_t token : sampled_tokens()) {
      for (int rank = 0; rank < memory_.tables().ranks; ++rank) {
        const std::int32_t slot = slot_of(token, rank);
        if (slot < 0) {
          continue;
        }
        const std::int64_t row = memory_.tables().home[static_cast<std::size_t>(rank)] + slot;
        const auto found = gpu_.download<abi::Bf16>(
            memory_.inbox().address() + static_cast<std::uint64_t>(row) * shape_.slot_bytes, width);
        if (found != row_at(rank, slot)) {
          return bitwise(1, fmt::format("the row of token {} from rank {}", token, rank));
        }
      }
    }
    return bitwise(0, {});
  }

  Check verify_copies() const {
    const std::size_t words = shape_.row_bytes / 4;
    const std::int64_t rows = memory_.tables().received;
    for (std::int64_t row = 0; row < rows;
         row += std::max<std::int64_t>(rows / kSampledTokens, 1)) {
      const auto place = static_cast<std::uint64_t>(row);
      const auto found = gpu_.download<std::uint32_t>(
          memory_.reduced().address() + place * shape_.row_bytes, words);
      for (std::size_t word = 0; word < words; ++word) {
        if (found[word] !=
            abi::filled_word(abi::kFillWords, seed_, place * (shape_.slot_bytes / 4) + word)) {
          return bitwise(1, fmt::format("word {} of row {}", word, row));
        }
      }
    }
    return bitwise(0, {});
  }

  JobContext& context_;
  Gpu& gpu_;
  ExchangeShape shape_;
  std::uint64_t seed_;
  ExchangeMemory memory_;
  std::uint32_t epoch_ = 0;
  int runs_ = 0;
};

}  // namespace

std::unique_ptr<Job> new_exchange_job(JobContext& context,
                                      const ExchangeShape& shape,
                                      ExchangeTables tables,
                                      std::uint64_t seed) {
  return std::make_unique<ExchangeJob>(context, shape, std::move(tables), seed);
}

namespace {

using calibrate::Kernel;
using calibrate::Scope;
using calibrate::Structure;
using calibrate::Work;

constexpr std::uint32_t kPipelinedStages = 10;
constexpr std::uint32_t kReduceStages = 12;
constexpr int kMostDirectWarps = abi::kDirectThreads / 32;

/// Launch sizes by structure; a reason if the row does not fit.
std::string fit_launch(const Gpu& gpu, ExchangeShape& shape, int ranks) {
  const std::size_t room = gpu.shared_limit() - abi::kBarrierBytes;
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
    // All shared memory, also for small rows: one block per SM, so that k blocks occupy k SMs.
    launch.shared_bytes = gpu.shared_limit();
    return warps >= 1 ? "" : "a row does not fit into shared memory";
  }
  if (shape.structure == Structure::pipelined) {
    const bool dispatch = shape.is_dispatch();
    shape.stages = static_cast<std::uint32_t>(
        std::min<int>(slots, static_cast<int>(dispatch ? kPipelinedStages : kReduceStages)));
    launch.threads = dispatch ? abi::kPipelinedThreads : abi::kPipelinedCombineThreads;
    launch.shared_bytes = gpu.shared_limit();
    if (static_cast<int>(shape.stages) < (dispatch ? abi::kLeastStages : 2)) {
      return fmt::format("{} rows fit into shared memory, too few for a queue", shape.stages);
    }
    if (!dispatch && shape.slot_bytes / 16 > static_cast<std::uint32_t>(abi::kMostReduceVectors)) {
      return "the pipelined combine sums rows of at most 8192";
    }
    return "";
  }
  shape.piece_bytes = static_cast<std::uint32_t>(
      std::min<std::size_t>(room / abi::kStagedWarps / 128 * 128, abi::kStagedPiece));
  launch.threads = abi::kStagedThreads;
  launch.shared_bytes = gpu.shared_limit();
  if (ranks > abi::kMostStagedRanks) {
    return fmt::format("staged exchanges support {} ranks", abi::kMostStagedRanks);
  }
  return shape.sms % 2 == 0 && shape.sms >= 2 ? "" : "staged exchanges need pairs of SMs";
}

/// Why an exchange between that many ranks is impossible; empty: see `shape`.
std::string fit_exchange(
    const JobContext& context, const Work& work, Scope scope, int ranks, ExchangeShape& shape) {
  const bool epilogue =
      work.kernel == Kernel::copy_epilogue || work.kernel == Kernel::reduce_epilogue;
  if (scope == Scope::nodes) {
    return "exchanges across domains need the network, which is only available through NCCL here";
  }
  if (scope == Scope::domain && ranks < 2) {
    return "one GPU: no peers";
  }
  if (ranks > abi::kMostRanks || work.shape.topk > abi::kMostTopk) {
    return "the exchange kernels support up to 128 ranks and 32 choices";
  }
  if (work.shape.experts % ranks != 0 || work.shape.topk > work.shape.experts) {
    return fmt::format("{} experts do not divide among {} ranks", work.shape.experts, ranks);
  }
  shape.kernel = work.kernel;
  shape.structure = epilogue ? Structure::direct : work.structure;
  shape.tokens = static_cast<std::int32_t>(work.shape.tokens);
  shape.topk = static_cast<std::int32_t>(work.shape.topk);
  shape.experts = static_cast<std::int32_t>(work.shape.experts);
  shape.hidden = work.shape.hidden;
  shape.fp8 = work.format != cost::Format::bf16 &&
              (shape.is_dispatch() || work.kernel == Kernel::copy_epilogue);
  shape.sms = work.sms > 0 ? work.sms : context.gpu.sms();
  shape.row_bytes = abi::row_bytes_of(shape.hidden, shape.fp8);
  const bool tailed = shape.is_dispatch() || work.kernel == Kernel::copy_epilogue;
  shape.slot_bytes = tailed ? abi::slot_bytes_of(shape.row_bytes, shape.topk) : shape.row_bytes;
  if (work.pace > 0) {
    shape.pace = static_cast<std::uint32_t>(std::max(std::lround(1048576.0 / work.pace * 1e9), 1L));
  }
  if (epilogue) {
    shape.launch = {std::min(shape.tokens, 16 * shape.sms), abi::kRowThreads, 0};
    return {};
  }
  return fit_launch(context.gpu, shape, ranks);
}

}  // namespace

MadeJob make_exchange_job(JobContext& context, const Work& work, Scope scope, std::uint64_t seed) {
  const bool loopback = scope == Scope::device;
  const int ranks = loopback ? static_cast<int>(std::max<std::int64_t>(work.shape.ranks, 1))
                             : static_cast<int>(context.peers.domain().size());
  ExchangeShape shape;
  const std::string reason = fit_exchange(context, work, scope, ranks, shape);
  if (!loopback) {
    // Devices may differ: if one cannot continue, none does.
    in_step(context.ranks, [&reason] {
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
                                loopback ? 0 : context.peers.place(),
                                loopback,
                                shape.channels(),
                                seed);
  return {new_exchange_job(context, shape, std::move(tables), seed), {}};
}

}  // namespace epwise::cuda
