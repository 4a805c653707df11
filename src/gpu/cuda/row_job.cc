#include <algorithm>
#include <cmath>

#include "gpu/abi/exchange.h"
#include "gpu/abi/reference.h"
#include "gpu/abi/routing.h"
#include "gpu/cuda/job.h"

namespace epwise::cuda {

namespace {

using abi::Bf16;
using calibrate::Check;
using calibrate::Kernel;
using calibrate::Shape;
using calibrate::Work;

constexpr std::int32_t kSampledRows = 48;

/// Rows to check: both ends and evenly spaced rows in between.
std::vector<std::int32_t> sampled(std::int32_t rows) {
  std::vector<std::int32_t> picked;
  const std::int32_t count = std::min(rows, kSampledRows);
  for (std::int32_t i = 0; i < count; ++i) {
    picked.push_back(
        count == 1 ? 0 : static_cast<std::int32_t>(std::int64_t{rows - 1} * i / (count - 1)));
  }
  return picked;
}

/// Permute or unpermute: rows of tokens to and from their experts' positions.
class PermuteJob : public Job {
 public:
  PermuteJob(JobContext& context, const Work& work, std::uint64_t seed)
      : gpu_(context.gpu),
        forward_(work.kernel == Kernel::permute),
        tokens_(static_cast<std::int32_t>(work.shape.tokens)),
        copies_(static_cast<std::int32_t>(work.shape.topk)),
        width_(static_cast<std::int32_t>(work.shape.hidden)),
        sms_(work.sms),
        seed_(seed) {
    const auto routing =
        abi::seeded_routing(tokens_, copies_, static_cast<std::int32_t>(work.shape.experts), seed);
    row_of_ = abi::rows_by_expert(routing);
    row_of_table_ = gpu_.upload(row_of_);
    weights_ = gpu_.upload(std::vector<float>(row_of_.size(), 1.0F));
    const std::size_t row = std::size_t{2} * static_cast<std::size_t>(width_);
    const std::size_t few = static_cast<std::size_t>(tokens_) * row;
    const std::size_t many = row_of_.size() * row;
    const abi::Fill fill = forward_ ? abi::kFillWords : abi::kFillBf16Integers;
    source_ = context.pool.filled(fill, seed, forward_ ? few : many);
    target_ = context.pool.blank("rows out", forward_ ? many : few);
  }

  void queue(Stream stream, int /*run*/) override {
    const LaunchShape shape = {sms_ > 0 ? sms_ : std::min(tokens_, 16 * gpu_.sms()),
                               abi::kRowThreads,
                               sms_ > 0 ? gpu_.shared_limit() : 0};
    if (forward_) {
      abi::PermuteArguments arguments = {};
      arguments.rows = source_->as<const abi::Vector16>();
      arguments.row_of = row_of_table_->as<const std::int32_t>();
      arguments.permuted = target_->as<abi::Vector16>();
      arguments.tokens = tokens_;
      arguments.copies = copies_;
      arguments.vectors = width_ / 8;
      gpu_.launch(stream, "epwise_permute", shape, arguments);
      return;
    }
    abi::UnpermuteArguments arguments = {};
    arguments.permuted = source_->as<const abi::Vector16>();
    arguments.row_of = row_of_table_->as<const std::int32_t>();
    arguments.weights = weights_->as<const float>();
    arguments.rows = target_->as<abi::Vector16>();
    arguments.tokens = tokens_;
    arguments.copies = copies_;
    arguments.vectors = width_ / 8;
    gpu_.launch(stream, "epwise_unpermute", shape, arguments);
  }

  Check verify() override {
    const Stream stream = gpu_.work_stream();
    gpu_.set_bytes(stream, *target_, 0xee);
    queue(stream, 0);
    gpu_.wait(stream, kJobPatience);
    for (const std::int32_t token : sampled(tokens_)) {
      if (!(forward_ ? is_permuted(token) : is_summed(token))) {
        return bitwise(1, "token " + std::to_string(token));
      }
    }
    return bitwise(0, {});
  }

  double memory_bytes() const override {
    return 2.0 * width_ * (static_cast<double>(tokens_) + static_cast<double>(row_of_.size()));
  }

 private:
  std::vector<Bf16> row_on_device(const Memory& memory, std::int32_t row) const {
    const std::size_t bytes = std::size_t{2} * static_cast<std::size_t>(width_);
    return gpu_.download<Bf16>(memory.address() + static_cast<std::size_t>(row) * bytes,
                               static_cast<std::size_t>(width_));
  }

  std::int32_t row_of(std::int32_t token, std::int32_t copy) const {
    return row_of_[static_cast<std::size_t>(token) * static_cast<std::size_t>(copies_) +
                   static_cast<std::size_t>(copy)];
  }

  std::vector<Bf16> filled_row(abi::Fill fill, std::int32_t row) const {
    const auto width = static_cast<std::uint64_t>(width_);
    return abi::filled_bf16(fill, seed_, static_cast<std::uint64_t>(row) * width, width);
  }

  bool is_permuted(std::int32_t token) const {
    const auto wanted = filled_row(abi::kFillWords, token);
    for (std::int32_t copy = 0; copy < copies_; ++copy) {
      if (row_on_device(*target_, row_of(token, copy)) != wanted) {
        return false;
      }
    }
    return true;
  }

  bool is_summed(std::int32_t token) const {
    std::vector<std::vector<Bf16>> rows;
    for (std::int32_t copy = 0; copy < copies_; ++copy) {
      rows.push_back(filled_row(abi::kFillBf16Integers, row_of(token, copy)));
    }
    return row_on_device(*target_, token) == abi::unpermuted_row(rows, {});
  }

  Gpu& gpu_;
  bool forward_;
  std::int32_t tokens_;
  std::int32_t copies_;
  std::int32_t width_;
  int sms_;
  std::uint64_t seed_;
  std::vector<std::int32_t> row_of_;
  std::unique_ptr<Memory> row_of_table_;
  std::unique_ptr<Memory> weights_;
  std::shared_ptr<Memory> source_;
  std::shared_ptr<Memory> target_;
};

class SwigluJob : public Job {
 public:
  SwigluJob(JobContext& context, const Work& work, std::uint64_t seed)
      : gpu_(context.gpu),
        rows_(static_cast<std::int32_t>(work.shape.tokens * work.shape.topk)),
        width_(static_cast<std::int32_t>(work.shape.inter)),
        seed_(seed) {
    const std::size_t bytes =
        std::size_t{2} * static_cast<std::size_t>(rows_) * static_cast<std::size_t>(width_);
    source_ = context.pool.filled(abi::kFillBf16, seed, 2 * bytes);
    target_ = context.pool.blank("rows out", bytes);
    weights_ = gpu_.upload(std::vector<float>(static_cast<std::size_t>(rows_), 0.125F));
  }

  void queue(Stream stream, int /*run*/) override {
    abi::SwigluArguments arguments = {};
    arguments.gate_up = source_->as<const abi::Vector16>();
    arguments.weights = weights_->as<const float>();
    arguments.activated = target_->as<abi::Vector16>();
    arguments.rows = rows_;
    arguments.vectors = width_ / 8;
    gpu_.launch(
        stream, "epwise_swiglu", {std::min(rows_, 16 * gpu_.sms()), abi::kRowThreads}, arguments);
  }

  Check verify() override {
    const Stream stream = gpu_.work_stream();
    gpu_.set_bytes(stream, *target_, 0xff);  // NaN
    queue(stream, 0);
    gpu_.wait(stream, kJobPatience);
    std::vector<double> found;
    std::vector<double> wanted;
    const auto width = static_cast<std::uint64_t>(width_);
    for (const std::int32_t row : sampled(rows_)) {
      const auto at = static_cast<std::uint64_t>(row);
      for (const Bf16 value : gpu_.download<Bf16>(target_->address() + at * width * 2, width)) {
        found.push_back(abi::from_bf16(value));
      }
      const auto input = abi::filled_bf16(abi::kFillBf16, seed_, at * 2 * width, 2 * width);
      const auto output = abi::swiglu_row(input, 0.125F);
      wanted.insert(wanted.end(), output.begin(), output.end());
    }
    // bf16 rounds to 1 part in 256; the error of a norm is about a third of half of that.
    return within("relative norm", abi::relative_error(found, wanted), 3e-3);
  }

  double memory_bytes() const override { return 6.0 * rows_ * static_cast<double>(width_); }

 private:
  Gpu& gpu_;
  std::int32_t rows_;
  std::int32_t width_;
  std::uint64_t seed_;
  std::shared_ptr<Memory> source_;
  std::shared_ptr<Memory> target_;
  std::unique_ptr<Memory> weights_;
};

}  // namespace

MadeJob make_row_job(JobContext& context, const Work& work, std::uint64_t seed) {
  const Shape& shape = work.shape;
  if (work.kernel == Kernel::swiglu) {
    if (shape.inter % 8 != 0) {
      return {nullptr, "the expert's FFN hidden size is not a multiple of 8"};
    }
    return {std::make_unique<SwigluJob>(context, work, seed), {}};
  }
  if (shape.hidden % 8 != 0) {
    return {nullptr, "the hidden size is not a multiple of 8"};
  }
  if (shape.topk > shape.experts) {
    return {nullptr, "a token has more experts than there are"};
  }
  return {std::make_unique<PermuteJob>(context, work, seed), {}};
}

}  // namespace epwise::cuda
