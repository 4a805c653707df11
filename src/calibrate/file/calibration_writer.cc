#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibrate/file/calibration.h"
#include "calibrate/file/work_map.h"
#include "yaml/literal.h"

namespace epwise::calibrate {

namespace {

constexpr double kMicro = 1e6;

std::string number(double value) {
  return fmt::format("{:.7g}", value);
}

std::string quoted(const std::string& text) {
  return yaml::render_text(text, yaml::Quote::twofold);
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) {
    items.push_back(quoted(text));
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string timing_text(const Timing& time) {
  return fmt::format(
      "{{median: {}, low: {}, high: {}, p10: {}, p90: {}, least: {}, spread: {}, rounds: {}, "
      "discarded: {}, outliers: {}}}",
      number(time.median * kMicro),
      number(time.low * kMicro),
      number(time.high * kMicro),
      number(time.p10 * kMicro),
      number(time.p90 * kMicro),
      number(time.least * kMicro),
      number(time.spread),
      time.rounds,
      time.discarded,
      time.outliers);
}

std::string check_text(const Check& check) {
  std::string text = fmt::format("result: {}", to_string(check.result));
  if (!check.kind.empty()) {
    text += fmt::format(", kind: {}", quoted(check.kind));
  }
  if (check.error > 0 || check.tolerance > 0) {
    text += fmt::format(", error: {}, tolerance: {}", number(check.error), number(check.tolerance));
  }
  if (!check.what.empty()) {
    text += fmt::format(", what: {}", quoted(check.what));
  }
  return text;
}

std::string measurement_text(const Point& point) {
  std::string text = fmt::format("    time_us: {}\n", timing_text(point.time));
  if (point.beside_time) {
    text += fmt::format("    beside_time_us: {}\n", timing_text(*point.beside_time));
  }
  if (point.start_delay) {
    text += fmt::format("    start_delay_us: {}\n", timing_text(*point.start_delay));
  }
  if (point.memory_bytes > 0 || point.payload_bytes > 0) {
    text += fmt::format("    bytes: {{memory: {}, payload: {}}}\n",
                        number(point.memory_bytes),
                        number(point.payload_bytes));
  }
  if (point.clock_mhz > 0) {
    text += fmt::format("    clock_mhz: {}\n", number(point.clock_mhz));
  }
  if (point.power_w > 0) {
    text += fmt::format("    power_w: {}\n", number(point.power_w));
  }
  if (point.slowest_rank >= 0) {
    text += fmt::format(
        "    slowest: {{rank: {}, skew: {}}}\n", point.slowest_rank, number(point.skew));
  }
  return text;
}

std::string point_text(const Point& point) {
  const Request& request = point.request;
  std::string text =
      fmt::format("  - id: {}\n    work: {{{}}}\n", quoted(request.id), work_text(request.work));
  if (request.beside) {
    text += fmt::format("    beside: {{{}}}\n", work_text(*request.beside));
  }
  if (request.scope != Scope::device) {
    text += fmt::format("    scope: {}\n", to_string(request.scope));
  }
  text += fmt::format("    status: {}\n", to_string(point.status));
  if (!point.reason.empty()) {
    text += fmt::format("    reason: {}\n", quoted(point.reason));
  }
  if (point.has_time()) {
    text += measurement_text(point);
  }
  if (!point.flags.empty()) {
    text += fmt::format("    flags: [{}]\n", fmt::join(point.flags, ", "));
  }
  if (point.check.result != Check::Result::not_checked || !point.check.what.empty()) {
    text += fmt::format("    check: {{{}}}\n", check_text(point.check));
  }
  return text;
}

std::string fit_text(const Fit& fit) {
  std::string text =
      fmt::format("  - id: {}\n    form: {}\n    parameters: {{", quoted(fit.id), fit.form);
  for (std::size_t i = 0; i < fit.names.size(); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", fit.names[i], number(fit.values[i]));
  }
  text += "}\n    covariance:\n";
  for (const std::vector<double>& row : fit.covariance) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const double cell : row) {
      cells.push_back(number(cell));
    }
    text += fmt::format("      - [{}]\n", fmt::join(cells, ", "));
  }
  text += "    range: {";
  for (auto span = fit.range.begin(); span != fit.range.end(); ++span) {
    text += fmt::format("{}{}: [{}, {}]",
                        span == fit.range.begin() ? "" : ", ",
                        span->first,
                        number(span->second.low),
                        number(span->second.high));
  }
  text += fmt::format(
      "}}\n    residual: {{rms: {}, largest: {}, worst: {}, points: {}, degrees: {}}}\n",
      number(fit.residual.rms),
      number(fit.residual.largest),
      quoted(fit.residual.worst),
      fit.residual.points,
      fit.residual.degrees);
  if (!fit.flags.empty()) {
    text += fmt::format("    flags: [{}]\n", fmt::join(fit.flags, ", "));
  }
  return text;
}

std::string device_text(const Device& device) {
  return fmt::format(
      "device: {{name: {}, compute_capability: {}, sms: {}, l2_bytes: {}, memory_bytes: {}, "
      "clock_mhz: {}, power_limit_w: {}, mig: {}}}\n",
      quoted(device.name),
      quoted(device.compute_capability),
      device.sms,
      number(device.l2_bytes),
      number(device.memory_bytes),
      number(device.clock_mhz),
      number(device.power_limit_w),
      device.mig);
}

std::string subject_text(const Subject& subject) {
  std::string text;
  for (const ShapeField& field : shape_fields()) {
    if (subject.shape.*field.member != 0) {
      text += fmt::format("{}: {}, ", field.name, subject.shape.*field.member);
    }
  }
  return fmt::format(
      "recipe: {{{}attention_n: {}, attention_k: {}, dtype: {}, sms: {}, reduced: {}}}\n",
      text,
      subject.attention_n,
      subject.attention_k,
      format_word(subject.format),
      subject.sms,
      subject.reduced);
}

std::string head_text(const Calibration& calibration) {
  std::string text = fmt::format(
      "schema: {}\ntool: {}\ncreated: {}\nbackend: {}\nhw: {}\nhost: {}\nmode: {}\nseed: "
      "{}\nranks: {}\ndomain: {}\n",
      kSchema,
      quoted(calibration.tool),
      quoted(calibration.created),
      quoted(calibration.backend),
      quoted(calibration.hw),
      quoted(calibration.host),
      quoted(calibration.mode),
      calibration.seed,
      calibration.ranks,
      calibration.domain);
  text += device_text(calibration.environment.device);
  text += "software: {";
  for (const auto& [name, version] : calibration.environment.software) {
    text += fmt::format("{}{}: {}", text.ends_with('{') ? "" : ", ", name, quoted(version));
  }
  text +=
      fmt::format("}}\ntimer_tick_us: {}\n", number(calibration.environment.timer_tick * kMicro));
  return text + subject_text(calibration.subject);
}

}  // namespace

std::string to_yaml(const Calibration& calibration) {
  std::string text = head_text(calibration);
  text += calibration.points.empty() ? "points: []\n" : "points:\n";
  for (const Point& point : calibration.points) {
    text += point_text(point);
  }
  text += calibration.fits.empty() ? "fits: []\n" : "fits:\n";
  for (const Fit& fit : calibration.fits) {
    text += fit_text(fit);
  }
  text += calibration.constants.empty() ? "constants: {}\n" : "constants:\n";
  for (const StepConstant& constant : calibration.constants) {
    text += fmt::format("  {}: {{value: {}, log_sd: {}, basis: {}}}\n",
                        constant.name,
                        number(constant.value),
                        number(constant.log_sd),
                        quoted(constant.basis));
  }
  text += fmt::format("warnings: {}\n", quoted_list(calibration.warnings));
  return text;
}

}  // namespace epwise::calibrate
