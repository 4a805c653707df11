#include "calibrate/import/row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "calibrate/file/work_map.h"
#include "calibrate/work/law_time.h"
#include "cost/exchange.h"
#include "cost/names.h"

namespace epwise::calibrate {

namespace {

constexpr double kMicro = 1e-6;
constexpr double kGiga = 1e9;
/// Of a published or logged time whose repetitions nobody sees: its interval, half, relative.
constexpr double kDoubt = 0.05;

std::string text_of(const ImportRow& row, std::string_view name, std::string_view other = {}) {
  const auto found = row.find(name);
  if (found != row.end() && !found->second.empty() && found->second != "null") {
    return found->second;
  }
  return other.empty() ? std::string() : text_of(row, other);
}

double number_of(const ImportRow& row, std::string_view name, std::string_view other = {}) {
  const std::string text = text_of(row, name, other);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0' && std::isfinite(value) && value >= 0 ? value : 0;
}

std::int64_t count_of(const ImportRow& row, std::string_view name, std::string_view other = {}) {
  constexpr double kMost = 1e15;
  return std::llround(std::min(number_of(row, name, other), kMost));
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

/// How the library of that name builds its exchange; nullopt for one that is built otherwise.
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

/// The format that a row names; collectives count bytes, whatever they are of.
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
  shape.bytes = number_of(row, "bytes");
  shape.m = count_of(row, "m");
  shape.n = count_of(row, "n");
  shape.k = count_of(row, "k");
  shape.groups = count_of(row, "groups");
  shape.ranks = count_of(row, "ranks", "ep");
  if (is_exchange(kernel)) {
    shape.tokens = count_of(row, "tokens");
    shape.hidden = count_of(row, "hidden");
    shape.topk = count_of(row, "topk");
    shape.experts = count_of(row, "experts");
  }
  return shape;
}

/// Nullopt for what no kernel of ours stands for, and for sizes that are missing.
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
  work.sms = static_cast<int>(std::min<std::int64_t>(count_of(row, "sms", "num_sms"), 100000));
  return has_size(work) ? std::optional(work) : std::nullopt;
}

/// From the row's time, or from its rate of the payload, all copies; 0 for a row without both.
double seconds_of_row(const ImportRow& row, const Work& work) {
  const double seconds = number_of(row, "us", "latency_us") * kMicro;
  const double rate = number_of(row, "gbs") * kGiga;
  if (seconds > 0 || !(rate > 0)) {
    return seconds;
  }
  // Rates of 8-bit rows count the scales that go with 128 channels each.
  const double scales =
      is_exchange(work.kernel) && work.format != cost::Format::bf16 ? 4.0 / 128 : 0;
  return payload_bytes_of(work) * (1 + scales) / rate;
}

/// A time whose repetitions nobody sees.
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
  const bool timed = number_of(row, "us", "latency_us") > 0 || number_of(row, "gbs") > 0;
  const std::optional<Work> work = timed ? work_of_row(row) : std::nullopt;
  if (!work) {
    return std::nullopt;
  }
  const bool several = count_of(row, "nodes") > 1;
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

}  // namespace epwise::calibrate
