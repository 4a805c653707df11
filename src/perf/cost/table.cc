#include "perf/cost/table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/embedded/archive.h"
#include "perf/cost/table_columns.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

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

/// The laws fall back on these; without them some queries have no answer.
void check(const Table& table, std::vector<std::string>& flaws) {
  want(!table.chips.empty(), "there is no chip", flaws);
  want(has_every_format(table), "a format has no entry", flaws);
  want(std::any_of(table.gemm.begin(),
                   table.gemm.end(),
                   [](const auto& each) {
                     return each.chip == "h100" && each.format == Format::bf16 &&
                            !each.transformer_engine;
                   }),
       "`gemm h100 bf16 torch`, on which others fall back, is missing",
       flaws);
  want(table.grouped_gemm.size() == 1, "`grouped_gemm` needs exactly one entry", flaws);
  want(table.persistent_gemm.size() == 1, "`persistent_gemm` needs exactly one entry", flaws);
  want(table.attention.size() == 1, "`attention` needs exactly one entry", flaws);
  want(table.attention_line.size() == 4,
       "`attention_line` needs hopper and blackwell, forward and backward",
       flaws);
  want(!table.moe_forward.empty(), "`moe_forward` has no entry", flaws);
  want(table.memory_bound.size() == names_of(MemoryKernel{}).size(),
       "`memory_bound` needs an entry for every kernel",
       flaws);
  want(table.collective.size() == 12,
       "`collective` needs four kinds on ampere, hopper and blackwell",
       flaws);
  want(table.exchange.size() == 10,
       "`exchange` needs deepep on hopper, b200 and gb200, hybridep on hopper and gb200, both ways",
       flaws);
  want(table.low_latency.size() == 8,
       "`low_latency` needs hopper, b200, gb200 and the split rates, both ways",
       flaws);
  want(table.nvlink_exchange.size() == 4,
       "`nvlink_exchange` needs one and two sides, both ways",
       flaws);
  want(table.forms.size() == 1, "`forms` needs exactly one entry", flaws);
  want(table.doubts.size() == 1, "`doubts` needs exactly one entry", flaws);
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
      flaws.push_back(fmt::format("unknown law `{}`", entry.law));
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

template <class Archive>
void transfer(Archive& archive, TableEntry::Value& value) {
  archive(value.name, value.unit, value.number, value.least, value.most);
}

template <class Archive>
void transfer(Archive& archive, TableEntry::Bound& bound) {
  archive(bound.name, bound.low, bound.high);
}

template <class Archive>
void transfer(Archive& archive, TableEntry& entry) {
  Basis& basis = entry.basis;
  archive(entry.law, entry.key, entry.values, entry.range, entry.fitted);
  archive(basis.name, basis.source, basis.date, basis.status, basis.relative_sd, basis.rows);
  archive(basis.measured_on, basis.carried_to);
}

std::string pack_entries(std::vector<TableEntry> entries) {
  embedded::Writer writer;
  writer(entries);
  return writer.bytes();
}

std::vector<TableEntry> unpack_entries(std::string_view bytes) {
  std::vector<TableEntry> entries;
  embedded::Reader reader(bytes);
  reader(entries);
  if (!reader.at_end()) {
    throw std::runtime_error("compiled law table is damaged");
  }
  return entries;
}

namespace {

struct Meaning {
  std::string unit;
  double least = 0;
  double most = 1e9;
};

struct Source {
  std::string text;
  std::string date;
};

std::optional<double> number_in_table(const yaml::Node& node) {
  if (!node.is_scalar() || node.scalar.empty()) {
    return std::nullopt;
  }
  char* end = nullptr;
  const double number = std::strtod(node.scalar.c_str(), &end);
  if (*end != '\0' || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

std::optional<Status> parse_status(std::string_view text) {
  for (const Status status :
       {Status::fitted, Status::interpolated, Status::extrapolated, Status::prior}) {
    if (to_string(status) == text) {
      return status;
    }
  }
  return std::nullopt;
}

class EntryReader {
 public:
  explicit EntryReader(std::vector<text::Diagnostic>& problems) : problems_(problems) {}

  std::vector<TableEntry> read(const yaml::Node& root) {
    yaml::MapReader in(root, "law table", problems_);
    law_ = in.required_text("law");
    in.required_text("formula");
    in.required("parameters");
    if (const yaml::Node* parameters = in.mapping("parameters")) {
      read_parameters(*parameters);
    }
    in.required("sources");
    if (const yaml::Node* sources = in.mapping("sources")) {
      read_sources(*sources);
    }
    in.required("entries");
    std::vector<TableEntry> entries;
    if (const yaml::Node* list = in.sequence("entries")) {
      for (const yaml::Node& item : list->items) {
        entries.push_back(read_entry(item));
      }
    }
    in.finish();
    return entries;
  }

 private:
  void problem(const text::Mark& mark, std::string message) {
    problems_.push_back({"config/invalid", mark, std::move(message), {}, {}});
  }

  void read_parameters(const yaml::Node& node) {
    for (const yaml::Entry& entry : node.entries) {
      yaml::MapReader in(entry.value, fmt::format("parameter `{}`", entry.key), problems_);
      Meaning& meaning = meanings_[entry.key];
      meaning.unit = in.required_text("unit");
      in.required_text("meaning");
      meaning.least = in.number("at_least").value_or(meaning.least);
      meaning.most = in.number("at_most").value_or(meaning.most);
      in.finish();
    }
  }

  void read_sources(const yaml::Node& node) {
    for (const yaml::Entry& entry : node.entries) {
      yaml::MapReader in(entry.value, fmt::format("source `{}`", entry.key), problems_);
      Source source;
      source.text = in.required_text("text");
      source.date = in.required_text("date");
      in.finish();
      sources_[entry.key] = std::move(source);
    }
  }

  TableEntry read_entry(const yaml::Node& node) {
    TableEntry entry;
    entry.law = law_;
    yaml::MapReader in(node, "law entry", problems_);
    entry.key = in.texts("key");
    entry.basis.name = fmt::format("{} {}", law_, fmt::join(entry.key, " "));
    in.required("values");
    if (const yaml::Node* values = in.mapping("values")) {
      read_values(*values, entry);
    }
    if (const yaml::Node* range = in.mapping("range")) {
      read_range(*range, entry);
    }
    read_fitted(in, node, entry);
    read_basis(in, node, entry.basis);
    in.finish();
    return entry;
  }

  void read_fitted(yaml::MapReader& in, const yaml::Node& node, TableEntry& entry) {
    entry.fitted = in.texts("fitted");
    for (const std::string& name : entry.fitted) {
      const auto is_named = [&](const TableEntry::Value& value) { return value.name == name; };
      if (std::none_of(entry.values.begin(), entry.values.end(), is_named)) {
        problem(node.mark, fmt::format("fitted `{}` is not listed under `values`", name));
      }
    }
  }

  void read_basis(yaml::MapReader& in, const yaml::Node& node, Basis& basis) {
    const std::string source = in.required_text("source");
    if (const auto found = sources_.find(source); found != sources_.end()) {
      basis.source = found->second.text;
      basis.date = found->second.date;
    } else {
      problem(node.mark, fmt::format("source `{}` is not listed under `sources`", source));
    }
    const std::string status = in.required_text("status");
    if (const auto parsed = parse_status(status)) {
      basis.status = *parsed;
    } else {
      problem(node.mark,
              fmt::format("status `{}` must be one of fitted, interpolated, extrapolated, prior",
                          status));
    }
    in.required("relative_sd");
    basis.relative_sd = in.number("relative_sd").value_or(0);
    if (basis.relative_sd < 0 || basis.relative_sd > 1) {
      problem(node.mark, "`relative_sd` is outside 0 to 1");
    }
    basis.rows = in.text("rows").value_or("");
    basis.measured_on = in.texts("measured_on");
    basis.carried_to = in.texts("carried_to");
  }

  void read_values(const yaml::Node& node, TableEntry& entry) {
    for (const yaml::Entry& value : node.entries) {
      const auto meaning = meanings_.find(value.key);
      if (meaning == meanings_.end()) {
        problem(value.key_mark,
                fmt::format("value `{}` has no unit under `parameters`", value.key));
        continue;
      }
      const auto number = number_in_table(value.value);
      if (!number) {
        problem(value.value.mark, fmt::format("`{}` must be a finite number", value.key));
        continue;
      }
      const auto& [unit, least, most] = meaning->second;
      if (*number < least || *number > most) {
        problem(value.value.mark,
                fmt::format("`{}` is outside {:g} to {:g}", value.key, least, most));
      }
      entry.values.push_back({value.key, unit, *number, least, most});
    }
  }

  void read_range(const yaml::Node& node, TableEntry& entry) {
    for (const yaml::Entry& bound : node.entries) {
      const auto& items = bound.value.items;
      const auto low = items.size() == 2 ? number_in_table(items[0]) : std::nullopt;
      const auto high = items.size() == 2 ? number_in_table(items[1]) : std::nullopt;
      if (!low || !high || *low > *high) {
        problem(
            bound.value.mark,
            fmt::format("range of `{}` needs two increasing numbers: [1024, 65536]", bound.key));
        continue;
      }
      entry.range.push_back({bound.key, *low, *high});
    }
  }

  std::vector<text::Diagnostic>& problems_;
  std::string law_;
  std::map<std::string, Meaning, std::less<>> meanings_;
  std::map<std::string, Source, std::less<>> sources_;
};

}  // namespace

std::vector<TableEntry> read_entries(const text::SourceFile& file,
                                     std::vector<text::Diagnostic>& problems) {
  const yaml::Stream stream = yaml::parse(file);
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  if (!stream.readable || stream.documents.empty()) {
    return {};
  }
  return EntryReader(problems).read(stream.documents.front().root);
}

}  // namespace epwise::cost
