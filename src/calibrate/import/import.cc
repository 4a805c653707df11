#include "calibrate/import/import.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "calibrate/import/log.h"
#include "calibrate/import/row.h"
#include "yaml/parse.h"

namespace epwise::calibrate {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '"')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '"')) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> result;
  while (true) {
    const std::size_t comma = line.find(',');
    result.emplace_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return result;
    }
    line.remove_prefix(comma + 1);
  }
}

text::Diagnostic problem_at(const text::SourceFile& file, int line, std::string message) {
  const auto begin = static_cast<std::uint32_t>(file.line_offset(line));
  const auto size = static_cast<std::uint32_t>(file.line(line).size());
  return {"config/invalid", {&file, begin, begin + size}, std::move(message)};
}

/// Scalars of a JSON object, those of an inner `shape` among them.
void flatten(const yaml::Node& node, ImportRow& row) {
  for (const yaml::Entry& entry : node.entries) {
    if (entry.value.is_scalar()) {
      row[entry.key] = entry.value.scalar;
    } else if (entry.value.is_mapping() && entry.key == "shape") {
      flatten(entry.value, row);
    }
  }
}

class TableImport {
 public:
  TableImport(const text::SourceFile& file, std::vector<text::Diagnostic>& problems)
      : file_(file),
        problems_(problems) {}

  std::vector<ImportRow> json_lines() {
    std::vector<ImportRow> rows;
    for (int line = 1; line <= file_.line_count(); ++line) {
      const std::string_view text = trimmed(file_.line(line));
      if (text.empty()) {
        continue;
      }
      // JSON is YAML; one line at a time, so that a broken one costs itself alone.
      const text::SourceFile one(file_.name(), std::string(text));
      const yaml::Stream stream = yaml::parse(one);
      const bool readable = stream.readable && stream.documents.size() == 1 &&
                            stream.documents.front().root.is_mapping();
      if (!readable) {
        problems_.push_back(problem_at(file_, line, "this is no JSON object"));
        continue;
      }
      flatten(stream.documents.front().root, rows.emplace_back());
    }
    return rows;
  }

  std::vector<ImportRow> csv() {
    std::vector<ImportRow> rows;
    const std::vector<std::string> names = cells(file_.line(1));
    for (int line = 2; line <= file_.line_count(); ++line) {
      if (trimmed(file_.line(line)).empty()) {
        continue;
      }
      const std::vector<std::string> values = cells(file_.line(line));
      if (values.size() != names.size()) {
        problems_.push_back(problem_at(
            file_,
            line,
            fmt::format("here are {} cells, the header has {}", values.size(), names.size())));
        continue;
      }
      ImportRow& row = rows.emplace_back();
      for (std::size_t i = 0; i < names.size(); ++i) {
        row[names[i]] = values[i];
      }
    }
    return rows;
  }

 private:
  const text::SourceFile& file_;
  std::vector<text::Diagnostic>& problems_;
};

bool is_csv(const text::SourceFile& file) {
  const std::vector<std::string> names = cells(file.line(1));
  const auto has = [&names](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return (has("kind") || has("kernel")) && (has("us") || has("latency_us") || has("gbs"));
}

std::optional<std::vector<ImportRow>> rows_of(const text::SourceFile& file,
                                              const ImportSettings& settings,
                                              std::vector<text::Diagnostic>& problems) {
  TableImport table(file, problems);
  if (trimmed(file.bytes()).starts_with('{')) {
    return table.json_lines();
  }
  if (is_csv(file)) {
    return table.csv();
  }
  return rows_of_log(file, settings, problems);
}

}  // namespace

Imported import_timings(const text::SourceFile& file,
                        const ImportSettings& settings,
                        std::vector<text::Diagnostic>& problems) {
  Imported result;
  result.hw = settings.hw;
  const auto rows = rows_of(file, settings, problems);
  if (!rows) {
    return result;
  }
  for (const ImportRow& row : *rows) {
    const auto hw = row.find("hw");
    if (hw != row.end() && result.hw.empty()) {
      result.hw = hw->second;
    }
    const bool elsewhere = hw != row.end() && hw->second != result.hw;
    const auto source = row.find("source");
    std::optional<Point> point;
    if (!elsewhere) {
      point = point_of_row(row, source == row.end() ? file.name() : source->second);
    }
    if (!point) {
      ++result.passed_over;
      continue;
    }
    result.ranks = std::max(
        result.ranks,
        static_cast<int>(std::min<std::int64_t>(point->request.work.shape.ranks, 1'000'000)));
    result.points.push_back(std::move(*point));
  }
  return result;
}

void add_points(const std::vector<Point>& points, Calibration& calibration) {
  std::set<std::string> known;
  for (const Point& point : calibration.points) {
    known.insert(point.request.id);
  }
  for (const Point& point : points) {
    if (known.insert(point.request.id).second) {
      calibration.points.push_back(point);
    }
  }
}

}  // namespace epwise::calibrate
