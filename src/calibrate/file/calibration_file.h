#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/work/work.h"
#include "yaml/reader.h"

/// The mapping that represents a piece of work in files: {kernel: gemm, dtype: bf16, m: 4096, …}.

namespace epwise::calibrate {

/// One size of a shape, by name.
struct ShapeField {
  std::string_view name;
  std::int64_t Shape::*member = nullptr;
};

/// m, n, k, groups, … in file order; `bytes` is separate.
const std::vector<ShapeField>& shape_fields();

/// "kernel: gemm, dtype: bf16, m: 4096"; default values are omitted.
std::string work_text(const Work& work);

/// Reports what cannot be read.
Work read_work(const yaml::Node& node,
               std::string_view what,
               std::vector<text::Diagnostic>& problems);

/// An integer in [0, 2^53] under `key`; `otherwise` if absent.
std::int64_t read_count(yaml::MapReader& in, std::string_view key, std::int64_t otherwise = 0);

/// A finite number in [low, high] under `key`; `otherwise` if absent.
double read_number(
    yaml::MapReader& in, std::string_view key, double otherwise, double low, double high);

}  // namespace epwise::calibrate
