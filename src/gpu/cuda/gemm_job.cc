#include "gpu/cuda/gemm_job.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "gpu/abi/reference.h"
#include "gpu/cuda/job.h"

namespace epwise::cuda {

namespace {

void expect(int status, const char* what) {
  if (status != 0) {
    throw DeviceError(std::string(what) + ": cuBLAS status " + std::to_string(status), false);
  }
}

}  // namespace

ProductShape product_shape(const calibrate::Work& work) {
  const auto& sizes = work.shape;
  ProductShape shape;
  const bool fp8 = work.format != cost::Format::bf16;
  switch (work.stage) {
    case calibrate::Stage::forward:
      shape.rows = sizes.n;
      shape.columns = sizes.m;
      shape.inner = sizes.k;
      shape.a_transposed = true;
      break;
    case calibrate::Stage::data_gradient:
      shape.rows = sizes.k;
      shape.columns = sizes.m;
      shape.inner = sizes.n;
      break;
    case calibrate::Stage::weight_gradient:
      shape.rows = sizes.k;
      shape.columns = sizes.n;
      shape.inner = sizes.m;
      shape.b_transposed = true;
      shape.out = kFloat32;
      shape.accumulates = true;
      break;
  }
  if (fp8) {
    shape.type = kE4m3;
    shape.a_transposed = true;
    shape.b_transposed = false;
    shape.fast_sums = work.stage == calibrate::Stage::forward;
  }
  return shape;
}

Product::Product(const Blas& blas,
                 const ProductShape& shape,
                 int sm_target,
                 const float* unit_scale)
    : blas_(blas),
      shape_(shape) {
  expect(blas.cublasLtMatmulDescCreate(&product_, kComputeFloat32, kFloat32),
         "cublasLtMatmulDescCreate");
  const std::int32_t a_operation = shape.a_transposed ? kTransposed : kNotTransposed;
  const std::int32_t b_operation = shape.b_transposed ? kTransposed : kNotTransposed;
  set(kTransposeA, &a_operation, sizeof(a_operation));
  set(kTransposeB, &b_operation, sizeof(b_operation));
  if (sm_target > 0) {
    const std::int32_t target = sm_target;
    set(kSmTarget, &target, sizeof(target));
  }
  if (shape.type == kE4m3) {
    set(kScaleA, &unit_scale, sizeof(unit_scale));
    set(kScaleB, &unit_scale, sizeof(unit_scale));
    const std::int8_t fast = shape.fast_sums ? 1 : 0;
    set(kFastSums, &fast, sizeof(fast));
  }
  const auto layout =
      [&blas](LayoutHandle*& made, BlasType type, std::int64_t rows, std::int64_t columns) {
        expect(blas.cublasLtMatrixLayoutCreate(&made,
                                               type,
                                               static_cast<std::uint64_t>(rows),
                                               static_cast<std::uint64_t>(columns),
                                               rows),
               "cublasLtMatrixLayoutCreate");
      };
  layout(a_,
         shape.type,
         shape.a_transposed ? shape.inner : shape.rows,
         shape.a_transposed ? shape.rows : shape.inner);
  layout(b_,
         shape.type,
         shape.b_transposed ? shape.columns : shape.inner,
         shape.b_transposed ? shape.inner : shape.columns);
  layout(d_, shape.out, shape.rows, shape.columns);
  choose();
}

Product::~Product() {
  for (LayoutHandle* layout : {a_, b_, d_}) {
    if (layout != nullptr) {
      blas_.cublasLtMatrixLayoutDestroy(layout);
    }
  }
  if (product_ != nullptr) {
    blas_.cublasLtMatmulDescDestroy(product_);
  }
}

void Product::set(int attribute, const void* value, std::size_t bytes) {
  expect(blas_.cublasLtMatmulDescSetAttribute(product_, attribute, value, bytes),
         "cublasLtMatmulDescSetAttribute");
}

void Product::choose() {
  PreferenceHandle* preference = nullptr;
  expect(blas_.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  const std::size_t workspace = kWorkspace;
  blas_.cublasLtMatmulPreferenceSetAttribute(
      preference, kMostWorkspace, &workspace, sizeof(workspace));
  int found = 0;
  const int status = blas_.cublasLtMatmulAlgoGetHeuristic(
      blas_.handle, product_, a_, b_, d_, d_, preference, 1, &chosen_, &found);
  blas_.cublasLtMatmulPreferenceDestroy(preference);
  expect(status, "cublasLtMatmulAlgoGetHeuristic");
  if (found == 0) {
    throw DeviceError("cuBLAS has no kernel for this GEMM", false);
  }
}

void Product::queue(Stream stream, Address a, Address b, Address d, Address workspace) const {
  const float one = 1;
  const float beta = shape_.accumulates ? 1.0F : 0.0F;
  expect(blas_.cublasLtMatmul(blas_.handle,
                              product_,
                              &one,
                              reinterpret_cast<const void*>(a),
                              a_,
                              reinterpret_cast<const void*>(b),
                              b_,
                              &beta,
                              reinterpret_cast<const void*>(d),
                              d_,
                              reinterpret_cast<void*>(d),
                              d_,
                              &chosen_.algorithm,
                              reinterpret_cast<void*>(workspace),
                              kWorkspace,
                              stream),
         "cublasLtMatmul");
}

namespace {

using calibrate::Check;
using calibrate::Kernel;
using calibrate::Placement;
using calibrate::Work;

constexpr int kSampledElements = 64;

/// One GEMM, or one per expert, over four streams as the training libraries do by default.
class GemmJob : public Job {
 public:
  GemmJob(JobContext& context, const Work& work, std::uint64_t seed)
      : context_(context),
        gpu_(context.gpu),
        shape_(product_shape(work)),
        seed_(seed) {
    groups_ = work.kernel == Kernel::grouped_gemm
                  ? static_cast<int>(std::max<std::int64_t>(work.shape.groups, 1))
                  : 1;
    const abi::Fill fill = shape_.type == kE4m3 ? abi::kFillE4m3 : abi::kFillBf16;
    a_ = context.pool.filled(fill, seed, bytes(shape_.a_size(), shape_.type));
    b_ = context.pool.filled(fill, seed + 1, bytes(shape_.b_size(), shape_.type));
    d_ = context.pool.blank("product out", bytes(shape_.d_size(), shape_.out));
    workspace_ = context.pool.blank("product workspace", kStreams * Product::kWorkspace);
    unit_scale_ = gpu_.upload(std::vector<float>{1.0F});
    const int target = work.placement == Placement::target ? work.sms : 0;
    product_ =
        std::make_unique<Product>(*context.blas, shape_, target, unit_scale_->as<const float>());
    for (std::size_t i = 0; i <= kStreams; ++i) {
      Event event = nullptr;
      check(gpu_.driver(), gpu_.driver().cuEventCreate(&event, kEventWithoutTime), "cuEventCreate");
      events_.push_back(event);
    }
    gpu_.wait(gpu_.work_stream(), context.timeout);
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
    // NaN wherever nothing is written; sums begin at zero.
    gpu_.set_bytes(gpu_.work_stream(), *d_, shape_.accumulates ? 0x00 : 0xff);
    queue(gpu_.work_stream(), 0);
    gpu_.wait(gpu_.work_stream(), context_.timeout);
    std::vector<double> found;
    std::vector<double> wanted;
    for (int sample = 0; sample < kSampledElements; ++sample) {
      const auto draw = [&](std::int64_t below, std::uint64_t salt) {
        return static_cast<std::int64_t>(
            abi::mixed(seed_ + salt, static_cast<std::uint64_t>(sample)) %
            static_cast<std::uint64_t>(below));
      };
      // Always includes the first and the last group and element.
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
    // Fast accumulation keeps about 14 bits and truncates the rest at every step.
    return within(
        "relative norm", abi::relative_error(found, wanted), shape_.fast_sums ? 4e-2 : 1e-2);
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
    const float value = abi::uniform(seed, static_cast<std::uint64_t>(index));
    return shape_.type == kE4m3 ? abi::from_e4m3(abi::to_e4m3(value))
                                : abi::from_bf16(abi::to_bf16(value));
  }

  double element(std::int64_t group, std::int64_t row, std::int64_t column) const {
    const auto index =
        static_cast<std::uint64_t>(group * shape_.d_size() + column * shape_.rows + row);
    const Address place = d_->address() + index * width(shape_.out);
    if (shape_.out == kFloat32) {
      return gpu_.download<float>(place, 1).front();
    }
    return abi::from_bf16(gpu_.download<abi::Bf16>(place, 1).front());
  }

  double reference(std::int64_t group, std::int64_t row, std::int64_t column) const {
    std::vector<double> a;
    std::vector<double> b;
    for (std::int64_t i = 0; i < shape_.inner; ++i) {
      a.push_back(input(seed_, group * shape_.a_size() + shape_.a_at(row, i)));
      b.push_back(input(seed_ + 1, group * shape_.b_size() + shape_.b_at(i, column)));
    }
    return abi::dot(a, b);
  }

  JobContext& context_;
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

MadeJob make_gemm_job(JobContext& context, const Work& work, std::uint64_t seed) {
  if (context.blas == nullptr) {
    return {nullptr, context.blas_reason};
  }
  if (work.placement == Placement::partition) {
    return {nullptr, "partitions of the SMs (green contexts) are not measured"};
  }
  if (work.format != cost::Format::bf16 && work.format != cost::Format::fp8) {
    return {nullptr, "only bf16 and fp8 with one scale a matrix are measured"};
  }
  if (work.format == cost::Format::fp8 && context.gpu.capability() < 89) {
    return {nullptr, "the device does not support fp8"};
  }
  const auto multiple_of_16 = [](std::int64_t size) { return size > 0 && size % 16 == 0; };
  if (work.format == cost::Format::fp8 &&
      !(multiple_of_16(work.shape.m) && multiple_of_16(work.shape.n) &&
        multiple_of_16(work.shape.k))) {
    return {nullptr,
            fmt::format("fp8 GEMMs need sizes that are multiples of 16, not {}×{}×{}",
                        work.shape.m,
                        work.shape.n,
                        work.shape.k)};
  }
  return {std::make_unique<GemmJob>(context, work, seed), {}};
}

}  // namespace epwise::cuda
