#include "calibrate/backends/replay.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/text/spelling.h"
#include "calibrate/file/calibration_file.h"
#include "calibrate/work/law_time.h"
#include "perf/cost/cost.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::calibrate {

namespace {

constexpr double kTerabyte = 1e12;

/// True times of one simulated machine.
class Truth {
 public:
  Truth(const ReplayScript& script, const cost::Table& laws, const cost::Chip& chip)
      : script_(script),
        laws_(laws),
        chip_(chip) {}

  double value(std::string_view name, double otherwise) const {
    const auto found = script_.truth.find(name);
    return found == script_.truth.end() ? otherwise : found->second;
  }

  double seconds(const Work& work) const {
    if (const auto law = law_time(laws_, chip_, work)) {
      return *law * value(family_of(work.kernel), 1);
    }
    const double share = work.sms > 0 ? chip_.sms / work.sms : 1;
    switch (work.kernel) {
      case Kernel::host_operation:
        return value("host_operation_us", 60) * cost::kMicro;
      case Kernel::launch:
        return value("launch_us", 2.6) * cost::kMicro;
      case Kernel::graph_launch:
        return value("launch_us", 2.6) * 0.45 * cost::kMicro;
      case Kernel::host_sync:
        return value("host_sync_us", 45) * cost::kMicro;
      default:
        return (4 + memory_bytes_of(work) / (0.7 * chip_.memory * kTerabyte) * 1e6) * share *
               cost::kMicro;
    }
  }

  /// Slow-down of compute concurrent with other work.
  double compute_slowdown(const Work& beside) const {
    const double left = std::max(chip_.sms - beside.sms, 1.0);
    const double by_sms = 1 + value("sm_weight", 1) * beside.sms / left;
    return beside.kernel == Kernel::occupier
               ? by_sms
               : by_sms * (1 + value("memory_weight", 0.3) * memory_share(beside));
  }

  double exchange_slowdown() const { return value("exchange_slowdown", 1.15); }

  double start_delay() const { return value("start_delay_us", 20) * cost::kMicro; }

 private:
  static std::string_view family_of(Kernel kernel) {
    switch (kernel) {
      case Kernel::gemm:
        return "gemm";
      case Kernel::grouped_gemm:
        return "grouped_gemm";
      case Kernel::dispatch:
      case Kernel::combine:
        return "exchange";
      case Kernel::all_to_all:
      case Kernel::all_gather:
      case Kernel::reduce_scatter:
      case Kernel::send_recv:
      case Kernel::peer_copy:
        return "collective";
      default:
        return "memory";
    }
  }

  double memory_share(const Work& beside) const {
    const double rate = memory_bytes_of(beside) / seconds(beside);
    return std::min(rate / (chip_.memory * kTerabyte), 1.0);
  }

  const ReplayScript& script_;
  const cost::Table& laws_;
  const cost::Chip& chip_;
};

/// State shared by all measurements of one replay.
struct Theatre {
  ReplayScript script;
  const cost::Table* laws = nullptr;
  const cost::Chip* chip = nullptr;
  int rank = 0;
  double now = 0;  // s, virtual
  int rounds = 0;
  std::mt19937_64 random;

  double uniform() { return static_cast<double>(random() >> 11) * 0x1p-53; }

  /// Box-Muller: the same numbers with every standard library.
  double normal() {
    constexpr double kTurn = 6.283185307179586;
    const double radius = std::sqrt(-2 * std::log(std::max(uniform(), 1e-300)));
    return radius * std::cos(kTurn * uniform());
  }

  double disturbed(double seconds, double noise) {
    double factor = std::exp(noise * normal()) * (1 + script.drift * now / 60);
    if (uniform() < script.outliers) {
      factor *= 1.5 + 2.5 * uniform();
    }
    return seconds * factor;
  }
};

class ReplayMeasurement : public Measurement {
 public:
  ReplayMeasurement(std::shared_ptr<Theatre> theatre, const Request& request, const Point* recorded)
      : theatre_(std::move(theatre)),
        request_(request) {
    const Truth truth(theatre_->script, *theatre_->laws, *theatre_->chip);
    noise_ = theatre_->script.noise;
    seconds_ = truth.seconds(request.work);
    if (request.beside && is_exchange(request.work.kernel)) {
      seconds_ *= truth.exchange_slowdown();
      beside_ = truth.seconds(*request.beside) * truth.compute_slowdown(request.work);
      start_delay_ = truth.start_delay();
    } else if (request.beside) {
      seconds_ *= truth.compute_slowdown(*request.beside);
      if (request.beside->kernel != Kernel::occupier) {
        beside_ = truth.seconds(*request.beside) * truth.exchange_slowdown();
      }
    }
    if (recorded != nullptr) {
      seconds_ = recorded->time.median;
      noise_ = std::max(recorded->time.spread, 1e-4);
      beside_ = recorded->beside_time ? recorded->beside_time->median : beside_;
      start_delay_ = recorded->start_delay ? recorded->start_delay->median : start_delay_;
    }
    judge();
  }

  const Check& check() const override { return check_; }

  double memory_bytes() const override { return memory_bytes_of(request_.work); }

  double payload_bytes() const override { return payload_bytes_of(request_.work); }

  Round round() override {
    Theatre& stage = *theatre_;
    Round round;
    ++stage.rounds;
    if (stage.rounds > stage.script.after_rounds) {
      if (stage.rank == stage.script.dead_rank) {
        std::_Exit(1);  // a rank that dies does not notify the others
      }
      if (stage.rank == stage.script.hung_rank) {
        std::this_thread::sleep_for(std::chrono::minutes(5));
      }
      if (stage.rank == stage.script.lost_rank) {
        round.failure = "the device was lost";
        round.fatal = true;
        return round;
      }
    }
    round.seconds = stage.disturbed(seconds_, noise_);
    if (beside_ > 0) {
      round.beside_seconds = stage.disturbed(beside_, noise_);
    }
    if (start_delay_ > 0) {
      round.start_delay = stage.disturbed(start_delay_, noise_);
    }
    round.state.clock_mhz = 1700 + 5 * stage.normal();
    round.state.power_w = 600;
    round.state.throttled = stage.uniform() < stage.script.throttle;
    constexpr double kBetweenRounds = 50e-6;
    stage.now += round.seconds + kBetweenRounds;
    return round;
  }

 private:
  void judge() {
    check_.kind = "generated";
    check_.result = Check::Result::passed;
    for (const std::string& wrong : theatre_->script.wrong) {
      if (wrong == to_string(request_.work.kernel)) {
        check_.result = Check::Result::failed;
        check_.what = "row 0 differs";
      }
    }
  }

  std::shared_ptr<Theatre> theatre_;
  Request request_;
  Check check_;
  double seconds_ = 0;
  double beside_ = 0;
  double start_delay_ = 0;
  double noise_ = 0;
};

class ReplayBackend : public Backend {
 public:
  ReplayBackend(std::shared_ptr<Theatre> theatre, const Ranks& ranks)
      : theatre_(std::move(theatre)) {
    const cost::Chip& chip = *theatre_->chip;
    if (theatre_->script.recorded) {
      environment_ = theatre_->script.recorded->environment;
    } else {
      environment_.device.name = fmt::format("made-up {}", chip.name);
      environment_.device.sms = static_cast<int>(chip.sms);
      environment_.software["driver"] = "replay";
    }
    environment_.domain.clear();
    for (int rank = 0; rank < ranks.size(); ++rank) {
      environment_.domain.push_back(rank);
    }
  }

  std::string_view name() const override { return "replay"; }

  const Environment& environment() const override { return environment_; }

  Prepared prepare(const Request& request) override {
    Prepared prepared;
    const Point* found = nullptr;
    if (theatre_->script.recorded) {
      found = recorded(request);
      if (found == nullptr || !found->has_time()) {
        prepared.reason = found == nullptr ? "not in the recorded file" : found->reason;
        return prepared;
      }
    }
    prepared.measurement = std::make_unique<ReplayMeasurement>(theatre_, request, found);
    return prepared;
  }

  void trim() override {}

 private:
  const Point* recorded(const Request& request) const {
    for (const Point& point : theatre_->script.recorded->points) {
      if (point.request.work == request.work && point.request.beside == request.beside &&
          point.request.scope == request.scope) {
        return &point;
      }
    }
    return nullptr;
  }

  std::shared_ptr<Theatre> theatre_;
  Environment environment_;
};

}  // namespace

OpenedReplay open_replay(const ReplayScript& script,
                         Ranks& ranks,
                         const cost::Table& laws,
                         std::uint64_t seed) {
  OpenedReplay opened;
  const std::string hw =
      script.recorded && !script.recorded->hw.empty() ? script.recorded->hw : script.hw;
  const cost::Chip* chip = laws.find_chip(hw);
  if (chip == nullptr && script.recorded) {
    chip = &laws.chips.front();  // recorded times are used as they are
  }
  if (chip == nullptr) {
    opened.reason = fmt::format("no cost laws for `{}` to replay", hw);
    return opened;
  }
  auto stage = std::make_shared<Theatre>();
  stage->script = script;
  stage->laws = &laws;
  stage->chip = chip;
  stage->rank = ranks.rank();
  stage->random.seed(seed * 1000003 + static_cast<std::uint64_t>(ranks.rank()));
  opened.clock = [stage] { return stage->now; };
  opened.backend = std::make_unique<ReplayBackend>(stage, ranks);
  return opened;
}

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
  constexpr double kMostReplayed = 1e6;
  const auto rank_of = [&in](std::string_view key) {
    return static_cast<int>(read_number(in, key, -1, 0, kMostReplayed));
  };
  script.lost_rank = rank_of("lost_rank");
  script.dead_rank = rank_of("dead_rank");
  script.hung_rank = rank_of("hung_rank");
  script.after_rounds = static_cast<int>(read_number(in, "after_rounds", 50, 0, kMostReplayed));
}

void read_wrong(yaml::MapReader& in, ReplayScript& script) {
  script.wrong = in.texts("wrong");
  for (const std::string& kernel : script.wrong) {
    if (!kernel_of(kernel)) {
      in.problem(in.node("wrong")->mark, fmt::format("unknown kernel `{}`", kernel));
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
