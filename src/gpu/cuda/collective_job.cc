#include <algorithm>

#include <fmt/format.h>

#include "gpu/abi/exchange.h"
#include "gpu/abi/reference.h"
#include "gpu/cuda/agreement.h"
#include "gpu/cuda/job.h"

namespace epwise::cuda {

namespace {

using calibrate::Check;
using calibrate::Kernel;
using calibrate::Work;

/// An NCCL collective with every rank's input filled from its own seed. Ranks are indices among the
/// members.
class CollectiveJob : public Job {
 public:
  CollectiveJob(JobContext& context, const Communicator& all, const Work& work, std::uint64_t seed)
      : context_(context),
        gpu_(context.gpu),
        all_(all),
        kernel_(work.kernel),
        seed_(seed),
        ranks_(all.members().size()),
        me_(static_cast<std::uint64_t>(all.place())) {
    // The share of one rank, in whole vectors.
    share_ = std::max<std::uint64_t>(
        static_cast<std::uint64_t>(work.shape.bytes) / ranks_ / 16 * 16, 16);
    const bool sums = kernel_ == Kernel::reduce_scatter;
    const std::uint64_t whole = share_ * ranks_;
    in_step(context.ranks, [&] {
      in_ = context.pool.filled(sums ? abi::kFillBf16Integers : abi::kFillWords, seed + me_, whole);
      out_ = context.pool.blank("collective out", whole);
      gpu_.wait(gpu_.work_stream(), context.timeout);
    });
  }

  void queue(Stream stream, int /*run*/) override {
    switch (kernel_) {
      case Kernel::all_gather:
        all_.all_gather(in_->address(), out_->address(), share_, stream);
        break;
      case Kernel::reduce_scatter:
        all_.reduce_scatter(in_->address(), out_->address(), share_ / 2, stream);
        break;
      case Kernel::send_recv:
        all_.send_and_receive(
            in_->address(), out_->address(), share_ * ranks_, to_rank(), from_rank(), stream);
        break;
      default:
        all_.all_to_all(in_->address(), out_->address(), share_, stream);
        break;
    }
  }

  Check verify() override {
    const Stream stream = gpu_.work_stream();
    in_step(context_.ranks, [&] { gpu_.set_bytes(stream, *out_, 0xee); });
    queue(stream, 0);
    gpu_.wait(stream, context_.timeout);
    if (kernel_ == Kernel::reduce_scatter) {
      return verify_sums();
    }
    const auto wrong = gpu_.upload(std::vector<std::uint64_t>{0, ~std::uint64_t{0}});
    if (kernel_ == Kernel::send_recv) {
      compare(*wrong, 0, share_ * ranks_, static_cast<std::uint64_t>(from_rank()), 0);
    } else {
      for (std::uint64_t rank = 0; rank < ranks_; ++rank) {
        compare(
            *wrong, rank * share_, share_, rank, kernel_ == Kernel::all_gather ? 0 : me_ * share_);
      }
    }
    gpu_.wait(stream, context_.timeout);
    const auto found = gpu_.download<std::uint64_t>(wrong->address(), 2);
    return bitwise(found[0], fmt::format("the first at word {} of its share", found[1]));
  }

  double payload_bytes() const override { return static_cast<double>(share_ * ranks_); }

 private:
  /// Half of the ranks away, so that messages cross nodes if there are several.
  int to_rank() const {
    const int size = static_cast<int>(ranks_);
    return (static_cast<int>(me_) + std::max(size / 2, 1)) % size;
  }

  int from_rank() const {
    const int size = static_cast<int>(ranks_);
    return (static_cast<int>(me_) + size - std::max(size / 2, 1)) % size;
  }

  void compare(const Memory& wrong,
               std::uint64_t offset,
               std::uint64_t bytes,
               std::uint64_t rank,
               std::uint64_t theirs) {
    abi::CompareArguments arguments = {};
    arguments.words = out_->as<const std::uint32_t>(offset);
    arguments.count = bytes / 4;
    arguments.first = theirs / 4;
    arguments.seed = seed_ + rank;
    arguments.fill = abi::kFillWords;
    arguments.wrong = wrong.as<std::uint64_t>();
    gpu_.launch(
        gpu_.work_stream(), "epwise_compare", {4 * gpu_.sms(), abi::kStreamThreads}, arguments);
  }

  Check verify_sums() const {
    constexpr std::uint64_t kSamples = 256;
    const std::uint64_t count = share_ / 2;
    const auto found = gpu_.download<abi::Bf16>(out_->address(), count);
    for (std::uint64_t i = 0; i < count; i += std::max<std::uint64_t>(count / kSamples, 1)) {
      float sum = 0;
      for (std::uint64_t rank = 0; rank < ranks_; ++rank) {
        sum += abi::small_integer(seed_ + rank, me_ * count + i);
      }
      if (found[i] != abi::to_bf16(sum)) {
        return bitwise(1, fmt::format("element {}", i));
      }
    }
    return bitwise(0, {});
  }

  JobContext& context_;
  Gpu& gpu_;
  const Communicator& all_;
  Kernel kernel_;
  std::uint64_t seed_;
  std::uint64_t ranks_;
  std::uint64_t me_;
  std::uint64_t share_ = 0;
  std::shared_ptr<Memory> in_;
  std::shared_ptr<Memory> out_;
};

/// To the next rank of the domain: by the copy engine, or with a number of SMs.
class PeerCopyJob : public Job {
 public:
  PeerCopyJob(JobContext& context, const Work& work, std::uint64_t seed)
      : context_(context),
        gpu_(context.gpu),
        sms_(work.sms),
        seed_(seed),
        bytes_(static_cast<std::uint64_t>(work.shape.bytes) / 16 * 16) {
    const auto& domain = context.peers.domain();
    const auto size = domain.size();
    const auto place = static_cast<std::size_t>(context.peers.place());
    in_step(context.ranks, [&] {
      in_ = context.pool.filled(
          abi::kFillWords, seed + static_cast<std::uint64_t>(domain[place]), bytes_);
      out_ = context.pool.blank("peer out", bytes_);
    });
    mapped_ = context.peers.exchange(*out_);
    target_ = mapped_[(place + 1) % size];
    before_ = domain[(place + size - 1) % size];
    sources_on_device_ = gpu_.upload(std::vector<std::uint64_t>{in_->address()});
    targets_on_device_ = gpu_.upload(std::vector<std::uint64_t>{target_});
    sizes_on_device_ = gpu_.upload(std::vector<std::uint64_t>{bytes_});
    gpu_.wait(gpu_.work_stream(), context.timeout);
  }

  ~PeerCopyJob() override { context_.peers.release(mapped_); }

  void queue(Stream stream, int /*run*/) override {
    if (sms_ == 0) {
      check(gpu_.driver(),
            gpu_.driver().cuMemcpyDtoDAsync_v2(target_, in_->address(), bytes_, stream),
            "cuMemcpyDtoDAsync");
      return;
    }
    abi::PieceCopyArguments arguments = {};
    arguments.sources = sources_on_device_->as<const std::uint8_t* const>();
    arguments.targets = targets_on_device_->as<std::uint8_t* const>();
    arguments.bytes = sizes_on_device_->as<const std::uint64_t>();
    arguments.pieces = 1;
    arguments.chunk_bytes = 1U << 19U;
    gpu_.launch(
        stream, "epwise_copy_pieces", {sms_, abi::kPieceThreads, gpu_.shared_limit()}, arguments);
  }

  Check verify() override {
    const Stream stream = gpu_.work_stream();
    in_step(context_.ranks, [&] {
      gpu_.set_bytes(stream, *out_, 0xee);
      gpu_.wait(stream, context_.timeout);
    });
    in_step(context_.ranks, [&] {
      queue(stream, 0);
      gpu_.wait(stream, context_.timeout);
    });
    const auto wrong = gpu_.upload(std::vector<std::uint64_t>{0, ~std::uint64_t{0}});
    abi::CompareArguments arguments = {};
    arguments.words = out_->as<const std::uint32_t>();
    arguments.count = bytes_ / 4;
    arguments.seed = seed_ + static_cast<std::uint64_t>(before_);
    arguments.fill = abi::kFillWords;
    arguments.wrong = wrong->as<std::uint64_t>();
    gpu_.launch(stream, "epwise_compare", {4 * gpu_.sms(), abi::kStreamThreads}, arguments);
    gpu_.wait(stream, context_.timeout);
    const auto found = gpu_.download<std::uint64_t>(wrong->address(), 2);
    return bitwise(found[0], fmt::format("the first at word {}", found[1]));
  }

  double payload_bytes() const override { return static_cast<double>(bytes_); }

 private:
  JobContext& context_;
  Gpu& gpu_;
  int sms_;
  std::uint64_t seed_;
  std::uint64_t bytes_;
  std::shared_ptr<Memory> in_;
  std::shared_ptr<Memory> out_;
  std::vector<Address> mapped_;
  Address target_ = 0;
  int before_ = 0;
  std::unique_ptr<Memory> sources_on_device_;
  std::unique_ptr<Memory> targets_on_device_;
  std::unique_ptr<Memory> sizes_on_device_;
};

}  // namespace

MadeJob make_collective_job(JobContext& context,
                            const Work& work,
                            calibrate::Scope scope,
                            std::uint64_t seed) {
  if (context.ranks.size() < 2) {
    return {nullptr, "one GPU: no peers"};
  }
  const bool inside = scope != calibrate::Scope::nodes;
  in_step(context.ranks, [&] {
    if (inside && context.peers.domain().size() < 2) {
      throw DeviceError("no other GPU in its domain", false);
    }
  });
  if (work.kernel == Kernel::peer_copy) {
    return {std::make_unique<PeerCopyJob>(context, work, seed), {}};
  }
  if (context.communicator == nullptr) {
    return {nullptr, context.nccl_reason};
  }
  const Communicator& all = inside ? *context.domain_communicator : *context.communicator;
  return {std::make_unique<CollectiveJob>(context, all, work, seed), {}};
}

}  // namespace epwise::cuda
