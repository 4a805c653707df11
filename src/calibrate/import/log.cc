#include "calibrate/import/log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "calibrate/import/import.h"
#include "perf/cost/exchange.h"

/// Parses lines of a log, and reports missing information.

namespace epwise::calibrate {

/// words_of("  a b\t c") → "a", "b", "c"
std::vector<std::string_view> words_of(std::string_view line);

/// Only digits and points: is_number("12.5") → true
bool is_number(std::string_view text);

/// The number after `key`: number_behind("num_topk=8,", "num_topk=") → "8"; empty if none.
std::string number_behind(std::string_view line, std::string_view key);

/// The number before `unit`: number_before("t: 650.12 us", " us") → "650.12"; empty for none.
std::string number_before(std::string_view line, std::string_view unit);

text::Diagnostic log_trouble(const text::SourceFile& file, std::string message, std::string help);

/// One row per size timed by nccl-tests; nullopt with a reason if the log does not give the
/// collective or the number of ranks.
///   "1048576 262144 float none -1 93.4 …" → {kind: alltoall, bytes: 1048576, us: 93.4, ranks: 8,
///   …}
std::optional<std::vector<ImportRow>> nccl_rows(const text::SourceFile& file,
                                                const ImportSettings& settings,
                                                std::vector<text::Diagnostic>& problems);

/// One row per best configuration found by DeepEP's tests; nullopt with a reason if the number of
/// ranks is unknown.
std::optional<std::vector<ImportRow>> deepep_rows(const text::SourceFile& file,
                                                  const ImportSettings& settings,
                                                  std::vector<text::Diagnostic>& problems);

/// One row per case and direction of DeepEP's newer test, for the slowest rank; its output includes
/// the sizes.
std::vector<ImportRow> elastic_rows(const text::SourceFile& file);

/// One row per direction and format timed by HybridEP's test, for the slowest rank; nullopt with a
/// reason for a log without kernel times, or whose sizes do not match the bytes received.
std::optional<std::vector<ImportRow>> hybridep_rows(const text::SourceFile& file,
                                                    std::vector<text::Diagnostic>& problems);

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

std::string number_before(std::string_view line, std::string_view unit) {
  const std::size_t place = line.find(unit);
  if (place == std::string_view::npos) {
    return {};
  }
  const std::size_t begin = line.find_last_not_of("0123456789.", place == 0 ? 0 : place - 1);
  const std::size_t from = begin == std::string_view::npos ? 0 : begin + 1;
  return std::string(line.substr(from, place - from));
}

text::Diagnostic log_trouble(const text::SourceFile& file, std::string message, std::string help) {
  return {"config/invalid", {&file, 0, 0}, std::move(message), {}, std::move(help)};
}

namespace {

/// Which collective nccl-tests ran: newer releases print it, the file name often contains it.
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

}  // namespace

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
    problems.push_back(log_trouble(
        file,
        operation.empty() ? "it does not name the collective that was timed"
                          : "it does not give the number of ranks",
        operation.empty()
            ? "include alltoall, all_gather, reduce_scatter or sendrecv in the file name"
            : "pass --gpus"));
    return std::nullopt;
  }
  for (ImportRow& row : rows) {
    row["ranks"] = std::to_string(ranks);
    row["nodes"] = std::to_string(std::max<std::size_t>(hosts.size(), 1));
  }
  return rows;
}

namespace {

/// The slowest rank of one case of DeepEP's newer test, by timed operation.
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
  constexpr std::string_view kUsualExperts = "256";  // tokens in DeepEP's tests
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
    const std::string rate = number_before(line, " GB/s (NVL)");  // older tests print no time
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
        file, "the output of DeepEP's tests does not give the number of ranks", "pass --gpus"));
    return std::nullopt;
  }
  return rows;
}

/// The output of every rank of DeepEP's newer test for each case, which includes its sizes:
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

namespace {

/// Sizes that HybridEP's test takes from its environment, with their defaults.
struct HybridSizes {
  ImportRow row = {{"hidden", "7168"}, {"tokens", "4096"}, {"topk", "8"}};
  int local_experts = 8;
  std::string sms;  // the test never prints it; NUM_SMS=… in the log does

  void read(std::string_view line) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames = {
        {{"HIDDEN_DIM=", "hidden"}, {"NUM_TOKENS_PER_RANK=", "tokens"}, {"TOPK=", "topk"}}};
    for (const auto& [key, column] : kNames) {
      const std::string value = number_behind(line, key);
      if (!value.empty()) {
        row[std::string(column)] = value;
      }
    }
    const std::string experts = number_behind(line, "NUM_LOCAL_EXPERTS=");
    local_experts = experts.empty() ? local_experts : std::atoi(experts.c_str());
    const std::string counted = number_behind(line, "NUM_SMS=");
    sms = counted.empty() ? sms : counted;
  }
};

/// The output of every rank of HybridEP's test for one pass in bf16 and one in fp8:
///   [rank 3] HybridEP dispatch torch API (BF16): 512.34 GB/s (NVL), t: 603.1 us, nvl_recv_bytes:
///       309.01 MB
///   [rank 3] HybridEP dispatch kernel(NVL) (BF16): 735.0 GB/s, avg_t=420.1 us | HybridEP combine
///       kernel(NVL): 674.1 GB/s, avg_t=458.3 us
/// Uses the times of the kernels, of the slowest rank. Sizes are not printed: they come from the
/// test's environment and are checked against the received bytes.
class HybridLog {
 public:
  explicit HybridLog(const text::SourceFile& file) : file_(file) {
    for (int number = 1; number <= file.line_count(); ++number) {
      read(file.line(number));
    }
  }

  std::optional<std::vector<ImportRow>> rows(std::vector<text::Diagnostic>& problems) const {
    if (slowest_.empty()) {
      problems.push_back(log_trouble(file_,
                                     "it reports the time of complete calls, not of the kernels",
                                     "run test_hybrid_ep.py without --nsys-profile"));
      return std::nullopt;
    }
    std::vector<ImportRow> rows;
    for (const auto& [what, micros] : slowest_) {
      const auto& [kind, dtype] = what;
      ImportRow row = sizes_.row;
      row["kind"] = kind;
      row["backend"] = "hybridep";
      row["dtype"] = dtype;
      row["ranks"] = std::to_string(ranks_);
      row["nodes"] = several_ ? "2" : "1";
      row["experts"] = std::to_string(sizes_.local_experts * ranks_);
      row["sms"] = !sizes_.sms.empty() ? sizes_.sms : several_ ? "8" : "24";  // of the library
      row["us"] = fmt::format("{}", micros);
      rows.push_back(std::move(row));
    }
    const double expected = expected_bytes(rows.front());
    const double received = received_ / std::max(receptions_, 1);
    constexpr double kApart = 0.05;  // relative to balanced routing
    if (receptions_ > 0 && !(std::abs(received / expected - 1) < kApart)) {
      problems.push_back(
          log_trouble(file_,
                      fmt::format("its ranks received {:.0f} MB, but {} tokens of {} channels to "
                                  "{} of {} experts on {} ranks amount to {:.0f} MB",
                                  received,
                                  rows.front().at("tokens"),
                                  rows.front().at("hidden"),
                                  rows.front().at("topk"),
                                  rows.front().at("experts"),
                                  ranks_,
                                  expected),
                      "add a line with the test's sizes: HIDDEN_DIM=… NUM_TOKENS_PER_RANK=… "
                      "NUM_LOCAL_EXPERTS=… TOPK=…"));
      return std::nullopt;
    }
    return rows;
  }

 private:
  void read(std::string_view line) {
    sizes_.read(line);
    if (line.find("HybridEP ") == std::string_view::npos) {
      return;
    }
    ranks_ = std::max(ranks_, std::atoi(number_behind(line, "[rank ").c_str()) + 1);
    several_ = several_ || line.find("(IB)") != std::string_view::npos;
    const bool fp8 = line.find("(FP8)") != std::string_view::npos;
    if (line.find("HybridEP dispatch torch API (BF16)") != std::string_view::npos) {
      const std::string bytes = number_behind(line, "nvl_recv_bytes: ");
      received_ += std::strtod(bytes.c_str(), nullptr);
      receptions_ += bytes.empty() ? 0 : 1;
    }
    for (const char* const kind : {"dispatch", "combine"}) {
      const std::size_t place = line.find(fmt::format("HybridEP {} kernel(", kind));
      const std::string micros =
          place == std::string_view::npos ? "" : number_behind(line.substr(place), "avg_t=");
      // Sums are sent in bf16 regardless of the dispatch format: the first pass gives their times.
      if (!micros.empty() && (!fp8 || kind == std::string_view("dispatch"))) {
        double& most = slowest_[{kind, fp8 ? "fp8" : "bf16"}];
        most = std::max(most, std::strtod(micros.c_str(), nullptr));
      }
    }
  }

  /// MB in bf16.
  static double expected_bytes(const ImportRow& row) {
    const auto number = [&row](const char* name) { return std::atof(row.at(name).c_str()); };
    const double copies = cost::expected_parts(
        number("experts"), static_cast<int>(number("ranks")), static_cast<int>(number("topk")), {});
    return number("tokens") * number("hidden") * 2 * copies * 1e-6;
  }

  const text::SourceFile& file_;
  HybridSizes sizes_;
  int ranks_ = 0;
  bool several_ = false;
  double received_ = 0;  // MB, of all ranks that printed it
  int receptions_ = 0;
  std::map<std::pair<std::string, std::string>, double> slowest_;  // kind and format → us
};

}  // namespace

std::optional<std::vector<ImportRow>> hybridep_rows(const text::SourceFile& file,
                                                    std::vector<text::Diagnostic>& problems) {
  return HybridLog(file).rows(problems);
}

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
  if (text.find("HybridEP dispatch") != std::string_view::npos) {
    return hybridep_rows(file, problems);
  }
  if (text.find("algbw") != std::string_view::npos) {
    return nccl_rows(file, settings, problems);
  }
  if (text.find("epwise.calibration/") != std::string_view::npos) {
    problems.push_back(log_trouble(
        file, "this is already a calibration", "`epwise calibrate merge` combines several"));
    return std::nullopt;
  }
  problems.push_back(log_trouble(file,
                                 "not a timing file that epwise recognises",
                                 "output of nccl-tests, of DeepEP's or HybridEP's tests, CSV with "
                                 "a header (kind, us, …), or one JSON object per line"));
  return std::nullopt;
}

}  // namespace epwise::calibrate
