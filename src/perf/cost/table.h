#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "perf/cost/cost.h"
#include "perf/cost/parameters.h"

namespace epwise::cost {

/// One set of parameters from a law table (format in hwprofiles/costlaws/README.md).
struct TableEntry {
  struct Value {
    std::string name;
    std::string unit;  // "us", "GB/s"; "1" for a ratio
    double number = 0;
    double least = 0;  // bounds for fits
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
  std::vector<Bound> range;         // range of validity of the law
  std::vector<std::string> fitted;  // values determined by the rows; the others are fixed
  Basis basis;
};

/// YAML text → entries, and all problems: missing keys, values without a unit or a source.
///   hwprofiles/costlaws/gemm.yaml:21:5: value `eff` has no unit under `parameters`
std::vector<TableEntry> read_entries(const text::SourceFile& file,
                                     std::vector<text::Diagnostic>& problems);

/// Entries ↔ the bytes embedded by the build.
std::string pack_entries(std::vector<TableEntry> entries);
std::vector<TableEntry> unpack_entries(std::string_view bytes);

/// All parameters of all laws. Costs point into it: it must outlive them, and must not be copied
/// while they exist.
struct Table {
  std::vector<Chip> chips;
  std::vector<FormatParameters> formats;
  std::vector<GemmParameters> gemm;
  std::vector<GroupedGemmParameters> grouped_gemm;        // one
  std::vector<PersistentGemmParameters> persistent_gemm;  // one
  std::vector<MoeForwardParameters> moe_forward;
  std::vector<AttentionParameters> attention;  // one
  std::vector<AttentionLine> attention_line;
  std::vector<MemoryParameters> memory_bound;
  std::vector<CollectiveParameters> collective;
  std::vector<ExchangeParameters> exchange;
  std::vector<LowLatencyParameters> low_latency;
  std::vector<NvlinkExchangeParameters> nvlink_exchange;
  std::vector<FormParameters> forms;    // one
  std::vector<DoubtParameters> doubts;  // one

  /// Null pointer if the name is unknown.
  const Chip* find_chip(std::string_view name) const;
  const FormatParameters& format(Format format) const;

  const FormParameters& form() const { return forms.front(); }

  const DoubtParameters& doubt() const { return doubts.front(); }
};

/// Entries → typed parameters; nullopt with a reason if something is missing, unknown, or not in
/// the unit of the law:
///   costs: `eff` of `gemm h100 bf16 torch` is missing
std::optional<Table> make_table(const std::vector<TableEntry>& entries,
                                std::vector<text::Diagnostic>& problems);

}  // namespace epwise::cost
