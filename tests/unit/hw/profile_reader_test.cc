#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/source_file.h"
#include "hw/profile.h"

namespace {

using epwise::hw::Profile;
using epwise::hw::read_profile;

/// A profile with nothing wrong; tests replace one line of it.
const std::vector<std::string>& good_lines() {
  static const std::vector<std::string> lines = {
      "name: x100",                                                                // 1
      "aliases: [x100-sxm]",                                                       // 2
      "title: X100 SXM 80GB",                                                      // 3
      "architecture: X100",                                                        // 4
      "device_name: NVIDIA X100",                                                  // 5
      "driver_names: [\"NVIDIA X100 *\"]",                                         // 6
      "sources:",                                                                  // 7
      "  sheet: {text: X100 datasheet, date: 2026-11}",                            // 8
      "  bench: {text: our bench, date: 2026-10}",                                 // 9
      "numbers:",                                                                  // 10
      "  compute_capability: {value: 9.0, status: datasheet, source: sheet}",      // 11
      "  sm_count: {value: 132, status: measured, source: bench}",                 // 12
      "  gpus_per_node: {value: 8, status: datasheet, source: sheet}",             // 13
      "  nvlink_domain: {value: 8, status: datasheet, source: sheet}",             // 14
      "  peak_bf16: {value: 989 TFLOP/s, status: datasheet, source: sheet}",       // 15
      "  memory: {value: 80 GiB, status: datasheet, source: sheet}",               // 16
      "  memory_bandwidth: {value: 3.35 TB/s, status: datasheet, source: sheet}",  // 17
      "  nvlink_bandwidth_per_direction: {value: 450 GB/s, status: datasheet, source: sheet}",  // 18
      "  pcie_bandwidth_per_direction: {value: 64 GB/s, status: datasheet, source: sheet}",  // 19
      "  nic_bandwidth_per_gpu: {value: 400 Gbit/s, status: assumed, source: sheet}",        // 20
      "  gemm_best_bf16: {value: 850 TFLOP/s, status: measured, source: bench}",             // 21
  };
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

/// The good profile with one line replaced; an empty text removes it.
std::string with_line(std::size_t number, const std::string& line) {
  auto lines = good_lines();
  if (line.empty()) {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(number) - 1);
  } else {
    lines[number - 1] = line;
  }
  return joined(lines);
}

/// "9:21: message" of every problem, a line each.
std::string problems_of(const std::string& text, const std::string& name = "hwprofiles/x100.yaml") {
  const epwise::text::SourceFile file(name, text);
  std::vector<epwise::text::Diagnostic> problems;
  const auto profile = read_profile(file, problems);
  CHECK(profile.has_value() == problems.empty());
  std::string shown;
  for (const auto& problem : problems) {
    const auto place = problem.mark.start();
    shown += std::to_string(place.line) + ":" + std::to_string(place.column) + ": " +
             problem.message + "\n";
  }
  return shown;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a complete profile is read with units, status, source and date") {
  const epwise::text::SourceFile file("hwprofiles/x100.yaml", joined(good_lines()));
  std::vector<epwise::text::Diagnostic> problems;
  const auto profile = read_profile(file, problems);
  REQUIRE(profile);
  CHECK(problems.empty());
  CHECK(profile->name == "x100");
  CHECK(profile->aliases == Lines{"x100-sxm"});
  CHECK(profile->title == "X100 SXM 80GB");
  CHECK(profile->architecture == "X100");
  CHECK(profile->device_name == "NVIDIA X100");
  CHECK(profile->driver_names == Lines{"NVIDIA X100 *"});
  CHECK(profile->compute_capability == 9.0);
  CHECK(profile->sm_count == 132);
  CHECK(profile->gpus_per_node == 8);
  CHECK(profile->nvlink_domain == 8);
  CHECK_FALSE(profile->partial);
  const auto* network = profile->number("nic_bandwidth_per_gpu");
  REQUIRE(network != nullptr);
  CHECK(network->value.value == doctest::Approx(50e9));
  CHECK(network->value.dimension == epwise::units::Dimension::bytes_per_second);
  CHECK(network->status == epwise::hw::Status::assumed);
  CHECK(network->source == "X100 datasheet");
  CHECK(network->date == "2026-11");
  CHECK(profile->number("sm_count")->date == "2026-10");
  CHECK(profile->number("peak_fp8") == nullptr);
}

TEST_CASE("a profile may know its host's speed") {
  const std::string text = joined(good_lines()) + "  host_operation: ";
  CHECK(problems_of(text + "{value: 52 us, status: measured, source: bench}\n").empty());
  CHECK(
      problems_of(text + "{value: 52 s, status: measured, source: bench}\n").find("out of range") !=
      std::string::npos);
  CHECK(problems_of(text + "{value: 52, status: measured, source: bench}\n").find("must be ") !=
        std::string::npos);
}

TEST_CASE("a partial profile needs only what gates read") {
  const std::string text =
      "name: x100\ntitle: X100\npartial: true\narchitecture: X100\n"
      "sources:\n  sheet: {text: X100 datasheet, date: 2026-11}\n"
      "numbers:\n"
      "  compute_capability: {value: 10.7, status: derived, source: sheet}\n"
      "  gpus_per_node: {value: 4, status: datasheet, source: sheet}\n"
      "  nvlink_domain: {value: 72, status: datasheet, source: sheet}\n";
  const epwise::text::SourceFile file("x100.yaml", text);
  std::vector<epwise::text::Diagnostic> problems;
  const auto profile = read_profile(file, problems);
  REQUIRE(profile);
  CHECK(profile->partial);
  CHECK(profile->sm_count == 0);
  CHECK(profile->device_name.empty());
}

TEST_CASE("every problem of a profile is reported with its place") {
  struct Row {
    const char* what;
    std::size_t line;
    std::string replacement;
    Lines problems;
  };

  const std::vector<Row> rows = {
      {"unknown key",
       2,
       "alias: [y]",
       {"2:1: unknown key `alias` in hardware profile, did you mean `aliases`?"}},
      {"no title", 3, "", {"1:1: hardware profile has no `title`"}},
      {"full profile without device name", 5, "", {"1:1: hardware profile has no `device_name`"}},
      {"name is not the file's",
       1,
       "name: x200",
       {"1:1: profile `x200` is in a file named x100.yaml"}},
      {"two names", 1, "name: [x100]", {"1:7: `name` is a list, not a text"}},
      {"partial is a word",
       4,
       "architecture: X100\npartial: maybe",
       {"5:10: `partial` is neither true nor false"}},
      {"bad month",
       8,
       "  sheet: {text: X100 datasheet, date: November}",
       {"8:39: `date` of source `sheet` is `November`, not a month"}},
      {"thirteenth month",
       8,
       "  sheet: {text: X100 datasheet, date: 2026-13}",
       {"8:39: `date` of source `sheet` is `2026-13`, not a month"}},
      {"source without date",
       9,
       "  bench: {text: our bench}",
       {"9:10: source `bench` has no `date`"}},
      {"unused source",
       9,
       "  bench: {text: our bench, date: 2026-10}\n  other: {text: x, date: 2026-10}",
       {"10:3: no number cites source `other`"}},
      {"unknown number",
       21,
       "  gemm_best_bf61: {value: 850 TFLOP/s, status: measured, source: bench}",
       {"21:3: unknown number `gemm_best_bf61`, did you mean `gemm_best_bf16`?"}},
      {"missing number", 17, "", {"10:1: number `memory_bandwidth` is missing"}},
      {"missing gate", 11, "", {"10:1: number `compute_capability` is missing"}},
      {"no unit",
       17,
       "  memory_bandwidth: {value: 3.35, status: datasheet, source: sheet}",
       {"17:29: `memory_bandwidth` must be bytes/s, not a number without unit"}},
      {"unit where none belongs",
       12,
       "  sm_count: {value: 132 GiB, status: measured, source: bench}",
       {"12:21: `sm_count` must be a number without unit, not bytes"}},
      {"wrong dimension",
       18,
       "  nvlink_bandwidth_per_direction: {value: 450 GB, status: datasheet, source: sheet}",
       {"18:43: `nvlink_bandwidth_per_direction` must be bytes/s, not bytes"}},
      {"no number at all",
       16,
       "  memory: {value: plenty, status: datasheet, source: sheet}",
       {"16:19: `plenty` of `memory` is not a number with a unit"}},
      {"slipped digits",
       17,
       "  memory_bandwidth: {value: 3350 TB/s, status: datasheet, source: sheet}",
       {"17:29: `memory_bandwidth` of 3350 TB/s is out of range"}},
      {"negative",
       12,
       "  sm_count: {value: -132, status: measured, source: bench}",
       {"12:21: `sm_count` of -132 is out of range"}},
      {"half a multiprocessor",
       12,
       "  sm_count: {value: 132.5, status: measured, source: bench}",
       {"12:21: `sm_count` of 132.5 is not a whole number"}},
      {"not a number",
       12,
       "  sm_count: {value: nan, status: measured, source: bench}",
       {"12:21: `nan` of `sm_count` is not a number with a unit"}},
      {"unknown status",
       12,
       "  sm_count: {value: 132, status: mesured, source: bench}",
       {"12:34: `mesured` is not a status, did you mean `measured`?"}},
      {"status missing",
       20,
       "  nic_bandwidth_per_gpu: {value: 400 Gbit/s, source: sheet}",
       {"20:26: number `nic_bandwidth_per_gpu` has no `status`"}},
      {"unknown source",
       20,
       "  nic_bandwidth_per_gpu: {value: 400 Gbit/s, status: assumed, source: sheat}",
       {"20:71: `sheat` is not listed under `sources`, did you mean `sheet`?"}},
      {"number without a mapping",
       20,
       "  nic_bandwidth_per_gpu: 400 Gbit/s",
       {"20:26: number `nic_bandwidth_per_gpu` is a word, but a mapping is needed"}},
      {"extra key in a number",
       20,
       "  nic_bandwidth_per_gpu: {value: 400 Gbit/s, status: assumed, source: sheet, unit: x}",
       {"20:78: unknown key `unit` in number `nic_bandwidth_per_gpu`"}},
      {"measured above the peak",
       21,
       "  gemm_best_bf16: {value: 1850 TFLOP/s, status: measured, source: bench}",
       {"21:3: `gemm_best_bf16` of 1.85 PFLOP/s is above `peak_bf16` of 989 TFLOP/s"}},
      {"a domain that cuts a node",
       14,
       "  nvlink_domain: {value: 12, status: datasheet, source: sheet}",
       {"14:3: `nvlink_domain` of 12 is not a multiple of the 8 GPUs per node"}},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.what));
    CHECK(problems_of(with_line(row.line, row.replacement)) == joined(row.problems));
  }
}

TEST_CASE("all problems come at once") {
  auto lines = good_lines();
  lines[2] = "titel: X100";
  lines[11] = "  sm_count: {value: many, status: guessed, source: nowhere}";
  CHECK(problems_of(joined(lines)) ==
        joined({
            "1:1: hardware profile has no `title`",
            "3:1: unknown key `titel` in hardware profile, did you mean `title`?",
            "12:21: `many` of `sm_count` is not a number with a unit",
            "12:35: `guessed` is not a status",
            "12:52: `nowhere` is not listed under `sources`",
        }));
}

TEST_CASE("a file that is no profile is one problem") {
  CHECK(problems_of("- a\n- b\n") == "1:1: a hardware profile must be a mapping\n");
  CHECK_FALSE(problems_of("").empty());
  CHECK_FALSE(problems_of("name: [x100\n").empty());
  CHECK_FALSE(problems_of(joined(good_lines()) + "---\nname: y\n").empty());
  CHECK_FALSE(problems_of("name: x100\nname: x100\n").empty());
}

TEST_CASE("a text that is no profile's file name is not compared with the name") {
  CHECK(problems_of(joined(good_lines()), "<test>").empty());
}
