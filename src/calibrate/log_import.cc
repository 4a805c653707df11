#include "calibrate/log_import.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace epwise::calibrate {

namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) {
      return words;
    }
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char sign) {
    return std::isdigit(static_cast<unsigned char>(sign)) != 0 || sign == '.';
  });
}

/// The number that stands behind `key`: number_behind("num_topk=8,", "num_topk=") → "8".
std::string number_behind(std::string_view line, std::string_view key) {
  const std::size_t place = line.find(key);
  if (place == std::string_view::npos) {
    return {};
  }
  std::string_view rest = line.substr(place + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  const std::size_t end = std::min(rest.find_first_not_of("0123456789."), rest.size());
  return std::string(rest.substr(0, end));
}

/// The number in front of `unit`: number_before("t: 650.12 us", " us") → "650.12".
std::string number_before(std::string_view line, std::string_view unit) {
  const std::size_t place = line.find(unit);
  if (place == std::string_view::npos) {
    return {};
  }
  const std::size_t begin = line.find_last_not_of("0123456789.", place == 0 ? 0 : place - 1);
  const std::size_t from = begin == std::string_view::npos ? 0 : begin + 1;
  return std::string(line.substr(from, place - from));
}

text::Diagnostic trouble(const text::SourceFile& file, std::string message, std::string help) {
  return {"config/invalid", {&file, 0, 0}, std::move(message), {}, std::move(help)};
}

/// Which collective nccl-tests ran: its text says so in newer releases, the file's name often does.
std::string operation_of(const text::SourceFile& file) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames = {
      {{"alltoall", "alltoall"},
       {"all_gather", "allgather"},
       {"allgather", "allgather"},
       {"reduce_scatter", "reducescatter"},
       {"reducescatter", "reducescatter"},
       {"sendrecv", "sendrecv"},
       {"send_recv", "sendrecv"}}};
  for (const std::string_view where : {file.bytes(), std::string_view(file.name())}) {
    for (const auto& [name, kind] : kNames) {
      if (where.find(name) != std::string_view::npos) {
        return std::string(kind);
      }
    }
  }
  return {};
}

/// Lines of sizes and times: size count type redop root time algbw busbw wrong …
std::optional<std::vector<ImportRow>> nccl_rows(const text::SourceFile& file,
                                                const ImportSettings& settings,
                                                std::vector<text::Diagnostic>& problems) {
  const std::string operation = operation_of(file);
  std::set<std::string, std::less<>> hosts;
  int ranks = 0;
  std::vector<ImportRow> rows;
  constexpr std::size_t kTime = 5;
  for (int number = 1; number <= file.line_count(); ++number) {
    const std::vector<std::string_view> words = words_of(file.line(number));
    if (words.size() > 2 && words[0] == "#" && words[1] == "Rank") {
      ++ranks;
      const auto on = std::find(words.begin(), words.end(), "on");
      if (on != words.end() && on + 1 != words.end()) {
        hosts.emplace(*(on + 1));
      }
    }
    if (words.size() > kTime && is_number(words[0]) && is_number(words[1]) &&
        is_number(words[kTime]) && words[0] != "0") {
      rows.push_back({{"kind", operation},
                      {"bytes", std::string(words[0])},
                      {"us", std::string(words[kTime])}});
    }
  }
  ranks = ranks == 0 ? settings.ranks : ranks;
  if (operation.empty() || ranks < 2) {
    problems.push_back(
        trouble(file,
                operation.empty() ? "it doesn't say which collective it timed"
                                  : "it doesn't say how many ranks there were",
                operation.empty() ? "put alltoall, all_gather, reduce_scatter or sendrecv into its "
                                    "name"
                                  : "say it with --gpus"));
    return std::nullopt;
  }
  for (ImportRow& row : rows) {
    row["ranks"] = std::to_string(ranks);
    row["nodes"] = std::to_string(std::max<std::size_t>(hosts.size(), 1));
  }
  return rows;
}

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
    problems.push_back(
        trouble(file, "DeepEP's tests don't say how many ranks there were", "say it with --gpus"));
    return std::nullopt;
  }
  return rows;
}

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

}  // namespace

std::optional<std::vector<ImportRow>> rows_of_log(const text::SourceFile& file,
                                                  const ImportSettings& settings,
                                                  std::vector<text::Diagnostic>& problems) {
  const std::string_view text = file.bytes();
  if (text.find("Best dispatch") != std::string_view::npos ||
      text.find("Best combine") != std::string_view::npos) {
    return deepep_rows(file, settings, problems);
  }
  if (text.find("> Testing with") != std::string_view::npos &&
      text.find(" GB/s (SU)") != std::string_view::npos) {
    return elastic_rows(file);
  }
  if (text.find("algbw") != std::string_view::npos) {
    return nccl_rows(file, settings, problems);
  }
  problems.push_back(trouble(file,
                             "this is no file of timings that epwise knows",
                             "output of nccl-tests or of DeepEP's tests, CSV with a header (kind, "
                             "us, …), or a JSON object a line"));
  return std::nullopt;
}

}  // namespace epwise::calibrate
