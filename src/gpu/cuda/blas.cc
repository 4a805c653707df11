#include "gpu/cuda/blas.h"

#include <fmt/format.h>

namespace epwise::cuda {

OpenedBlas open_blas(const Library& library) {
  OpenedBlas opened;
  if (!library.is_open()) {
    opened.reason = "cuBLAS: " + library.reason();
    return opened;
  }
  Blas& blas = opened.blas;
  const auto find = [&library, &opened](const char* name, auto*& function) {
    if (!library.find(name, function) && opened.reason.empty()) {
      opened.reason = std::string("cuBLAS is too old: it has no ") + name;
    }
  };
  find("cublasLtCreate", blas.cublasLtCreate);
  find("cublasLtDestroy", blas.cublasLtDestroy);
  find("cublasLtGetVersion", blas.cublasLtGetVersion);
  find("cublasLtMatmulDescCreate", blas.cublasLtMatmulDescCreate);
  find("cublasLtMatmulDescDestroy", blas.cublasLtMatmulDescDestroy);
  find("cublasLtMatmulDescSetAttribute", blas.cublasLtMatmulDescSetAttribute);
  find("cublasLtMatrixLayoutCreate", blas.cublasLtMatrixLayoutCreate);
  find("cublasLtMatrixLayoutDestroy", blas.cublasLtMatrixLayoutDestroy);
  find("cublasLtMatmulPreferenceCreate", blas.cublasLtMatmulPreferenceCreate);
  find("cublasLtMatmulPreferenceDestroy", blas.cublasLtMatmulPreferenceDestroy);
  find("cublasLtMatmulPreferenceSetAttribute", blas.cublasLtMatmulPreferenceSetAttribute);
  find("cublasLtMatmulAlgoGetHeuristic", blas.cublasLtMatmulAlgoGetHeuristic);
  find("cublasLtMatmul", blas.cublasLtMatmul);
  if (opened.reason.empty() && blas.cublasLtCreate(&blas.handle) != 0) {
    opened.reason = "cannot initialise cuBLAS on this device";
  }
  return opened;
}

std::string blas_version(const Blas& blas) {
  const std::size_t version = blas.cublasLtGetVersion();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace epwise::cuda
