#include "cuda/product.h"

#include <string>

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
    throw DeviceError("cuBLAS knows no kernel for this product", false);
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

}  // namespace epwise::cuda
