// Files of timings of any bytes: read or refused, never a crash; what was read is written and read
// again as it was. A first byte of 1: a calibration of known lines, with values that the bytes behind it choose.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/backends/replay.h"
#include "calibrate/file/calibration.h"
#include "calibrate/fits/fits.h"
#include "calibrate/import/import.h"
#include "calibrate/ranks/launch.h"
#include "support/choices.h"
#include "support/fuzz_target.h"

namespace {

/// A line as it is, without its value, with another, left out or twice.
void add_line(std::string_view line, epwise::support::Choices& choices, std::string& text) {
  constexpr std::array<std::string_view, 14> kNumbers = {"0",
                                                         "-1",
                                                         "1e-300",
                                                         "1e308",
                                                         ".nan",
                                                         ".inf",
                                                         "nothing",
                                                         "12.5",
                                                         "2026-13-40T25:61:61Z",
                                                         "\"x\"",
                                                         "[1]",
                                                         "{}",
                                                         "18446744073709551616",
                                                         ""};
  const std::size_t how = choices.below(10);
  if (how == 0) {
    return;
  }
  const std::size_t sign = line.rfind(": ");
  if (how == 1 && sign != std::string_view::npos) {
    const std::size_t end = line.find('}', sign);
    text += line.substr(0, sign + 2);
    text += choices.of(kNumbers);
    text += end == std::string_view::npos ? std::string_view() : line.substr(end);
  } else {
    text += line;
  }
  text += "\n";
  if (how == 2) {
    text += std::string(line) + "\n";
  }
}

std::string made_calibration(epwise::support::Choices& choices) {
  constexpr std::array<std::string_view, 16> kHead = {
      "schema: epwise.calibration/1",
      "tool: \"0.1.0\"",
      "created: \"2026-11-28T04:44:41Z\"",
      "backend: \"replay\"",
      "hw: \"h200\"",
      "host: \"x86\"",
      "mode: \"quick\"",
      "seed: 1",
      "ranks: 1",
      "domain: 1",
      "planned_points: 9",
      "device: {name: \"made\", compute_capability: \"9.0\", sms: 132, l2_bytes: 0, memory_bytes: "
      "0, clock_mhz: 0, power_limit_w: 0, mig: false}",
      "software: {driver: \"replay\"}",
      "timer_tick_us: 0",
      "recipe: {tokens: 4096, hidden: 7168, inter: 2048, experts: 256, topk: 8, ranks: 8, "
      "attention_n: 24576, attention_k: 16384, "
      "dtype: bf16, sms: 20, reduced: false}",
      "points:"};
  constexpr std::array<std::string_view, 8> kIds = {"host.stream_hop",
                                                    "host.launch",
                                                    "gemm.bf16.m4096.n24576.k7168",
                                                    "grouped.forward.fc1.m512",
                                                    "dispatch.direct.t8192.k48",
                                                    "contention.attention.exchange.k24",
                                                    "permute.t4096",
                                                    "x"};
  constexpr std::array<std::string_view, 6> kWorks = {
      "{kernel: stream_hop, dtype: bf16}",
      "{kernel: gemm, dtype: bf16, m: 4096, n: 24576, k: 7168}",
      "{kernel: grouped_gemm, dtype: fp8, experts: 32, m: 512, n: 4096, k: 7168}",
      "{kernel: dispatch, dtype: bf16, tokens: 8192, hidden: 7168, ranks: 8, sms: 48}",
      "{kernel: contention, sms: 24}",
      "{}"};
  constexpr std::array<std::string_view, 4> kStates = {"measured", "imported", "failed", "skipped"};
  std::string text;
  for (const std::string_view line : kHead) {
    add_line(line, choices, text);
  }
  for (std::size_t points = choices.below(8); points > 0 && !choices.done(); --points) {
    add_line("  - id: \"" + std::string(choices.of(kIds)) + "\"", choices, text);
    add_line("    work: " + std::string(choices.of(kWorks)), choices, text);
    add_line("    status: " + std::string(choices.of(kStates)), choices, text);
    add_line(
        "    time_us: {median: 3.9, low: 3.9, high: 4.0, p10: 3.9, p90: 4.0, least: 3.8, spread: "
        "0.01, rounds: 10, discarded: 0, outliers: 0}",
        choices,
        text);
    add_line("    clock_mhz: 1701.001", choices, text);
    add_line("    power_w: 600", choices, text);
    add_line("    check: {result: passed, kind: \"generated\"}", choices, text);
  }
  return text;
}

}  // namespace

FUZZ_TARGET(calibration) {
  using namespace epwise;
  constexpr std::size_t kMost = 1U << 16;
  support::Choices choices(data + 1, size == 0 ? 0 : std::min(size, kMost) - 1);
  const std::string bytes =
      support::is_structured(data, size)
          ? made_calibration(choices)
          : std::string(reinterpret_cast<const char*>(data), std::min(size, kMost));
  const text::SourceFile file("fuzz", bytes);
  std::vector<text::Diagnostic> problems;
  const auto read = calibrate::read_calibration(file, problems);
  if (read.has_value() != problems.empty()) {
    std::abort();
  }
  if (read) {
    const std::string written = calibrate::to_yaml(*read);
    const text::SourceFile again("again", written);
    const auto second = calibrate::read_calibration(again, problems);
    if (!second || calibrate::to_yaml(*second) != written) {
      std::abort();
    }
    static_cast<void>(calibrate::fit_all(*read));
  }
  problems.clear();
  static_cast<void>(calibrate::read_replay(file, problems));
  problems.clear();
  static_cast<void>(calibrate::import_timings(file, {"h100", 8}, problems));
  static_cast<void>(calibrate::first_host(bytes));
  return 0;
}
