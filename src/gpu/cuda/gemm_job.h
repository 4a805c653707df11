#pragma once

#include <cstdint>
#include <memory>

#include "calibrate/work/work.h"
#include "gpu/cuda/blas.h"

namespace epwise::cuda {

/// A GEMM as cuBLAS sees it, all matrices column-major: D[rows, columns] = op(A) op(B), summed over
/// `inner`.
struct ProductShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  bool a_transposed = false;
  bool b_transposed = false;
  BlasType type = kBfloat16;
  BlasType out = kBfloat16;
  bool accumulates = false;  // D += …, as for weight gradients
  bool fast_sums = false;    // fp8: fast accumulation in the tensor cores, which keeps fewer bits

  std::int64_t a_size() const { return rows * inner; }

  std::int64_t b_size() const { return inner * columns; }

  std::int64_t d_size() const { return rows * columns; }

  /// Offset in elements of element (row, i) of op(A), and of (i, column) of op(B).
  std::int64_t a_at(std::int64_t row, std::int64_t i) const {
    return a_transposed ? row * inner + i : i * rows + row;
  }

  std::int64_t b_at(std::int64_t i, std::int64_t column) const {
    return b_transposed ? i * columns + column : column * inner + i;
  }
};

/// A linear layer's GEMM by stage, as training libraries lay it out: x [m, k] and weights [n, k]
/// row-major. Forward y = x Wᵀ, data gradient dx = dy W, weight gradient dW += dyᵀ x in fp32. fp8
/// supports one layout; its transposed operands are copied in advance, so every stage uses it.
/// Forward GEMMs in fp8 use fast accumulation, gradients exact accumulation, as in training
/// libraries.
ProductShape product_shape(const calibrate::Work& work);

/// A GEMM that can be queued. Throws DeviceError if cuBLAS cannot compute it.
class Product {
 public:
  /// `sm_target` > 0 asks cuBLAS for kernels of that many SMs.
  Product(const Blas& blas, const ProductShape& shape, int sm_target, const float* unit_scale);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void queue(Stream stream, Address a, Address b, Address d, Address workspace) const;

  static constexpr std::size_t kWorkspace = std::size_t{32} << 20U;

 private:
  void set(int attribute, const void* value, std::size_t bytes);
  void choose();

  const Blas& blas_;
  ProductShape shape_;
  ProductHandle* product_ = nullptr;
  LayoutHandle* a_ = nullptr;
  LayoutHandle* b_ = nullptr;
  LayoutHandle* d_ = nullptr;
  BlasHeuristic chosen_ = {};
};

}  // namespace epwise::cuda
