#include "calibrate/import/deepep_log.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "calibrate/import/log_line.h"

namespace epwise::calibrate {

namespace {

/// The slowest rank of one case of DeepEP's newer test, by what it timed.
using SlowestRank = std::map<std::string, double>;

void keep_slowest(const ImportRow& sizes,
                  bool fp8,
                  const SlowestRank& slowest,
                  std::vector<ImportRow>& rows) {
  for (const auto& [kind, micros] : slowest) {
    ImportRow row = sizes;
    row["kind"] = kind;
    row["backend"] = "deepep_v2";
    row["dtype"] = fp8 && kind == "dispatch" ? "fp8" : "bf16";
    row["us"] = fmt::format("{}", micros);
    rows.push_back(std::move(row));
  }
}

}  // namespace

/// "[config] num_tokens=4096, hidden=7168, num_topk=8", then
/// "[tuning] Best dispatch (BF16): SMs 24, NVL chunk 20, … 147.0 GB/s (NVL), t: 650.1 us".
std::optional<std::vector<ImportRow>> deepep_rows(const text::SourceFile& file,
                                                  const ImportSettings& settings,
                                                  std::vector<text::Diagnostic>& problems) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSizes = {
      {{"num_tokens=", "tokens"},
       {"hidden=", "hidden"},
       {"num_topk=", "topk"},
       {"num_experts=", "experts"}}};
  constexpr std::string_view kUsualExperts = "256";  // of DeepEP's tests
  ImportRow sizes = {{"experts", std::string(kUsualExperts)}};
  std::vector<ImportRow> rows;
  for (int number = 1; number <= file.line_count(); ++number) {
    const std::string_view line = file.line(number);
    for (const auto& [key, column] : kSizes) {
      const std::string value = number_behind(line, key);
      if (!value.empty()) {
        sizes[std::string(column)] = value;
      }
    }
    const bool dispatch = line.find("Best dispatch") != std::string_view::npos;
    const bool combine = line.find("Best combine") != std::string_view::npos;
    const std::string micros = number_before(line, " us");
    const std::string rate = number_before(line, " GB/s (NVL)");  // older tests tell no time
    if ((!dispatch && !combine) || (micros.empty() && rate.empty())) {
      continue;
    }
    ImportRow row = sizes;
    row["kind"] = dispatch ? "dispatch" : "combine";
    row["backend"] = "deepep";
    row["dtype"] = line.find("FP8") != std::string_view::npos ? "fp8" : "bf16";
    row["sms"] = number_behind(line, "SMs ");
    row[micros.empty() ? "gbs" : "us"] = micros.empty() ? rate : micros;
    row["ranks"] = std::to_string(settings.ranks);
    row["nodes"] = line.find("RDMA") != std::string_view::npos ? "2" : "1";
    rows.push_back(std::move(row));
  }
  if (settings.ranks < 2) {
    problems.push_back(log_trouble(
        file, "DeepEP's tests don't say how many ranks there were", "say it with --gpus"));
    return std::nullopt;
  }
  return rows;
}

/// What every rank of DeepEP's newer test tells of each case; it says its sizes itself:
///    > Ranks: 1 x 8 … > Experts: 8/256 … > Tokens: 4096 (max: 4096), hidden: 7168 … > #SM: 24, …
///    > Testing with …, use_fp8_dispatch=1, …
///      * EP:   0/  8 | dispatch: 0 GB/s (SO), 643 GB/s (SU), 512.345 us, …
std::vector<ImportRow> elastic_rows(const text::SourceFile& file) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSizes = {
      {{" (max: ", "tokens"},
       {"hidden: ", "hidden"},
       {"#SM: ", "sms"},
       {"> Experts: ", "topk"},
       {"> Ranks: ", "nodes"}}};
  ImportRow sizes;
  SlowestRank slowest;
  bool fp8 = false;
  std::vector<ImportRow> rows;
  for (int number = 1; number <= file.line_count(); ++number) {
    const std::string_view line = file.line(number);
    if (line.find("> Testing with") != std::string_view::npos) {
      keep_slowest(sizes, fp8, slowest, rows);
      slowest.clear();
      fp8 = number_behind(line, "use_fp8_dispatch=") == "1";
      continue;
    }
    if (line.starts_with(" > ")) {
      for (const auto& [key, column] : kSizes) {
        const std::string value = number_behind(line, key);
        if (!value.empty()) {
          sizes[std::string(column)] = value;
        }
      }
      if (line.find("> Experts: ") != std::string_view::npos) {
        sizes["experts"] = number_behind(line, "/");
      }
      continue;
    }
    for (const char* const kind : {"dispatch", "combine"}) {
      const std::string micros = number_before(line, " us");
      if (line.find(fmt::format(" | {}: ", kind)) != std::string_view::npos && !micros.empty()) {
        sizes["ranks"] = number_behind(line, "/");
        double& most = slowest[kind];
        most = std::max(most, std::strtod(micros.c_str(), nullptr));
      }
    }
  }
  keep_slowest(sizes, fp8, slowest, rows);
  return rows;
}

}  // namespace epwise::calibrate
