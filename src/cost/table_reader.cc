#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cost/table_entry.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::cost {

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

std::optional<double> number_of(const yaml::Node& node) {
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
        problem(node.mark, fmt::format("fitted `{}` does not stand under `values`", name));
      }
    }
  }

  void read_basis(yaml::MapReader& in, const yaml::Node& node, Basis& basis) {
    const std::string source = in.required_text("source");
    if (const auto found = sources_.find(source); found != sources_.end()) {
      basis.source = found->second.text;
      basis.date = found->second.date;
    } else {
      problem(node.mark, fmt::format("source `{}` does not stand under `sources`", source));
    }
    const std::string status = in.required_text("status");
    if (const auto parsed = parse_status(status)) {
      basis.status = *parsed;
    } else {
      problem(
          node.mark,
          fmt::format("status `{}` is none of fitted, interpolated, extrapolated, prior", status));
    }
    in.required("relative_sd");
    basis.relative_sd = in.number("relative_sd").value_or(0);
    if (basis.relative_sd < 0 || basis.relative_sd > 1) {
      problem(node.mark, "`relative_sd` lies outside 0 to 1");
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
      const auto number = number_of(value.value);
      if (!number) {
        problem(value.value.mark, fmt::format("`{}` wants a finite number", value.key));
        continue;
      }
      const auto& [unit, least, most] = meaning->second;
      if (*number < least || *number > most) {
        problem(value.value.mark,
                fmt::format("`{}` lies outside {:g} to {:g}", value.key, least, most));
      }
      entry.values.push_back({value.key, unit, *number, least, most});
    }
  }

  void read_range(const yaml::Node& node, TableEntry& entry) {
    for (const yaml::Entry& bound : node.entries) {
      const auto& items = bound.value.items;
      const auto low = items.size() == 2 ? number_of(items[0]) : std::nullopt;
      const auto high = items.size() == 2 ? number_of(items[1]) : std::nullopt;
      if (!low || !high || *low > *high) {
        problem(bound.value.mark,
                fmt::format("range of `{}` wants two rising numbers: [1024, 65536]", bound.key));
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
