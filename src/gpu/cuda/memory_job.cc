#include <algorithm>
#include <array>

#include "gpu/abi/exchange.h"
#include "gpu/abi/reference.h"
#include "gpu/cuda/job.h"

namespace epwise::cuda {

namespace {

using calibrate::Check;
using calibrate::Kernel;
using calibrate::Work;

constexpr std::uint32_t kWritten = 0x5eed5eed;

/// Copy, read or write. With an SM count the copy goes through the bulk-copy engine, as exchanges
/// move rows; without one it is the copy that fills the chip.
class MemoryJob : public Job {
 public:
  MemoryJob(JobContext& context, const Work& work, std::uint64_t seed)
      : gpu_(context.gpu),
        kernel_(work.kernel),
        sms_(work.sms),
        seed_(seed),
        bytes_(bytes_of(work)) {
    if (kernel_ != Kernel::hbm_write) {
      source_ = context.pool.filled(abi::kFillWords, seed, bytes_);
    }
    target_ = context.pool.blank("memory target", bytes_);
    sum_ = std::make_unique<Memory>(gpu_.driver(), 16);
    wrong_ = std::make_unique<Memory>(gpu_.driver(), 16);
  }

  void queue(Stream stream, int /*run*/) override {
    if (kernel_ == Kernel::hbm_copy && sms_ > 0 && gpu_.capability() >= 90) {
      queue_bulk(stream);
      return;
    }
    queue_stream(stream, bytes_);
  }

  Check verify() override {
    const Stream stream = gpu_.work_stream();
    if (kernel_ == Kernel::hbm_read) {
      return verify_sum(stream);
    }
    gpu_.set_bytes(stream, *target_, 0xee);
    queue(stream, 0);
    return kernel_ == Kernel::hbm_copy ? verify_copy(stream) : verify_write(stream);
  }

  double memory_bytes() const override {
    return static_cast<double>(bytes_) * (kernel_ == Kernel::hbm_copy ? 2 : 1);
  }

 private:
  /// A copy counts reads and writes.
  static std::size_t bytes_of(const Work& work) {
    const double share = work.kernel == Kernel::hbm_copy ? work.shape.bytes / 2 : work.shape.bytes;
    return std::max<std::size_t>(static_cast<std::size_t>(share) / 4096 * 4096, 4096);
  }

  int blocks() const {
    if (sms_ > 0) {
      return sms_;
    }
    // One block per tile fills the chip better than a loop; the hardware distributes them.
    const std::size_t tile = std::size_t{16} * abi::kStreamThreads * abi::kStreamUnroll;
    const std::size_t tiles = (bytes_ + tile - 1) / tile;
    return kernel_ == Kernel::hbm_read ? 8 * gpu_.sms()
                                       : static_cast<int>(std::min<std::size_t>(tiles, 1U << 20U));
  }

  void queue_stream(Stream stream, std::size_t bytes) {
    abi::StreamArguments arguments = {};
    arguments.source = source_ == nullptr ? nullptr : source_->as<const abi::Vector16>();
    arguments.target = target_->as<abi::Vector16>();
    arguments.count = bytes / 16;
    arguments.sum = sum_->as<std::uint32_t>();
    arguments.seed = kWritten;
    const char* name = "epwise_memory_copy";
    if (kernel_ != Kernel::hbm_copy) {
      name = kernel_ == Kernel::hbm_read ? "epwise_memory_read" : "epwise_memory_write";
    }
    // One block per SM if blocks are counted: claiming all shared memory keeps a second one out.
    const std::size_t shared = sms_ > 0 ? gpu_.shared_limit() : 0;
    gpu_.launch(stream, name, {blocks(), abi::kStreamThreads, shared}, arguments);
  }

  void queue_bulk(Stream stream) {
    abi::BulkCopyArguments arguments = {};
    arguments.source = source_->as<const std::uint8_t>();
    arguments.target = target_->as<std::uint8_t>();
    arguments.bytes = bytes_;
    arguments.stages = 3;
    const std::size_t room = (gpu_.shared_limit() - abi::kBarrierBytes) /
                             (std::size_t{abi::kCopyWarps} * arguments.stages);
    arguments.piece_bytes = static_cast<std::uint32_t>(room / 128 * 128);
    const std::size_t shared = abi::kBarrierBytes + std::size_t{arguments.piece_bytes} *
                                                        arguments.stages * abi::kCopyWarps;
    gpu_.launch(stream, "epwise_memory_bulk_copy", {sms_, 32 * abi::kCopyWarps, shared}, arguments);
  }

  Check verify_copy(Stream stream) {
    check_cuda(wrong_->address(), {0, ~std::uint64_t{0}});
    abi::CompareArguments arguments = {};
    arguments.words = target_->as<const std::uint32_t>();
    arguments.count = bytes_ / 4;
    arguments.seed = seed_;
    arguments.fill = abi::kFillWords;
    arguments.wrong = wrong_->as<std::uint64_t>();
    gpu_.launch(stream, "epwise_compare", {4 * gpu_.sms(), abi::kStreamThreads}, arguments);
    gpu_.wait(stream, kJobPatience);
    const auto wrong = gpu_.download<std::uint64_t>(wrong_->address(), 2);
    return bitwise(wrong[0], "the first at word " + std::to_string(wrong[1]));
  }

  Check verify_write(Stream stream) {
    gpu_.wait(stream, kJobPatience);
    // Both ends and the middle: the rest follows from a single loop.
    constexpr std::size_t kSample = 65536;
    std::uint64_t wrong = 0;
    for (const std::size_t start :
         {std::size_t{0}, bytes_ / 2 / 16 * 16, bytes_ - std::min(bytes_, kSample)}) {
      const std::size_t words = std::min(kSample, bytes_ - start) / 4;
      const auto found = gpu_.download<std::uint32_t>(target_->address() + start, words);
      wrong += static_cast<std::uint64_t>(std::count_if(
          found.begin(), found.end(), [](std::uint32_t word) { return word != kWritten; }));
    }
    return bitwise(wrong, "at the ends or in the middle");
  }

  /// The sum is checked over 1 MiB, which the host can also add up.
  Check verify_sum(Stream stream) {
    const std::size_t bytes = std::min<std::size_t>(bytes_, 1U << 20U);
    check(gpu_.driver(),
          gpu_.driver().cuMemsetD8Async(sum_->address(), 0, 16, stream),
          "cuMemsetD8Async");
    queue_stream(stream, bytes);
    gpu_.wait(stream, kJobPatience);
    const auto sum = gpu_.download<std::uint32_t>(sum_->address(), 1);
    const bool right = sum[0] == abi::word_sum(abi::filled(abi::kFillWords, seed_, bytes / 4));
    return bitwise(right ? 0 : 1, "the sum of 1 MiB");
  }

  void check_cuda(Address place, const std::array<std::uint64_t, 2>& values) {
    check(gpu_.driver(),
          gpu_.driver().cuMemcpyHtoD_v2(place, values.data(), sizeof(values)),
          "cuMemcpyHtoD");
  }

  Gpu& gpu_;
  Kernel kernel_;
  int sms_;
  std::uint64_t seed_;
  std::size_t bytes_;
  std::shared_ptr<Memory> source_;
  std::shared_ptr<Memory> target_;
  std::unique_ptr<Memory> sum_;
  std::unique_ptr<Memory> wrong_;
};

}  // namespace

MadeJob make_memory_job(JobContext& context, const Work& work, std::uint64_t seed) {
  return {std::make_unique<MemoryJob>(context, work, seed), {}};
}

}  // namespace epwise::cuda
