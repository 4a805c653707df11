#include "calibrate/import/hybridep_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "calibrate/import/log_line.h"
#include "cost/routing.h"

namespace epwise::calibrate {

namespace {

/// Sizes that HybridEP's test takes from its environment, with what it takes without.
struct HybridSizes {
  ImportRow row = {{"hidden", "7168"}, {"tokens", "4096"}, {"topk", "8"}};
  int local_experts = 8;
  std::string sms;  // the test never says; NUM_SMS=… in the log does

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

/// What every rank of HybridEP's test tells of a pass in bf16 and one in fp8:
///   [rank 3] HybridEP dispatch torch API (BF16): 512.34 GB/s (NVL), t: 603.1 us, nvl_recv_bytes:
///       309.01 MB
///   [rank 3] HybridEP dispatch kernel(NVL) (BF16): 735.0 GB/s, avg_t=420.1 us | HybridEP combine
///       kernel(NVL): 674.1 GB/s, avg_t=458.3 us
/// The times of the kernels count, of the slowest rank. Sizes stand in no line: those of the test's
/// environment, held against the bytes that ranks received.
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
                                     "it tells the time of whole calls and not that of the kernels",
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
    constexpr double kApart = 0.05;  // of what balanced routing sends
    if (receptions_ > 0 && !(std::abs(received / expected - 1) < kApart)) {
      problems.push_back(log_trouble(
          file_,
          fmt::format("its ranks received {:.0f} MB, and {} tokens of {} channels to {} of {} "
                      "experts on {} ranks are {:.0f} MB",
                      received,
                      rows.front().at("tokens"),
                      rows.front().at("hidden"),
                      rows.front().at("topk"),
                      rows.front().at("experts"),
                      ranks_,
                      expected),
          "put the test's sizes into a line of it: HIDDEN_DIM=… NUM_TOKENS_PER_RANK=… "
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
      // Sums travel in bf16 whatever the dispatch did: the first pass tells of them.
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
  double received_ = 0;  // MB, of all ranks that told
  int receptions_ = 0;
  std::map<std::pair<std::string, std::string>, double> slowest_;  // kind and format → us
};

}  // namespace

std::optional<std::vector<ImportRow>> hybridep_rows(const text::SourceFile& file,
                                                    std::vector<text::Diagnostic>& problems) {
  return HybridLog(file).rows(problems);
}

}  // namespace epwise::calibrate
