#include <algorithm>

#include <fmt/format.h>

#include "cuda/product.h"
#include "cuda/workshop.h"
#include "kernel/reference.h"

namespace epwise::cuda {

namespace {

using calibrate::Check;
using calibrate::Kernel;
using calibrate::Placement;
using calibrate::Work;

constexpr int kSampledElements = 64;

/// One product, or one for each expert, over four streams as the training libraries do by default.
class GemmJob : public Job {
 public:
  GemmJob(Workshop& shop, const Work& work, std::uint64_t seed)
      : shop_(shop),
        gpu_(shop.gpu),
        shape_(product_shape(work)),
        seed_(seed) {
    groups_ = work.kernel == Kernel::grouped_gemm
                  ? static_cast<int>(std::max<std::int64_t>(work.shape.groups, 1))
                  : 1;
    const kernel::Fill fill = shape_.type == kE4m3 ? kernel::kFillE4m3 : kernel::kFillBf16;
    a_ = shop.pool.filled(fill, seed, bytes(shape_.a_size(), shape_.type));
    b_ = shop.pool.filled(fill, seed + 1, bytes(shape_.b_size(), shape_.type));
    d_ = shop.pool.blank("product out", bytes(shape_.d_size(), shape_.out));
    workspace_ = shop.pool.blank("product workspace", kStreams * Product::kWorkspace);
    unit_scale_ = gpu_.upload(std::vector<float>{1.0F});
    const int target = work.placement == Placement::target ? work.sms : 0;
    product_ =
        std::make_unique<Product>(*shop.blas, shape_, target, unit_scale_->as<const float>());
    for (std::size_t i = 0; i <= kStreams; ++i) {
      Event event = nullptr;
      check(gpu_.driver(), gpu_.driver().cuEventCreate(&event, kEventWithoutTime), "cuEventCreate");
      events_.push_back(event);
    }
    gpu_.wait(gpu_.work_stream(), shop.timeout);
  }

  ~GemmJob() override {
    for (const Event event : events_) {
      gpu_.driver().cuEventDestroy_v2(event);
    }
  }

  void queue(Stream stream, int /*run*/) override {
    if (groups_ == 1) {
      queue_group(stream, 0, 0);
      return;
    }
    const Driver& driver = gpu_.driver();
    check(driver, driver.cuEventRecord(events_[kStreams], stream), "cuEventRecord");
    for (std::size_t i = 0; i < kStreams; ++i) {
      check(driver,
            driver.cuStreamWaitEvent(gpu_.group_streams()[i], events_[kStreams], 0),
            "cuStreamWaitEvent");
    }
    for (int group = 0; group < groups_; ++group) {
      const std::size_t place = static_cast<std::size_t>(group) % kStreams;
      queue_group(gpu_.group_streams()[place], group, place);
    }
    for (std::size_t i = 0; i < kStreams; ++i) {
      check(driver, driver.cuEventRecord(events_[i], gpu_.group_streams()[i]), "cuEventRecord");
      check(driver, driver.cuStreamWaitEvent(stream, events_[i], 0), "cuStreamWaitEvent");
    }
  }

  Check verify() override {
    // Not a number where nothing is written; sums begin at zero.
    gpu_.set_bytes(gpu_.work_stream(), *d_, shape_.accumulates ? 0x00 : 0xff);
    queue(gpu_.work_stream(), 0);
    gpu_.wait(gpu_.work_stream(), shop_.timeout);
    std::vector<double> found;
    std::vector<double> wanted;
    for (int sample = 0; sample < kSampledElements; ++sample) {
      const auto draw = [&](std::int64_t below, std::uint64_t salt) {
        return static_cast<std::int64_t>(
            kernel::mixed(seed_ + salt, static_cast<std::uint64_t>(sample)) %
            static_cast<std::uint64_t>(below));
      };
      // The first and the last group and element are always among them.
      const std::int64_t group = sample == 0 ? 0 : sample == 1 ? groups_ - 1 : draw(groups_, 11);
      const std::int64_t row = sample == 0   ? 0
                               : sample == 1 ? shape_.rows - 1
                                             : draw(shape_.rows, 12);
      const std::int64_t column = sample == 0   ? 0
                                  : sample == 1 ? shape_.columns - 1
                                                : draw(shape_.columns, 13);
      found.push_back(element(group, row, column));
      wanted.push_back(reference(group, row, column));
    }
    // Fast sums keep about 14 bits, and cut the rest off at every step.
    return within(
        "relative norm", kernel::relative_error(found, wanted), shape_.fast_sums ? 4e-2 : 1e-2);
  }

  double memory_bytes() const override {
    const double ends = shape_.accumulates ? 2 : 1;
    return static_cast<double>(bytes(shape_.a_size(), shape_.type) +
                               bytes(shape_.b_size(), shape_.type)) +
           ends * static_cast<double>(bytes(shape_.d_size(), shape_.out));
  }

  int launches() const override { return groups_ == 1 ? 2 : 2 * groups_ + 12; }

 private:
  static constexpr std::size_t kStreams = 4;

  static std::size_t width(BlasType type) { return type == kE4m3 ? 1 : type == kBfloat16 ? 2 : 4; }

  /// Of all groups.
  std::size_t bytes(std::int64_t elements, BlasType type) const {
    return static_cast<std::size_t>(elements) * static_cast<std::size_t>(groups_) * width(type);
  }

  void queue_group(Stream stream, int group, std::size_t place) const {
    const auto number = static_cast<std::uint64_t>(group);
    const auto offset = [&](std::int64_t elements, BlasType type) {
      return number * static_cast<std::uint64_t>(elements) * width(type);
    };
    product_->queue(stream,
                    a_->address() + offset(shape_.a_size(), shape_.type),
                    b_->address() + offset(shape_.b_size(), shape_.type),
                    d_->address() + offset(shape_.d_size(), shape_.out),
                    workspace_->address() + place * Product::kWorkspace);
  }

  double input(std::uint64_t seed, std::int64_t index) const {
    const float value = kernel::uniform(seed, static_cast<std::uint64_t>(index));
    return shape_.type == kE4m3 ? kernel::from_e4m3(kernel::to_e4m3(value))
                                : kernel::from_bf16(kernel::to_bf16(value));
  }

  double element(std::int64_t group, std::int64_t row, std::int64_t column) const {
    const auto index =
        static_cast<std::uint64_t>(group * shape_.d_size() + column * shape_.rows + row);
    const Address place = d_->address() + index * width(shape_.out);
    if (shape_.out == kFloat32) {
      return gpu_.download<float>(place, 1).front();
    }
    return kernel::from_bf16(gpu_.download<kernel::Bf16>(place, 1).front());
  }

  double reference(std::int64_t group, std::int64_t row, std::int64_t column) const {
    std::vector<double> a;
    std::vector<double> b;
    for (std::int64_t i = 0; i < shape_.inner; ++i) {
      a.push_back(input(seed_, group * shape_.a_size() + shape_.a_at(row, i)));
      b.push_back(input(seed_ + 1, group * shape_.b_size() + shape_.b_at(i, column)));
    }
    return kernel::dot(a, b);
  }

  Workshop& shop_;
  Gpu& gpu_;
  ProductShape shape_;
  std::uint64_t seed_;
  int groups_ = 1;
  std::shared_ptr<Memory> a_;
  std::shared_ptr<Memory> b_;
  std::shared_ptr<Memory> d_;
  std::shared_ptr<Memory> workspace_;
  std::unique_ptr<Memory> unit_scale_;
  std::unique_ptr<Product> product_;
  std::vector<Event> events_;
};

}  // namespace

MadeJob make_gemm_job(Workshop& shop, const Work& work, std::uint64_t seed) {
  if (shop.blas == nullptr) {
    return {nullptr, shop.blas_reason};
  }
  if (work.placement == Placement::partition) {
    return {nullptr, "partitions of the SMs (green contexts) are not measured"};
  }
  if (work.format != cost::Format::bf16 && work.format != cost::Format::fp8) {
    return {nullptr, "only bf16 and fp8 with one scale a matrix are measured"};
  }
  if (work.format == cost::Format::fp8 && shop.gpu.capability() < 89) {
    return {nullptr, "the device has no fp8"};
  }
  const auto multiple_of_16 = [](std::int64_t size) { return size > 0 && size % 16 == 0; };
  if (work.format == cost::Format::fp8 &&
      !(multiple_of_16(work.shape.m) && multiple_of_16(work.shape.n) &&
        multiple_of_16(work.shape.k))) {
    return {nullptr,
            fmt::format("fp8 products take sizes in multiples of 16, not {}×{}×{}",
                        work.shape.m,
                        work.shape.n,
                        work.shape.k)};
  }
  return {std::make_unique<GemmJob>(shop, work, seed), {}};
}

}  // namespace epwise::cuda
