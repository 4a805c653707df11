#include "cost/table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "cost/table_row.h"

namespace epwise::cost {

namespace {

struct Law {
  std::string_view name;
  void (*add)(TableRow& row, Table& table);
};

constexpr Law kLaws[] = {
    {"chip", add_chip},
    {"format", add_format},
    {"gemm", add_gemm},
    {"grouped_gemm", add_grouped_gemm},
    {"persistent_gemm", add_persistent_gemm},
    {"moe_forward", add_moe_forward},
    {"attention", add_attention},
    {"attention_line", add_attention_line},
    {"memory_bound", add_memory_bound},
    {"collective", add_collective},
    {"exchange", add_exchange},
    {"low_latency", add_low_latency},
    {"nvlink_exchange", add_nvlink_exchange},
    {"forms", add_forms},
    {"doubts", add_doubts},
};

void want(bool good, std::string_view sentence, std::vector<std::string>& flaws) {
  if (!good) {
    flaws.emplace_back(sentence);
  }
}

bool has_every_format(const Table& table) {
  return std::all_of(names_of(Format{}).begin(), names_of(Format{}).end(), [&](const auto& name) {
    return std::any_of(table.formats.begin(), table.formats.end(), [&](const auto& each) {
      return each.format == name.value;
    });
  });
}

/// The laws fall back on these; without them some question has no answer.
void check(const Table& table, std::vector<std::string>& flaws) {
  want(!table.chips.empty(), "there is no chip", flaws);
  want(has_every_format(table), "there is a format without an entry", flaws);
  want(std::any_of(table.gemm.begin(),
                   table.gemm.end(),
                   [](const auto& each) {
                     return each.chip == "h100" && each.format == Format::bf16 &&
                            !each.transformer_engine;
                   }),
       "`gemm h100 bf16 torch`, on which others fall back, is missing",
       flaws);
  want(table.grouped_gemm.size() == 1, "`grouped_gemm` wants one entry", flaws);
  want(table.persistent_gemm.size() == 1, "`persistent_gemm` wants one entry", flaws);
  want(table.attention.size() == 1, "`attention` wants one entry", flaws);
  want(table.attention_line.size() == 4,
       "`attention_line` wants hopper and blackwell, forward and backward",
       flaws);
  want(!table.moe_forward.empty(), "`moe_forward` has no entry", flaws);
  want(table.memory_bound.size() == names_of(MemoryKernel{}).size(),
       "`memory_bound` wants an entry for every kernel",
       flaws);
  want(table.collective.size() == 12,
       "`collective` wants four kinds on ampere, hopper and blackwell",
       flaws);
  want(table.exchange.size() == 10,
       "`exchange` wants deepep on hopper, b200 and gb200, hybridep on hopper and gb200, both ways",
       flaws);
  want(table.low_latency.size() == 8,
       "`low_latency` wants hopper, b200, gb200 and the split rates, both ways",
       flaws);
  want(table.nvlink_exchange.size() == 4,
       "`nvlink_exchange` wants one and two sides, both ways",
       flaws);
  want(table.forms.size() == 1, "`forms` wants one entry", flaws);
  want(table.doubts.size() == 1, "`doubts` wants one entry", flaws);
}

}  // namespace

const Chip* Table::find_chip(std::string_view name) const {
  const auto found =
      std::find_if(chips.begin(), chips.end(), [&](const Chip& chip) { return chip.name == name; });
  return found == chips.end() ? nullptr : &*found;
}

const FormatParameters& Table::format(Format format) const {
  const auto found = std::find_if(
      formats.begin(), formats.end(), [&](const auto& each) { return each.format == format; });
  return found == formats.end() ? formats.front() : *found;
}

std::optional<Table> make_table(const std::vector<TableEntry>& entries,
                                std::vector<text::Diagnostic>& problems) {
  Table table;
  std::vector<std::string> flaws;
  for (const TableEntry& entry : entries) {
    const auto law = std::find_if(std::begin(kLaws), std::end(kLaws), [&](const Law& each) {
      return each.name == entry.law;
    });
    if (law == std::end(kLaws)) {
      flaws.push_back(fmt::format("no law is called `{}`", entry.law));
      continue;
    }
    TableRow row(entry, flaws);
    law->add(row, table);
    row.finish();
  }
  check(table, flaws);
  for (std::string& flaw : flaws) {
    problems.push_back({"config/invalid", {}, "costs: " + std::move(flaw), {}, {}});
  }
  if (!flaws.empty()) {
    return std::nullopt;
  }
  return table;
}

}  // namespace epwise::cost
