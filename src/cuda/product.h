#pragma once

#include <cstdint>
#include <memory>

#include "calibrate/work/work.h"
#include "cuda/blas.h"

namespace epwise::cuda {

/// A product as cuBLAS sees it, all matrices by columns: D[rows, columns] = op(A) op(B), summed
/// over `inner`.
struct ProductShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  bool a_transposed = false;
  bool b_transposed = false;
  BlasType type = kBfloat16;
  BlasType out = kBfloat16;
  bool accumulates = false;  // D += …, as the gradient of weights does
  bool fast_sums = false;    // fp8: sums of the matrix units, which keep fewer bits

  std::int64_t a_size() const { return rows * inner; }

  std::int64_t b_size() const { return inner * columns; }

  std::int64_t d_size() const { return rows * columns; }

  /// Where element (row, i) of op(A) lies, and (i, column) of op(B), counted in elements.
  std::int64_t a_at(std::int64_t row, std::int64_t i) const {
    return a_transposed ? row * inner + i : i * rows + row;
  }

  std::int64_t b_at(std::int64_t i, std::int64_t column) const {
    return b_transposed ? i * columns + column : column * inner + i;
  }
};

/// A linear layer's product by stage, as training libraries lay them out: x [m, k] and weights
/// [n, k] by rows. Forward y = x Wᵀ, data gradient dx = dy W, weight gradient dW += dyᵀ x in fp32.
/// fp8 knows one layout; its transposed operands are copies made before, so every stage has it.
/// Forward products in fp8 add up fast, gradients exactly: what training libraries ask for.
ProductShape product_shape(const calibrate::Work& work);

/// A product that can be queued. Throws DeviceError when cuBLAS knows no way to compute it.
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
