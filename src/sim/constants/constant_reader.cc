#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "sim/constants/constant_columns.h"
#include "sim/constants/constants.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::sim {

namespace {

using units::Dimension;

std::string_view units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::seconds:
      return "a time (us, ms)";
    case Dimension::bytes_per_second:
      return "a rate (GB/s)";
    default:
      return "a ratio (1)";
  }
}

std::optional<units::Quantity> unit_of(std::string_view text) {
  return text == "1" ? units::Quantity{1, Dimension::none} : units::parse_unit(text);
}

struct Source {
  std::string text;
  std::string date;
};

class ConstantReader {
 public:
  explicit ConstantReader(std::vector<text::Diagnostic>& problems) : problems_(problems) {}

  ConstantTable read(const yaml::Node& root) {
    yaml::MapReader in(root, "constants of the step model", problems_);
    in.required("sources");
    if (const yaml::Node* sources = in.mapping("sources")) {
      for (const yaml::Entry& entry : sources->entries) {
        yaml::MapReader source(entry.value, fmt::format("source `{}`", entry.key), problems_);
        const std::string text = source.required_text("text");
        sources_[entry.key] = {text, source.required_text("date")};
        source.finish();
      }
    }
    in.required("measured_on");
    table_.measured_on = in.texts("measured_on");
    in.required("constants");
    if (const yaml::Node* constants = in.mapping("constants")) {
      for (const yaml::Entry& entry : constants->entries) {
        read_constant(entry);
      }
      report_missing(*constants);
    }
    in.finish();
    return std::move(table_);
  }

 private:
  void read_constant(const yaml::Entry& entry) {
    const auto& columns = constant_columns();
    const auto column = std::ranges::find(columns, entry.key, &ConstantColumn::name);
    if (column == columns.end()) {
      problem(entry.key_mark, fmt::format("the step model has no constant `{}`", entry.key));
      return;
    }
    yaml::MapReader in(entry.value, fmt::format("constant `{}`", entry.key), problems_);
    ConstantNote note;
    note.name = entry.key;
    note.unit = in.required_text("unit");
    const double size = unit_size(entry, *column, note.unit);
    in.required("value");
    note.value = in.number("value").value_or(0) * size;
    in.required("log_sd");
    note.log_sd = in.number("log_sd").value_or(0);
    note.prior = in.number("prior").value_or(note.value / size) * size;
    note.prior_log_sd = in.number("prior_log_sd").value_or(note.log_sd);
    read_status(entry, in.required_text("status"), note);
    const auto source = sources_.find(in.required_text("source"));
    if (source == sources_.end()) {
      problem(entry.key_mark,
              fmt::format("the source of `{}` does not stand under `sources`", entry.key));
    } else {
      note.source = source->second.text;
      note.date = source->second.date;
    }
    note.meaning = in.required_text("meaning");
    in.finish();
    if (note.value <= 0 || note.log_sd < 0 || note.log_sd > 1) {
      problem(entry.key_mark,
              fmt::format("`{}` wants a value above 0 and a log_sd from 0 to 1", entry.key));
    }
    table_.values.*column->member = note.value;
    table_.notes.push_back(std::move(note));
  }

  void read_status(const yaml::Entry& entry, std::string_view status, ConstantNote& note) {
    if (status != "fitted" && status != "prior") {
      problem(
          entry.key_mark,
          fmt::format("the status of `{}` is `{}`, neither fitted nor prior", entry.key, status));
    }
    note.status = status == "fitted" ? cost::Status::fitted : cost::Status::prior;
  }

  double unit_size(const yaml::Entry& entry, const ConstantColumn& column, std::string_view text) {
    const auto unit = unit_of(text);
    if (!unit || unit->dimension != column.dimension) {
      problem(entry.key_mark,
              fmt::format(
                  "constant `{}` wants {}, not {}", entry.key, units_of(column.dimension), text));
      return 1;
    }
    return unit->value;
  }

  void report_missing(const yaml::Node& constants) {
    for (const ConstantColumn& column : constant_columns()) {
      if (constants.find(column.name) == nullptr) {
        problem(constants.mark, fmt::format("constant `{}` is missing", column.name));
      }
    }
  }

  void problem(const text::Mark& mark, std::string message) {
    problems_.push_back({"config/invalid", mark, std::move(message), {}, {}});
  }

  std::vector<text::Diagnostic>& problems_;
  std::map<std::string, Source, std::less<>> sources_;
  ConstantTable table_;
};

}  // namespace

ConstantTable read_constants(const text::SourceFile& file,
                             std::vector<text::Diagnostic>& problems) {
  const yaml::Stream stream = yaml::parse(file);
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  if (!stream.readable || stream.documents.empty()) {
    return {};
  }
  return ConstantReader(problems).read(stream.documents.front().root);
}

}  // namespace epwise::sim
