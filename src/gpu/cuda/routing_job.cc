#include <algorithm>
#include <cmath>

#include "gpu/abi/exchange.h"
#include "gpu/abi/reference.h"
#include "gpu/cuda/job.h"

namespace epwise::cuda {

namespace {

using calibrate::Check;
using calibrate::Kernel;
using calibrate::Work;

class RouterJob : public Job {
 public:
  RouterJob(JobContext& context, const Work& work, std::uint64_t seed)
      : gpu_(context.gpu),
        tokens_(static_cast<std::int32_t>(work.shape.tokens)),
        experts_(static_cast<std::int32_t>(work.shape.experts)),
        topk_(static_cast<std::int32_t>(work.shape.topk)),
        seed_(seed) {
    const auto cells = static_cast<std::size_t>(tokens_) * static_cast<std::size_t>(experts_);
    const auto choices = static_cast<std::size_t>(tokens_) * static_cast<std::size_t>(topk_);
    logits_ = context.pool.filled(abi::kFillFloat, seed, 4 * cells);
    chosen_ = context.pool.blank("router chosen", 4 * choices);
    probabilities_ = context.pool.blank("router probabilities", 4 * choices);
    map_ = context.pool.blank("router map", cells);
  }

  void queue(Stream stream, int /*run*/) override {
    abi::RouterArguments arguments = {};
    arguments.logits = logits_->as<const float>();
    arguments.chosen = chosen_->as<std::int32_t>();
    arguments.probabilities = probabilities_->as<float>();
    arguments.routing_map = map_->as<std::uint8_t>();
    arguments.tokens = tokens_;
    arguments.experts = experts_;
    arguments.topk = topk_;
    arguments.sigmoid = 0;
    constexpr int kTokensOfBlock = abi::kRouterThreads / 32;
    const int blocks = std::min((tokens_ + kTokensOfBlock - 1) / kTokensOfBlock, 16 * gpu_.sms());
    gpu_.launch(stream, "epwise_router", {blocks, abi::kRouterThreads}, arguments);
  }

  Check verify() override {
    const Stream stream = gpu_.work_stream();
    for (const auto& memory : {chosen_, probabilities_, map_}) {
      gpu_.set_bytes(stream, *memory, 0xff);
    }
    queue(stream, 0);
    gpu_.wait(stream, kJobPatience);
    std::vector<double> found;
    std::vector<double> wanted;
    const std::int32_t step = std::max(tokens_ / 64, 1);
    for (std::int32_t token = 0; token < tokens_; token += step) {
      const auto row = static_cast<std::uint64_t>(token);
      const auto topk = static_cast<std::uint64_t>(topk_);
      const abi::Choice choice = abi::routed_token(logits_of(row), topk_, false);
      const auto experts = gpu_.download<std::int32_t>(chosen_->address() + row * topk * 4, topk);
      if (experts != choice.experts || !is_mapped(row, choice)) {
        return bitwise(1, "the experts of token " + std::to_string(token));
      }
      for (const float value :
           gpu_.download<float>(probabilities_->address() + row * topk * 4, topk)) {
        found.push_back(value);
      }
      wanted.insert(wanted.end(), choice.probabilities.begin(), choice.probabilities.end());
    }
    return within("experts exact, weights by norm", abi::relative_error(found, wanted), 1e-5);
  }

  double memory_bytes() const override {
    return 5.0 * tokens_ * static_cast<double>(experts_) +
           8.0 * tokens_ * static_cast<double>(topk_);
  }

 private:
  std::vector<float> logits_of(std::uint64_t token) const {
    std::vector<float> logits;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(experts_); ++i) {
      logits.push_back(abi::uniform(seed_, token * static_cast<std::uint64_t>(experts_) + i));
    }
    return logits;
  }

  bool is_mapped(std::uint64_t token, const abi::Choice& choice) const {
    const auto experts = static_cast<std::size_t>(experts_);
    std::vector<std::uint8_t> wanted(experts, 0);
    for (const std::int32_t expert : choice.experts) {
      wanted[static_cast<std::size_t>(expert)] = 1;
    }
    return gpu_.download<std::uint8_t>(map_->address() + token * experts, experts) == wanted;
  }

  Gpu& gpu_;
  std::int32_t tokens_;
  std::int32_t experts_;
  std::int32_t topk_;
  std::uint64_t seed_;
  std::shared_ptr<Memory> logits_;
  std::shared_ptr<Memory> chosen_;
  std::shared_ptr<Memory> probabilities_;
  std::shared_ptr<Memory> map_;
};

/// The map of all ranks' tokens, as gathered by a dispatcher.
class ScanJob : public Job {
 public:
  ScanJob(JobContext& context, const Work& work, std::uint64_t seed)
      : gpu_(context.gpu),
        tokens_(static_cast<std::int32_t>(work.shape.tokens *
                                          std::max<std::int64_t>(work.shape.ranks, 1))),
        experts_(static_cast<std::int32_t>(work.shape.experts)),
        blocks_(std::min(work.sms > 0 ? work.sms : context.gpu.sms(), tokens_)) {
    const auto cells = static_cast<std::size_t>(tokens_) * static_cast<std::size_t>(experts_);
    map_.assign(cells, 0);
    const auto share =
        static_cast<std::uint64_t>(work.shape.experts / std::max<std::int64_t>(work.shape.topk, 1));
    for (std::size_t i = 0; i < cells; ++i) {
      map_[i] = abi::mixed(seed, i) % std::max<std::uint64_t>(share, 1) == 0 ? 1 : 0;
    }
    map_on_device_ = gpu_.upload(map_);
    partial_ = context.pool.blank(
        "scan partial",
        std::size_t{4} * static_cast<std::size_t>(blocks_) * static_cast<std::size_t>(experts_));
    offsets_ =
        context.pool.blank("scan offsets", std::size_t{4} * static_cast<std::size_t>(experts_ + 1));
    places_ = context.pool.blank("scan places", 4 * cells);
    finished_ = gpu_.upload(std::vector<std::uint32_t>(2, 0));
  }

  void queue(Stream stream, int /*run*/) override {
    abi::ScanArguments arguments = {};
    arguments.routing_map = map_on_device_->as<const std::uint8_t>();
    arguments.partial = partial_->as<std::int32_t>();
    arguments.offsets = offsets_->as<std::int32_t>();
    arguments.places = places_->as<std::int32_t>();
    arguments.finished = finished_->as<std::uint32_t>();
    arguments.tokens = tokens_;
    arguments.experts = experts_;
    gpu_.launch(stream, "epwise_scan_counts", {blocks_, abi::kScanThreads, 16}, arguments);
    gpu_.launch(stream, "epwise_scan_places", {blocks_, abi::kScanThreads}, arguments);
  }

  int launches() const override { return 2; }

  Check verify() override {
    const Stream stream = gpu_.work_stream();
    gpu_.set_bytes(stream, *offsets_, 0xee);
    gpu_.set_bytes(stream, *places_, 0xee);
    queue(stream, 0);
    gpu_.wait(stream, kJobPatience);
    const abi::Scan wanted = abi::scanned(map_, experts_);
    if (gpu_.download<std::int32_t>(offsets_->address(), wanted.offsets.size()) != wanted.offsets) {
      return bitwise(1, "the offsets of the experts");
    }
    const auto places = gpu_.download<std::int32_t>(places_->address(), wanted.places.size());
    const auto pair = std::mismatch(places.begin(), places.end(), wanted.places.begin());
    return bitwise(pair.first == places.end() ? 0 : 1,
                   "the first at " + std::to_string(pair.first - places.begin()));
  }

  double memory_bytes() const override { return 6.0 * tokens_ * static_cast<double>(experts_); }

 private:
  Gpu& gpu_;
  std::int32_t tokens_;
  std::int32_t experts_;
  int blocks_;
  std::vector<std::uint8_t> map_;
  std::unique_ptr<Memory> map_on_device_;
  std::shared_ptr<Memory> partial_;
  std::shared_ptr<Memory> offsets_;
  std::shared_ptr<Memory> places_;
  std::unique_ptr<Memory> finished_;
};

}  // namespace

MadeJob make_routing_job(JobContext& context, const Work& work, std::uint64_t seed) {
  if (work.shape.experts > abi::kMostExperts || work.shape.topk > abi::kMostTopk ||
      work.shape.topk > work.shape.experts) {
    return {nullptr, "the router kernel supports up to 1024 experts and 32 choices"};
  }
  if (work.kernel == Kernel::router) {
    return {std::make_unique<RouterJob>(context, work, seed), {}};
  }
  return {std::make_unique<ScanJob>(context, work, seed), {}};
}

}  // namespace epwise::cuda
