#include "perf/sim/constants/stated_inputs.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text/spelling.h"
#include "base/units/quantity.h"
#include "expr/layout_text.h"
#include "perf/workload/pipeline_layout.h"

namespace epwise::sim {

namespace {

using workload::Workload;

/// Stores a value; false if the input does not accept it.
using Take = bool (*)(std::string_view value, Workload& job, StatedInputs& stated);

struct Entry {
  InputKind kind;
  Take take = nullptr;
};

/// One of two words; nullopt for any other.
std::optional<bool> choice(std::string_view value, std::string_view yes, std::string_view no) {
  if (value != yes && value != no) {
    return std::nullopt;
  }
  return value == yes;
}

std::optional<double> quantity(std::string_view value, units::Dimension dimension) {
  const auto parsed = units::parse_quantity(value);
  if (!parsed || parsed->dimension != dimension || !std::isfinite(parsed->value) ||
      parsed->value <= 0) {
    return std::nullopt;
  }
  return parsed->value;
}

bool take_routing(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  const auto forced = choice(value, "forced", "natural");
  if (forced) {
    job.routing.balance = *forced ? workload::Balance::forced : workload::Balance::natural;
  }
  return forced.has_value();
}

bool take_imbalance(std::string_view value, Workload& job, StatedInputs& stated) {
  constexpr double kMost = 1000;
  const auto factor = quantity(value, units::Dimension::none);
  if (!factor || *factor < 1 || *factor > kMost) {
    return false;
  }
  stated.imbalance = *factor;
  job.routing.imbalance = *factor;
  return true;
}

bool take_host(std::string_view value, Workload& /*job*/, StatedInputs& stated) {
  const auto time = quantity(value, units::Dimension::seconds);
  stated.host_operation = time.value_or(0);
  return time.has_value();
}

bool take_binding(std::string_view value, Workload& /*job*/, StatedInputs& stated) {
  stated.unbound = value == "none";
  return stated.unbound || value == "numactl" || value == "bindpcie" || value == "cores";
}

bool take_cpu(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  const auto grace = choice(value, "grace", "x86");
  if (grace) {
    job.machine.cpu = *grace ? workload::Cpu::grace : workload::Cpu::x86;
  }
  return grace.has_value();
}

bool take_nic(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  const auto rate = quantity(value, units::Dimension::bytes_per_second);
  if (rate) {
    job.machine.nic_rate = *rate;
  }
  return rate.has_value();
}

bool take_domain(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  constexpr double kMost = 4096;
  const auto size = quantity(value, units::Dimension::none);
  if (!size || *size != std::floor(*size) || *size > kMost) {
    return false;
  }
  job.machine.nvlink_domain = static_cast<int>(*size);
  return true;
}

bool take_attention(std::string_view value, Workload& job, StatedInputs& stated) {
  const auto fused = choice(value, "fused", "unfused");
  if (fused) {
    job.kernels.fused_softmax = *fused;
    job.kernels.scores = *fused ? workload::StoredScores{} : job.kernels.scores;
    stated.attention_path = true;
  }
  return fused.has_value();
}

bool take_tensor_overlap(std::string_view value, Workload& job, StatedInputs& stated) {
  const auto on = choice(value, "on", "off");
  if (on) {
    job.parallel.tensor_overlap = *on;
    stated.tensor_overlap = true;
  }
  return on.has_value();
}

bool take_optimizer_states(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  constexpr double kMost = 64;
  constexpr double kFp32 = 4;
  const auto bytes = quantity(value, units::Dimension::bytes);
  if (!bytes || *bytes > kMost) {
    return false;
  }
  job.optimizer.main_weight = std::min(kFp32, *bytes);
  job.optimizer.moments = *bytes - job.optimizer.main_weight;
  return true;
}

bool take_gradients(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  constexpr double kMost = 4;
  const auto bytes = quantity(value, units::Dimension::bytes);
  if (!bytes || *bytes > kMost) {
    return false;
  }
  job.optimizer.gradient = *bytes;
  return true;
}

/// "1024", or "4x256": so many images of so many tokens each.
bool take_images(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  const auto count = [](std::string_view text) {
    return text == "0" ? std::optional(0.0) : quantity(text, units::Dimension::none);
  };
  const auto times = value.find('x');
  const auto images = times == std::string_view::npos ? 1.0 : count(value.substr(0, times));
  const auto tokens = count(times == std::string_view::npos ? value : value.substr(times + 1));
  workload::VisionEncoder& vision = job.architecture.vision;
  if (!images || !tokens || *images * *tokens > job.architecture.sequence) {
    return false;
  }
  vision.images = *tokens > 0 ? *images : 0;
  vision.patches = *tokens * vision.merged();
  return true;
}

bool take_layout(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  workload::SplitRequest request;
  request.layers = static_cast<int>(job.architecture.layers.size());
  request.prediction_depths = job.architecture.prediction_depths;
  request.stages = job.parallel.pipeline;
  const workload::Split split = workload::read_split(expr::read_layout(value), request);
  if (!split.problem.empty()) {
    return false;
  }
  job.parallel.chunks = split.chunks;
  job.parallel.virtual_stages = static_cast<int>(split.chunks.size()) / request.stages;
  return true;
}

bool take_fp8_attention(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  const auto on = choice(value, "on", "off");
  if (on) {
    job.kernels.fp8_attention = *on;
  }
  return on.has_value();
}

bool take_fused_experts(std::string_view value, Workload& job, StatedInputs& /*stated*/) {
  const auto on = choice(value, "on", "off");
  if (on) {
    job.kernels.fused_experts = *on;
  }
  return on.has_value();
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {{"routing", "forced or natural", "how tokens choose experts"}, take_routing},
      {{"imbalance", "a number of at least 1: 1.2", "tokens of the most loaded rank over the mean"},
       take_imbalance},
      {{"host", "a time: 40us", "host time of one framework operation"}, take_host},
      {{"cpu", "x86 or grace", "the host"}, take_cpu},
      {{"cpu_binding", "none, numactl, bindpcie or cores", "what binds processes to cores"},
       take_binding},
      {{"nic_rate", "a rate: 400Gbit/s", "NIC rate per GPU"}, take_nic},
      {{"nvlink_domain", "a number of GPUs: 72", "GPUs of the job that share NVLink"}, take_domain},
      {{"attention_path", "fused or unfused", "kernels for a learnable softmax"}, take_attention},
      {{"fp8_attention", "on or off", "core attention in FP8"}, take_fp8_attention},
      {{"fused_experts", "on or off", "experts as one kernel chain"}, take_fused_experts},
      {{"tensor_overlap", "on or off", "tensor-parallel collectives overlapped with their GEMMs"},
       take_tensor_overlap},
      {{"image_tokens",
        "a number up to the length of a sequence, 1024, or images of so many, 4x256",
        "tokens of a sequence that stand for images"},
       take_images},
      {{"optimizer_states", "a size: 12B", "weights and moments per parameter"},
       take_optimizer_states},
      {{"gradients", "a size up to 4B", "gradient buffer per parameter"}, take_gradients},
      {{"pipeline_layout", "a layout of all layers: Et*12|t*12L", "layers of each chunk"},
       take_layout}};
  return all;
}

void note(std::string_view name, std::string_view value, const InputOrigin& origin, Workload& job) {
  const auto known = std::ranges::find(job.inputs, name, &workload::Input::key);
  workload::Input& input = known == job.inputs.end() ? job.inputs.emplace_back() : *known;
  input.key = name;
  input.value = value;
  input.status = origin.status;
  input.why = origin.why;
}

}  // namespace

const std::vector<InputKind>& input_kinds() {
  static const std::vector<InputKind> kinds = [] {
    std::vector<InputKind> all;
    for (const Entry& entry : entries()) {
      all.push_back(entry.kind);
    }
    return all;
  }();
  return kinds;
}

void state_profile(const hw::Profile& profile, Workload& job, StatedInputs& stated) {
  if (const hw::Sourced* host = profile.number("host_operation"); host != nullptr) {
    const bool assumed = host->status == hw::Status::assumed;
    state(
        "host=" + units::to_text(host->value),
        job,
        stated,
        {assumed ? workload::InputStatus::assumed : workload::InputStatus::profile, host->source});
  }
}

void note_assumptions(const Constants& constants, const StatedInputs& stated, Workload& job) {
  if (stated.host_operation <= 0) {
    const bool grace = job.machine.cpu == workload::Cpu::grace;
    job.inputs.push_back({"host",
                          fmt::format("{:.3g} us per operation",
                                      (grace ? constants.host_arm : constants.host_x86) * 1e6),
                          workload::InputStatus::assumed,
                          "from published runs on such hosts, which differ by 30 %: one "
                          "calibration run would determine it"});
  }
  if (job.architecture.experts.count > 0 && job.routing.balance == workload::Balance::natural &&
      stated.imbalance <= 0) {
    job.inputs.push_back(
        {"imbalance",
         fmt::format("{:.3g} times the mean on the most loaded rank", constants.imbalance_natural),
         workload::InputStatus::assumed,
         "from published runs without forced balancing: a router trace would determine it"});
  }
}

std::string state(std::string_view text,
                  workload::Workload& job,
                  StatedInputs& stated,
                  const InputOrigin& origin) {
  const auto sign = text.find('=');
  if (sign == std::string_view::npos) {
    return fmt::format("an input has the form NAME=VALUE, not `{}`", text);
  }
  constexpr std::string_view kAssumed = "assumed ";
  const std::string_view name = text.substr(0, sign);
  std::string_view value = text.substr(sign + 1);
  InputOrigin from = origin;
  if (value.starts_with(kAssumed)) {
    value.remove_prefix(kAssumed.size());
    from.status = workload::InputStatus::assumed;
  }
  const auto entry =
      std::ranges::find_if(entries(), [&](const Entry& each) { return each.kind.name == name; });
  if (entry == entries().end()) {
    std::vector<std::string_view> names;
    for (const Entry& each : entries()) {
      names.push_back(each.kind.name);
    }
    return fmt::format("unknown input `{}`{}", name, text::did_you_mean(name, names));
  }
  if (!entry->take(value, job, stated)) {
    return fmt::format("{} must be {}, not `{}`", name, entry->kind.values, value);
  }
  if (name == "host") {
    stated.host_measured = from.status != workload::InputStatus::assumed;
  }
  note(entry->kind.name, value, from, job);
  return {};
}

}  // namespace epwise::sim
