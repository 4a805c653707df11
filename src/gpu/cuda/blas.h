#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/cuda/driver.h"
#include "gpu/cuda/library.h"

/// The part of cuBLASLt used by calibration, declared here and checked against cublasLt.h by
/// tests/kernels/abi_test.cc.
namespace epwise::cuda {

struct BlasHandle;
struct ProductHandle;
struct LayoutHandle;
struct PreferenceHandle;

enum BlasType : int { kFloat32 = 0, kBfloat16 = 14, kE4m3 = 28 };

constexpr int kComputeFloat32 = 68;
constexpr std::int32_t kNotTransposed = 0;
constexpr std::int32_t kTransposed = 1;

enum ProductAttribute : int {
  kTransposeA = 3,
  kTransposeB = 4,
  kSmTarget = 15,
  kScaleA = 17,
  kScaleB = 18,
  kFastSums = 25
};

constexpr int kMostWorkspace = 1;  // attribute of a preference

struct BlasAlgorithm {
  std::uint64_t data[8] = {};
};

struct BlasHeuristic {
  BlasAlgorithm algorithm = {};
  std::size_t workspace_bytes = 0;
  int state = 0;
  float waves = 0;
  int reserved[4] = {};
};

/// Functions of libcublasLt, each under its original name.
struct Blas {
  int (*cublasLtCreate)(BlasHandle**) = nullptr;
  int (*cublasLtDestroy)(BlasHandle*) = nullptr;
  std::size_t (*cublasLtGetVersion)() = nullptr;
  int (*cublasLtMatmulDescCreate)(ProductHandle**, int, int) = nullptr;
  int (*cublasLtMatmulDescDestroy)(ProductHandle*) = nullptr;
  int (*cublasLtMatmulDescSetAttribute)(ProductHandle*, int, const void*, std::size_t) = nullptr;
  int (*cublasLtMatrixLayoutCreate)(
      LayoutHandle**, int, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
  int (*cublasLtMatrixLayoutDestroy)(LayoutHandle*) = nullptr;
  int (*cublasLtMatmulPreferenceCreate)(PreferenceHandle**) = nullptr;
  int (*cublasLtMatmulPreferenceDestroy)(PreferenceHandle*) = nullptr;
  int (*cublasLtMatmulPreferenceSetAttribute)(PreferenceHandle*,
                                              int,
                                              const void*,
                                              std::size_t) = nullptr;
  int (*cublasLtMatmulAlgoGetHeuristic)(BlasHandle*,
                                        ProductHandle*,
                                        LayoutHandle*,
                                        LayoutHandle*,
                                        LayoutHandle*,
                                        LayoutHandle*,
                                        PreferenceHandle*,
                                        int,
                                        BlasHeuristic*,
                                        int*) = nullptr;
  int (*cublasLtMatmul)(BlasHandle*,
                        ProductHandle*,
                        const void*,
                        const void*,
                        LayoutHandle*,
                        const void*,
                        LayoutHandle*,
                        const void*,
                        const void*,
                        LayoutHandle*,
                        void*,
                        LayoutHandle*,
                        const BlasAlgorithm*,
                        void*,
                        std::size_t,
                        Stream) = nullptr;

  BlasHandle* handle = nullptr;  // created by open_blas
};

/// The functions and a handle for the current context, or why there are none.
struct OpenedBlas {
  Blas blas = {};
  std::string reason = {};
};

OpenedBlas open_blas(const Library& library);

/// "13.1.1" for 130101.
std::string blas_version(const Blas& blas);

}  // namespace epwise::cuda
