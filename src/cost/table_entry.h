#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/cost.h"
#include "text/diagnostic.h"
#include "text/source_file.h"

namespace epwise::cost {

/// One set of parameters as a file of the law tables holds it (hwprofiles/costlaws/README.md has
/// the format).
struct TableEntry {
  struct Value {
    std::string name;
    std::string unit;  // "us", "GB/s"; "1" for a ratio
    double number = 0;
    double least = 0;  // what a fit may give it
    double most = 1e9;
  };

  struct Bound {
    std::string name;
    double low = 0;
    double high = 0;
  };

  std::string law;               // "gemm"
  std::vector<std::string> key;  // {"h100", "bf16", "torch"}
  std::vector<Value> values;
  std::vector<Bound> range;         // where the law holds
  std::vector<std::string> fitted;  // values that the rows bind; the others are held
  Basis basis;
};

/// YAML text → entries; every problem in it: keys missing, values without a unit or a source.
///   hwprofiles/costlaws/gemm.yaml:21:5: value `eff` has no unit under `parameters`
std::vector<TableEntry> read_entries(const text::SourceFile& file,
                                     std::vector<text::Diagnostic>& problems);

/// Entries ↔ the bytes that the build embeds.
std::string pack_entries(std::vector<TableEntry> entries);
std::vector<TableEntry> unpack_entries(std::string_view bytes);

}  // namespace epwise::cost
