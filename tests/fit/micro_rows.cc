#include "fit/micro_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "perf/cost/exchange.h"

namespace epwise::fit {

namespace {

using Json = nlohmann::json;

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// One row, whose missing values are empty or 0.
class Row {
 public:
  explicit Row(Json json) : json_(std::move(json)) {}

  std::string text(const char* name) const {
    const auto found = json_.find(name);
    return found != json_.end() && found->is_string() ? found->get<std::string>() : "";
  }

  double number(const char* name) const { return number_in(json_, name); }

  double shape(const char* name) const {
    const auto found = json_.find("shape");
    return found != json_.end() && found->is_object() ? number_in(*found, name) : 0;
  }

  std::string shape_text(const char* name) const {
    const auto found = json_.find("shape");
    return found != json_.end() && found->is_object() && found->contains(name)
               ? found->at(name).get<std::string>()
               : "";
  }

  /// 12 of "m00012".
  int serial() const {
    std::string digits;
    for (const char c : text("id")) {
      digits += c >= '0' && c <= '9' ? std::string(1, c) : "";
    }
    return digits.empty() ? 0 : std::stoi(digits);
  }

 private:
  static double number_in(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end()) {
      return 0;
    }
    if (found->is_string()) {  // some shapes are written as text
      return std::strtod(found->get<std::string>().c_str(), nullptr);
    }
    return found->is_number() ? found->get<double>() : 0;
  }

  Json json_;
};

std::string text_of(double number) {
  return fmt::format("{}", number);
}

void add(Measurement& row, std::string name, std::string text) {
  row.question.arguments.push_back({std::move(name), std::move(text)});
}

void add(Measurement& row, std::string name, double number) {
  add(row, std::move(name), text_of(number));
}

Measurement start(const Row& row, std::string law) {
  Measurement result;
  result.id = row.text("id");
  result.question.law = std::move(law);
  add(result, "hw", row.text("hw"));
  return result;
}

std::optional<Measurement> gemm(const Row& row) {
  Measurement result = start(row, "gemm");
  const double latency = row.number("latency_us");
  double work = 2e-6;
  for (const char* name : {"m", "n", "k"}) {
    add(result, name, row.shape(name));
    work *= row.shape(name);
  }
  const std::string backend = row.text("backend");
  add(result, "dtype", row.text("dtype"));
  add(result, "family", backend.starts_with("TE") ? "te" : "torch");
  add(result, "quant", backend != "deepgemm" || latency > 0 ? "true" : "false");
  result.shape = fmt::format("{} {}", row.shape("n"), row.shape("k"));
  result.seconds = (latency > 0 ? latency : work / row.number("tflops")) * 1e-6;
  return result;
}

std::optional<Measurement> grouped_gemm(const Row& row) {
  Measurement result = start(row, "grouped_gemm");
  double work = 2e-6 * row.shape("groups") * row.shape("m_per_group");
  for (const char* name : {"n", "k"}) {
    add(result, name, row.shape(name));
    work *= row.shape(name);
  }
  const std::string stage = row.shape_text("stage");
  add(result, "dtype", row.text("dtype"));
  add(result, "groups", row.shape("groups"));
  add(result, "tokens_per_group", row.shape("m_per_group"));
  add(result, "stage", stage.empty() ? "fwd" : stage);
  add(result, "family", row.text("backend").starts_with("TE") ? "te" : "single");
  // Weight gradients came in two sets; the later ones overwrite their buffer.
  constexpr int kFirstOverwriting = 3504;
  add(result, "accumulate", row.serial() < kFirstOverwriting ? "true" : "false");
  result.shape = fmt::format("{} {}", row.shape("n"), row.shape("k"));
  result.seconds = work / row.number("tflops") * 1e-6;
  return result;
}

std::optional<Measurement> moe_forward(const Row& row) {
  Measurement result = start(row, "moe_forward");
  const std::string backend = row.text("backend");
  std::string family = "cutlass";
  if (backend == "deepgemm") {
    family = "deepgemm";
  } else if (backend == "moe_torch_flow") {
    family = "trtllm_gen";
  } else if (holds(backend, "sglang")) {
    family = "sglang";
  }
  add(result, "dtype", row.text("dtype"));
  for (const char* name : {"tokens", "topk", "experts", "hidden"}) {
    add(result, name, row.number(name));
  }
  add(result, "ep", std::max(row.number("ep"), 1.0));
  add(result, "inter", row.shape("inter"));
  add(result, "gated", holds(backend, "nongated") ? "false" : "true");
  add(result, "family", family);
  result.shape =
      fmt::format("{} {} {}", row.number("hidden"), row.shape("inter"), row.number("experts"));
  result.seconds = row.number("latency_us") * 1e-6;
  return result;
}

std::optional<Measurement> grouped(const Row& row) {
  if (row.shape("inter") > 0) {
    return moe_forward(row);
  }
  return row.shape("groups") > 0 ? grouped_gemm(row) : std::nullopt;
}

std::optional<Measurement> attention(const Row& row) {
  Measurement result = start(row, "attention");
  const bool simumax = row.shape("seq_len") > 0;
  const bool backward =
      simumax ? holds(row.shape_text("pass"), "bwd") : row.shape_text("pass_") == "backward";
  const double seq = simumax ? row.shape("seq_len") : row.shape("seq");
  const double heads = simumax ? row.shape("head_num") : 128;
  const double width_qk = simumax ? row.shape("qk_head_dim") : 192;
  const double width_v = simumax ? row.shape("v_head_dim") : 128;
  add(result, "dtype", "bf16");
  add(result, "heads", heads);
  add(result, "head_dim_qk", width_qk);
  add(result, "head_dim_v", width_v);
  add(result, "seq", seq);
  add(result, "backward", backward ? "true" : "false");
  add(result, "family", simumax ? "te" : "cudnn");
  result.shape = fmt::format("{} {} {}", heads, width_qk, seq);
  // One source counts the full square, the other the half that is seen.
  const double work = (backward ? 5 : 2) * seq * seq * heads * (width_qk + width_v) * 1e-6;
  result.seconds = work / row.number("tflops") * (simumax ? 1 : 0.5) * 1e-6;
  return result;
}

std::optional<Measurement> memory(const Row& row) {
  Measurement result = start(row, "memory_bound");
  constexpr double kBytes = 1e9;
  add(result, "nbytes", kBytes);
  add(result, "kind", holds(row.text("backend"), "permute") ? "permute" : "cross_entropy");
  add(result, "launch_us", 0.0);
  result.shape = result.id;
  result.seconds = kBytes / (row.number("bandwidth_GBps") * 1e9);
  return result;
}

std::optional<Measurement> collective(const Row& row) {
  const double bytes = row.shape("bytes");
  const double ranks = row.number("ep");
  if (bytes <= 0 || ranks <= 0) {
    return std::nullopt;
  }
  const std::string kind = row.text("kind");
  Measurement result = start(row, "collective");
  add(result, "kind", kind);
  add(result, "bytes_per_rank", bytes);
  add(result, "ranks", ranks);
  result.shape = fmt::format("{} {}", bytes, ranks);
  const double latency = row.number("latency_us");
  const double volume = bytes * (ranks - 1) / ranks * (kind == "allreduce" ? 2 : 1);
  result.seconds = latency > 0 ? latency * 1e-6 : volume / (row.number("bandwidth_GBps") * 1e9);
  return result;
}

/// What an exchange of a row is about.
struct Setting {
  double ranks = 1;
  double domains = 1;
  double experts = 0;
  int topk = 1;
  double sent = 0;  // bytes of all tokens of a rank, once
  cost::RoutingGroups limit;
};

Setting setting_of(const Row& row, double domain, double wire) {
  Setting result;
  result.ranks = row.number("ep");
  result.domains = std::ceil(result.ranks / std::min(domain, result.ranks));
  result.experts = row.number("experts") > 0 ? row.number("experts") : 8 * result.ranks;
  result.topk = static_cast<int>(row.number("topk"));
  const double tokens = row.number("tokens") > 0 ? row.number("tokens") : 4096;
  result.sent = tokens * row.number("hidden") * wire;
  const std::string source = row.text("source");
  if (holds(source, "table 7") || holds(source, "legacy.md")) {
    result.limit = {8, 4};
  }
  if (holds(source, "0.5.6") && result.ranks >= 64) {
    result.limit = {static_cast<int>(result.ranks) / 8, 4};
  }
  return result;
}

double parts(const Setting& setting, double number) {
  return cost::expected_parts(
      setting.experts, static_cast<int>(number), setting.topk, setting.limit);
}

/// The time behind a published rate; sources count it on the NIC, or on whatever is slower.
double time_of_rate(const Row& row, const Setting& setting) {
  const std::string kind = row.text("bw_kind");
  const std::size_t nic = kind.find("NIC side ");
  if (nic != std::string::npos) {
    const double rate = std::stod(kind.substr(nic + 9));
    return setting.sent * parts(setting, setting.domains) * (1 - 1 / setting.domains) / rate;
  }
  const bool network = holds(kind, "RDMA") || holds(kind, "IB");
  const double hit = parts(setting, network ? setting.domains : setting.ranks);
  return setting.sent * hit / row.number("bandwidth_GBps");
}

double default_sms(cost::Backend backend) {
  switch (backend) {
    case cost::Backend::deepep:
    case cost::Backend::deepep_v2:
      return 24;
    case cost::Backend::hybridep:
      return 16;
    default:
      return 0;
  }
}

std::optional<Measurement> exchange(const Row& row, const cost::Table& table) {
  const std::string backend = row.text("backend");
  const auto parsed = cost::parse_backend(backend);
  const cost::Chip* chip = table.find_chip(row.text("hw"));
  const std::string dtype = row.text("dtype").empty() ? "bf16" : row.text("dtype");
  const auto format = cost::parse<cost::Format>(dtype);
  if (holds(backend, "pcie") || !parsed || chip == nullptr || !format) {
    return std::nullopt;
  }
  const Setting setting = setting_of(row, chip->nvlink_domain, table.format(*format).wire_bytes);
  Measurement result = start(row, row.text("kind"));
  add(result, "backend", backend);
  add(result, "tokens", row.number("tokens") > 0 ? row.number("tokens") : 4096);
  add(result, "hidden", row.number("hidden"));
  add(result, "topk", row.number("topk"));
  add(result, "experts", setting.experts);
  add(result, "ep", setting.ranks);
  add(result, "dtype", dtype);
  const double sms = row.number("num_sms");
  add(result, "sms", sms > 0 ? sms : default_sms(*parsed));
  add(result, "n_group", static_cast<double>(setting.limit.groups));
  add(result, "topk_group", static_cast<double>(setting.limit.kept));
  add(result, "api", holds(row.text("bw_kind"), "torch") ? "true" : "false");
  result.shape = fmt::format(
      "{} {} {} {}", row.number("hidden"), row.number("topk"), setting.experts, setting.ranks);
  const double latency = row.number("latency_us");
  result.seconds = latency > 0 ? latency * 1e-6 : time_of_rate(row, setting) * 1e-9;
  return result;
}

bool is_comparable(const Row& row) {
  const std::string notes = row.text("notes");
  const std::string source = row.text("source");
  // Two rows that their H100 twins contradict five times over.
  const bool bad = row.text("id") == "m02790" || row.text("id") == "m02796";
  return !bad && !holds(notes, "unhealthy") && !holds(notes, "user report") &&
         !holds(notes + source, "issue");
}

std::optional<Measurement> measurement_of(const Row& row, const cost::Table& table) {
  const std::string kind = row.text("kind");
  if (kind == "gemm") {
    return gemm(row);
  }
  if (kind == "groupedgemm") {
    return grouped(row);
  }
  if (kind == "attention") {
    return attention(row);
  }
  if (kind == "memory") {
    return memory(row);
  }
  if (kind == "dispatch" || kind == "combine") {
    return exchange(row, table);
  }
  const bool known =
      kind == "alltoall" || kind == "allgather" || kind == "reducescatter" || kind == "allreduce";
  return known ? collective(row) : std::nullopt;
}

}  // namespace

std::vector<Measurement> read_rows(const std::string& lines, const cost::Table& table) {
  std::vector<Measurement> result;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) {
      continue;
    }
    const Row row(Json::parse(line));
    if (table.find_chip(row.text("hw")) == nullptr || !is_comparable(row)) {
      continue;
    }
    auto measurement = measurement_of(row, table);
    if (measurement && std::isfinite(measurement->seconds) && measurement->seconds > 0) {
      result.push_back(*std::move(measurement));
    }
  }
  return result;
}

}  // namespace epwise::fit
