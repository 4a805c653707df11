#include "calibrate/import/import.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "calibrate/file/calibration_file.h"
#include "calibrate/import/log.h"
#include "calibrate/work/law_time.h"
#include "perf/cost/cost.h"
#include "perf/cost/exchange.h"
#include "perf/cost/names.h"
#include "yaml/parse.h"

namespace epwise::calibrate {

namespace {

/// For a published or logged time without individual repetitions: relative half width of its
/// interval.
constexpr double kDoubt = 0.05;

std::string text_of(const ImportRow& row, std::string_view name, std::string_view other = {}) {
  const auto found = row.find(name);
  if (found != row.end() && !found->second.empty() && found->second != "null") {
    return found->second;
  }
  return other.empty() ? std::string() : text_of(row, other);
}

double number_in_row(const ImportRow& row, std::string_view name, std::string_view other = {}) {
  const std::string text = text_of(row, name, other);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0' && std::isfinite(value) && value >= 0 ? value : 0;
}

std::int64_t count_in_row(const ImportRow& row,
                          std::string_view name,
                          std::string_view other = {}) {
  constexpr double kMost = 1e15;
  return std::llround(std::min(number_in_row(row, name, other), kMost));
}

std::optional<Kernel> kernel_of_row(const std::string& kind) {
  static const std::map<std::string, Kernel, std::less<>> known = {
      {"dispatch", Kernel::dispatch},
      {"combine", Kernel::combine},
      {"alltoall", Kernel::all_to_all},
      {"all_to_all", Kernel::all_to_all},
      {"allgather", Kernel::all_gather},
      {"all_gather", Kernel::all_gather},
      {"reducescatter", Kernel::reduce_scatter},
      {"reduce_scatter", Kernel::reduce_scatter},
      {"sendrecv", Kernel::send_recv},
      {"send_recv", Kernel::send_recv},
      {"gemm", Kernel::gemm},
      {"groupedgemm", Kernel::grouped_gemm},
      {"grouped_gemm", Kernel::grouped_gemm}};
  const auto found = known.find(kind);
  return found == known.end() ? std::nullopt : std::optional<Kernel>(found->second);
}

/// The exchange structure of the library with that name; nullopt for any other structure.
std::optional<Structure> structure_of_backend(const std::string& backend) {
  switch (cost::parse_backend(backend).value_or(cost::Backend::nccl)) {
    case cost::Backend::deepep:
      return Structure::staged;
    case cost::Backend::deepep_v2:
      return Structure::direct;
    case cost::Backend::hybridep:
      return Structure::pipelined;
    default:
      return std::nullopt;
  }
}

bool has_size(const Work& work) {
  const Shape& shape = work.shape;
  switch (work.kernel) {
    case Kernel::dispatch:
    case Kernel::combine:
      return shape.tokens > 0 && shape.hidden > 0 && shape.topk > 0 && shape.experts > 0 &&
             shape.ranks > 1 && shape.topk <= shape.experts;
    case Kernel::gemm:
      return shape.m > 0 && shape.n > 0 && shape.k > 0;
    case Kernel::grouped_gemm:
      return shape.m > 0 && shape.n > 0 && shape.k > 0 && shape.groups > 0;
    default:
      return shape.bytes > 0 && shape.ranks > 1;
  }
}

/// "imported.domain.dispatch.staged.bf16.t4096.h7168.e256.top8.r8.s24"
std::string id_of(const Work& work, Scope scope) {
  constexpr std::array<std::string_view, 10> kSigns = {
      "m", "n", "k", "g", "t", "h", "i", "e", "top", "r"};
  std::string id = fmt::format("imported.{}.{}", to_string(scope), to_string(work.kernel));
  if (is_exchange(work.kernel)) {
    id += fmt::format(".{}", to_string(work.structure));
  }
  id += fmt::format(".{}", format_word(work.format));
  if (work.shape.bytes > 0) {
    id += fmt::format(".b{:.0f}", work.shape.bytes);
  }
  std::size_t at = 0;
  for (const ShapeField& field : shape_fields()) {
    if (work.shape.*field.member != 0) {
      id += fmt::format(".{}{}", kSigns.at(at), work.shape.*field.member);
    }
    ++at;
  }
  return work.sms > 0 ? fmt::format("{}.s{}", id, work.sms) : id;
}

/// The format named by a row; collectives count bytes of any type.
std::optional<cost::Format> format_of_row(const ImportRow& row, Kernel kernel) {
  const std::string dtype = text_of(row, "dtype");
  const auto format = cost::parse<cost::Format>(dtype);
  if (!format && !dtype.empty() && !is_collective(kernel)) {
    return std::nullopt;
  }
  return format.value_or(cost::Format::bf16);
}

Shape shape_of_row(const ImportRow& row, Kernel kernel) {
  Shape shape;
  shape.bytes = number_in_row(row, "bytes");
  shape.m = count_in_row(row, "m");
  shape.n = count_in_row(row, "n");
  shape.k = count_in_row(row, "k");
  shape.groups = count_in_row(row, "groups");
  shape.ranks = count_in_row(row, "ranks", "ep");
  if (is_exchange(kernel)) {
    shape.tokens = count_in_row(row, "tokens");
    shape.hidden = count_in_row(row, "hidden");
    shape.topk = count_in_row(row, "topk");
    shape.experts = count_in_row(row, "experts");
  }
  return shape;
}

/// Nullopt for rows without a matching kernel, and for missing sizes.
std::optional<Work> work_of_row(const ImportRow& row) {
  const std::optional<Kernel> kernel = kernel_of_row(text_of(row, "kind", "kernel"));
  if (!kernel) {
    return std::nullopt;
  }
  const auto format = format_of_row(row, *kernel);
  const auto structure = is_exchange(*kernel)
                             ? structure_of_backend(text_of(row, "backend", "structure"))
                             : std::optional(Work{}.structure);
  if (!format || !structure) {
    return std::nullopt;
  }
  Work work;
  work.kernel = *kernel;
  work.format = *format;
  work.structure = *structure;
  work.shape = shape_of_row(row, *kernel);
  work.sms = static_cast<int>(std::min<std::int64_t>(count_in_row(row, "sms", "num_sms"), 100000));
  return has_size(work) ? std::optional(work) : std::nullopt;
}

/// From the row's time, or from its payload rate, all copies; 0 for a row without both.
double seconds_of_row(const ImportRow& row, const Work& work) {
  const double seconds = number_in_row(row, "us", "latency_us") * cost::kMicro;
  const double rate = number_in_row(row, "gbs") * cost::kGiga;
  if (seconds > 0 || !(rate > 0)) {
    return seconds;
  }
  // Rates of 8-bit rows include the scales, one per 128 channels.
  const double scales =
      is_exchange(work.kernel) && work.format != cost::Format::bf16 ? 4.0 / 128 : 0;
  return payload_bytes_of(work) * (1 + scales) / rate;
}

/// A time without individual repetitions.
Timing lone_timing(double seconds) {
  Timing time;
  time.median = seconds;
  time.low = seconds * (1 - kDoubt);
  time.high = seconds * (1 + kDoubt);
  time.p10 = time.low;
  time.p90 = time.high;
  time.least = time.low;
  time.spread = kDoubt;
  return time;
}

}  // namespace

std::optional<Point> point_of_row(const ImportRow& row, const std::string& source) {
  const bool timed = number_in_row(row, "us", "latency_us") > 0 || number_in_row(row, "gbs") > 0;
  const std::optional<Work> work = timed ? work_of_row(row) : std::nullopt;
  if (!work) {
    return std::nullopt;
  }
  const bool several = count_in_row(row, "nodes") > 1;
  Point point;
  point.request.work = *work;
  point.request.scope = is_gemm(work->kernel) ? Scope::device
                        : several             ? Scope::nodes
                                              : Scope::domain;
  point.request.id = id_of(*work, point.request.scope);
  point.status = PointStatus::imported;
  point.reason = source;
  point.time = lone_timing(seconds_of_row(row, *work));
  point.memory_bytes = memory_bytes_of(*work);
  point.payload_bytes = payload_bytes_of(*work);
  return point;
}

namespace {

std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> result;
  while (true) {
    const std::size_t comma = line.find(',');
    result.emplace_back(text::trimmed(line.substr(0, comma), " \t\""));
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

/// Scalars of a JSON object, including those of a nested `shape`.
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
      const std::string_view text = text::trimmed(file_.line(line), " \t\"");
      if (text.empty()) {
        continue;
      }
      // JSON is YAML; parsed line by line, so that a malformed line affects only itself.
      const text::SourceFile one(file_.name(), std::string(text));
      const yaml::Stream stream = yaml::parse(one);
      const bool readable = stream.readable && stream.documents.size() == 1 &&
                            stream.documents.front().root.is_mapping();
      if (!readable) {
        problems_.push_back(problem_at(file_, line, "not a JSON object"));
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
      if (text::trimmed(file_.line(line), " \t\"").empty()) {
        continue;
      }
      const std::vector<std::string> values = cells(file_.line(line));
      if (values.size() != names.size()) {
        problems_.push_back(problem_at(
            file_,
            line,
            fmt::format("this row has {} cells, the header has {}", values.size(), names.size())));
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
  if (text::trimmed(file.bytes(), " \t\"").starts_with('{')) {
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
