#include <array>

#include <fmt/format.h>

#include "calibrate/backends/replay.h"
#include "calibrate/file/work_map.h"
#include "text/spelling.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::calibrate {

namespace {

constexpr std::string_view kReplaySchema = "epwise.replay/1";

constexpr std::array<std::string_view, 12> kTruths = {"gemm",
                                                      "grouped_gemm",
                                                      "memory",
                                                      "exchange",
                                                      "collective",
                                                      "host_operation_us",
                                                      "host_sync_us",
                                                      "launch_us",
                                                      "sm_weight",
                                                      "memory_weight",
                                                      "exchange_slowdown",
                                                      "start_delay_us"};

void read_truth(const yaml::Node& node,
                ReplayScript& script,
                std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "truth", problems);
  for (const std::string_view name : kTruths) {
    if (in.node(name) != nullptr) {
      script.truth[std::string(name)] = read_number(in, name, 1, 1e-6, 1e6);
    }
  }
  in.finish();
}

void read_failure(yaml::MapReader& in, ReplayScript& script) {
  constexpr double kMost = 1e6;
  const auto rank_of = [&in](std::string_view key) {
    return static_cast<int>(read_number(in, key, -1, 0, kMost));
  };
  script.lost_rank = rank_of("lost_rank");
  script.dead_rank = rank_of("dead_rank");
  script.hung_rank = rank_of("hung_rank");
  script.after_rounds = static_cast<int>(read_number(in, "after_rounds", 50, 0, kMost));
}

void read_wrong(yaml::MapReader& in, ReplayScript& script) {
  script.wrong = in.texts("wrong");
  for (const std::string& kernel : script.wrong) {
    if (!kernel_of(kernel)) {
      in.problem(in.node("wrong")->mark, fmt::format("there is no kernel `{}`", kernel));
    }
  }
}

}  // namespace

std::optional<ReplayScript> read_replay(const text::SourceFile& file,
                                        std::vector<text::Diagnostic>& problems) {
  const std::size_t before = problems.size();
  const yaml::Stream stream = yaml::parse(file);
  const bool readable = stream.readable && stream.documents.size() == 1;
  const yaml::Node* const schema =
      readable ? stream.documents.front().root.find("schema") : nullptr;
  ReplayScript script;
  if (schema == nullptr || schema->scalar != kReplaySchema) {
    script.recorded = read_calibration(file, problems);
    script.outliers = 0;
    return script.recorded ? std::optional<ReplayScript>(std::move(script)) : std::nullopt;
  }
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  yaml::MapReader in(stream.documents.front().root, "replay", problems);
  in.node("schema");
  script.hw = in.text("hw").value_or(script.hw);
  script.noise = read_number(in, "noise", script.noise, 0, 1);
  script.outliers = read_number(in, "outliers", script.outliers, 0, 0.5);
  script.drift = read_number(in, "drift", 0, -0.5, 10);
  script.throttle = read_number(in, "throttle", 0, 0, 1);
  read_failure(in, script);
  read_wrong(in, script);
  if (const yaml::Node* truth = in.mapping("truth")) {
    read_truth(*truth, script, problems);
  }
  in.finish();
  return problems.size() == before ? std::optional<ReplayScript>(std::move(script)) : std::nullopt;
}

}  // namespace epwise::calibrate
