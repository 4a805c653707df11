#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cost/parameters.h"
#include "cost/table_entry.h"
#include "text/diagnostic.h"

namespace epwise::cost {

/// All parameters of all laws. Costs point into it: it outlives them, and is not copied while they
/// live.
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

  /// Null pointer when there is none of that name.
  const Chip* find_chip(std::string_view name) const;
  const FormatParameters& format(Format format) const;

  const FormParameters& form() const { return forms.front(); }

  const DoubtParameters& doubt() const { return doubts.front(); }
};

/// Entries → typed parameters; nullopt, and why, when something is missing, unknown, or in another
/// unit than the laws count in:
///   costs: `eff` of `gemm h100 bf16 torch` is missing
std::optional<Table> make_table(const std::vector<TableEntry>& entries,
                                std::vector<text::Diagnostic>& problems);

}  // namespace epwise::cost
