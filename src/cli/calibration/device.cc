#include "cli/calibration/device.h"

#include <charconv>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "calibrate/backends/cpu_backend.h"
#include "calibrate/backends/host_probe.h"
#include "calibrate/backends/replay.h"
#include "cli/calibration/file.h"
#include "cli/progress.h"
#include "hw/profile.h"

namespace epwise::cli {

namespace {

using world::UsageError;

constexpr std::string_view kWithoutDevice =
    "--backend cpu takes every step on the CPU, to see it work (it speaks for no GPU); "
    "--backend replay makes times up from the cost laws or from a recorded file; "
    "`epwise calibrate import` takes what the tests of NCCL, DeepEP and HybridEP measured";

calibrate::ReplayScript replay_script(Session& session, const Arguments& arguments) {
  calibrate::ReplayScript script;
  if (const auto path = arguments.one("--replay")) {
    const text::SourceFile file(path->value, session.files.read(path->value));
    std::vector<text::Diagnostic> problems;
    auto read = calibrate::read_replay(file, problems);
    if (!read) {
      throw world::MissingError(problems_text(problems));
    }
    return *read;
  }
  if (const auto hw = arguments.one("--hw")) {
    const hw::Profile* const profile = hw::find_profile(hw->value);
    script.hw = profile == nullptr ? hw->value : profile->name;
  }
  return script;
}

OpenedDevice open_replay(Session& session,
                         const Arguments& arguments,
                         calibrate::Ranks& ranks,
                         const cost::Table& laws) {
  const calibrate::ReplayScript script = replay_script(session, arguments);
  calibrate::OpenedReplay replay = calibrate::open_replay(script, ranks, laws, seed_of(arguments));
  const std::string hw = script.recorded ? script.recorded->hw : script.hw;
  return {std::move(replay.backend), std::move(replay.clock), hw, std::move(replay.reason)};
}

/// By $EPWISE_PYTHON, or python3 on the PATH.
std::string printed_by_python(const Session& session,
                              const std::string& script,
                              std::string& reason) {
  const std::string python = session.variables.get("EPWISE_PYTHON").value_or("python3");
  const auto printed =
      session.programs == nullptr ? std::nullopt : session.programs->output({python, "-c", script});
  if (!printed) {
    reason = python + " can't be started, failed, or took longer than half a minute";
  }
  return printed.value_or("");
}

OpenedDevice open_cuda(const Session& session,
                       calibrate::Ranks& ranks,
                       const calibrate::BackendSettings& settings) {
  const calibrate::Clock clock = steady_clock();
  const double begin = clock();
  calibrate::OpenedBackend cuda = calibrate::open_cuda_backend(ranks, settings);
  if (cuda.backend == nullptr) {
    return {nullptr, {}, {}, std::move(cuda.reason)};
  }
  OpenedDevice opened;
  opened.backend = calibrate::with_host_probe(
      std::move(cuda.backend), [&session](const std::string& script, std::string& reason) {
        return printed_by_python(session, script, reason);
      });
  opened.clock = clock;
  opened.spent = clock() - begin;
  const std::string& name = opened.backend->environment().device.name;
  const hw::Profile* const profile = hw::find_profile_of_device(name);
  opened.hw = profile == nullptr ? "" : profile->name;
  return opened;
}

}  // namespace

OpenedDevice open_device(Session& session,
                         const Arguments& arguments,
                         calibrate::Ranks& ranks,
                         const cost::Table& laws) {
  calibrate::BackendSettings settings;
  settings.quick = arguments.flag("--quick");
  settings.preheat = settings.quick ? 0.5 : 3;
  if (const auto timeout = arguments.one("--timeout")) {
    settings.timeout = parse_duration(timeout->value, timeout->source);
  }
  const std::string name = arguments.text_of("--backend", "cuda");
  if (name == "replay") {
    return open_replay(session, arguments, ranks, laws);
  }
  if (name == "cpu") {
    return {calibrate::open_cpu_backend(ranks, settings), steady_clock(), {}, {}};
  }
  return open_cuda(session, ranks, settings);
}

std::string_view way_without_device() {
  return kWithoutDevice;
}

std::uint64_t seed_of(const Arguments& arguments) {
  const auto setting = arguments.one("--seed");
  if (!setting) {
    return 1;
  }
  std::uint64_t seed = 0;
  const std::string& text = setting->value;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
  constexpr std::uint64_t kMost = 1ULL << 53;
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || seed > kMost) {
    throw UsageError(fmt::format("{}: `{}` is no whole number", setting->source, text));
  }
  return seed;
}

std::string_view host_kind() {
#if defined(__aarch64__)
  return "grace";
#else
  return "x86";
#endif
}

}  // namespace epwise::cli
