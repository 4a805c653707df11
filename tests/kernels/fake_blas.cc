#include <array>
#include <cstring>

#include "fake_driver.h"
#include "gpu/abi/numbers.h"

namespace epwise::kernel_tests {

namespace {

struct FakeProduct {
  std::array<std::int32_t, 2> transposed = {};
};

struct FakeLayout {
  int type = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

double load(const void* base, int type, std::int64_t index) {
  switch (type) {
    case cuda::kFloat32:
      return static_cast<const float*>(base)[index];
    case cuda::kBfloat16:
      return abi::from_bf16(static_cast<const abi::Bf16*>(base)[index]);
    default:
      return abi::from_e4m3(static_cast<const abi::E4m3*>(base)[index]);
  }
}

void multiply(const FakeProduct& product,
              const void* a,
              const FakeLayout& a_layout,
              const void* b,
              const FakeLayout& b_layout,
              float beta,
              void* d,
              const FakeLayout& d_layout) {
  const std::int64_t inner = product.transposed[0] != 0 ? a_layout.rows : a_layout.columns;
  for (std::int64_t column = 0; column < d_layout.columns; ++column) {
    for (std::int64_t row = 0; row < d_layout.rows; ++row) {
      double sum = 0;
      for (std::int64_t i = 0; i < inner; ++i) {
        const std::int64_t a_index =
            product.transposed[0] != 0 ? row * a_layout.rows + i : i * a_layout.rows + row;
        const std::int64_t b_index =
            product.transposed[1] != 0 ? i * b_layout.rows + column : column * b_layout.rows + i;
        sum += load(a, a_layout.type, a_index) * load(b, b_layout.type, b_index);
      }
      const std::int64_t index = column * d_layout.rows + row;
      if (d_layout.type == cuda::kFloat32) {
        auto* out = static_cast<float*>(d);
        out[index] = static_cast<float>(sum) + (beta != 0 ? beta * out[index] : 0);
      } else {
        static_cast<abi::Bf16*>(d)[index] = abi::to_bf16(static_cast<float>(sum));
      }
    }
  }
}

}  // namespace

cuda::OpenedBlas fake_blas(const cuda::Library* /*library*/) {
  cuda::OpenedBlas opened;
  cuda::Blas& blas = opened.blas;
  blas.cublasLtCreate = [](cuda::BlasHandle**) { return 0; };
  blas.cublasLtDestroy = [](cuda::BlasHandle*) { return 0; };
  blas.cublasLtGetVersion = [] { return std::size_t{130101}; };
  blas.cublasLtMatmulDescCreate = [](cuda::ProductHandle** made, int, int) {
    *made = reinterpret_cast<cuda::ProductHandle*>(new FakeProduct());
    return 0;
  };
  blas.cublasLtMatmulDescDestroy = [](cuda::ProductHandle* product) {
    delete reinterpret_cast<FakeProduct*>(product);
    return 0;
  };
  blas.cublasLtMatmulDescSetAttribute =
      [](cuda::ProductHandle* product, int which, const void* value, std::size_t) {
        if (which == cuda::kTransposeA || which == cuda::kTransposeB) {
          const std::size_t place = which == cuda::kTransposeA ? 0 : 1;
          std::memcpy(&reinterpret_cast<FakeProduct*>(product)->transposed[place],
                      value,
                      sizeof(std::int32_t));
        }
        return 0;
      };
  blas.cublasLtMatrixLayoutCreate = [](cuda::LayoutHandle** made,
                                       int type,
                                       std::uint64_t rows,
                                       std::uint64_t columns,
                                       std::int64_t) {
    *made = reinterpret_cast<cuda::LayoutHandle*>(
        new FakeLayout{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)});
    return 0;
  };
  blas.cublasLtMatrixLayoutDestroy = [](cuda::LayoutHandle* layout) {
    delete reinterpret_cast<FakeLayout*>(layout);
    return 0;
  };
  blas.cublasLtMatmulPreferenceCreate = [](cuda::PreferenceHandle**) { return 0; };
  blas.cublasLtMatmulPreferenceDestroy = [](cuda::PreferenceHandle*) { return 0; };
  blas.cublasLtMatmulPreferenceSetAttribute =
      [](cuda::PreferenceHandle*, int, const void*, std::size_t) { return 0; };
  blas.cublasLtMatmulAlgoGetHeuristic = [](cuda::BlasHandle*,
                                           cuda::ProductHandle*,
                                           cuda::LayoutHandle*,
                                           cuda::LayoutHandle*,
                                           cuda::LayoutHandle*,
                                           cuda::LayoutHandle*,
                                           cuda::PreferenceHandle*,
                                           int,
                                           cuda::BlasHeuristic*,
                                           int* found) {
    *found = 1;
    return 0;
  };
  blas.cublasLtMatmul = [](cuda::BlasHandle*,
                           cuda::ProductHandle* product,
                           const void*,
                           const void* a,
                           cuda::LayoutHandle* a_layout,
                           const void* b,
                           cuda::LayoutHandle* b_layout,
                           const void* beta,
                           const void*,
                           cuda::LayoutHandle*,
                           void* d,
                           cuda::LayoutHandle* d_layout,
                           const cuda::BlasAlgorithm*,
                           void*,
                           std::size_t,
                           cuda::Stream stream) {
    const float scale = *static_cast<const float*>(beta);
    const auto* out = reinterpret_cast<FakeLayout*>(d_layout);
    const auto* left = reinterpret_cast<FakeLayout*>(a_layout);
    const std::int64_t work = out->columns * left->rows * left->columns;
    enqueue_on_device(
        stream,
        [=] {
          multiply(*reinterpret_cast<FakeProduct*>(product),
                   a,
                   *reinterpret_cast<FakeLayout*>(a_layout),
                   b,
                   *reinterpret_cast<FakeLayout*>(b_layout),
                   scale,
                   d,
                   *reinterpret_cast<FakeLayout*>(d_layout));
        },
        static_cast<std::uint64_t>(work));
    return 0;
  };
  return opened;
}

cuda::OpenedBlas no_blas(const cuda::Library* /*library*/) {
  cuda::OpenedBlas opened;
  opened.reason = "cuBLAS is not installed";
  return opened;
}

}  // namespace epwise::kernel_tests
