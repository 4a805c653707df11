#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "calibrate/file/calibration.h"
#include "calibrate/file/fit_map.h"
#include "calibrate/file/work_map.h"
#include "cost/names.h"
#include "sim/constants/constants.h"
#include "text/spelling.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::calibrate {

namespace {

constexpr double kMicro = 1e-6;
constexpr double kLongest = 1e12;  // us: no measurement lasts eleven days
constexpr double kMost = 1e18;
constexpr int kMostRanks = 1'000'000;

/// Keys that begin with x_ are the user's own.
void pass_own_keys(const yaml::Node& node, yaml::MapReader& in) {
  for (const yaml::Entry& entry : node.entries) {
    if (entry.key.starts_with("x_")) {
      in.node(entry.key);
    }
  }
}

int read_int(yaml::MapReader& in, std::string_view key, int otherwise = 0) {
  const auto value = read_count(in, key, otherwise);
  return static_cast<int>(std::min<std::int64_t>(value, 1'000'000'000));
}

class CalibrationReader {
 public:
  explicit CalibrationReader(std::vector<text::Diagnostic>& problems) : problems_(problems) {}

  Calibration read(const yaml::Node& root) {
    yaml::MapReader in(root, "calibration", problems_);
    pass_own_keys(root, in);
    in.node("schema");
    read_head(in);
    for (const std::string_view key : {"points", "fits"}) {
      in.required(key);
    }
    if (const yaml::Node* points = in.sequence("points")) {
      for (const yaml::Node& point : points->items) {
        read_point(point);
      }
    }
    if (const yaml::Node* fits = in.sequence("fits")) {
      for (const yaml::Node& fit : fits->items) {
        read_fit_of(fit);
      }
    }
    if (const yaml::Node* constants = in.mapping("constants")) {
      for (const yaml::Entry& constant : constants->entries) {
        read_constant(constant);
      }
    }
    result_.warnings = in.texts("warnings");
    in.finish();
    return std::move(result_);
  }

 private:
  void read_head(yaml::MapReader& in) {
    result_.tool = in.required_text("tool");
    result_.created = in.required_text("created");
    result_.backend = in.required_text("backend");
    result_.hw = in.text("hw").value_or("");
    result_.host = in.text("host").value_or("");
    result_.mode = in.text("mode").value_or("");
    result_.seed = static_cast<std::uint64_t>(read_count(in, "seed", 1));
    result_.ranks = static_cast<int>(read_number(in, "ranks", 1, 1, kMostRanks));
    result_.domain = static_cast<int>(read_number(in, "domain", 1, 1, kMostRanks));
    in.required("device");
    if (const yaml::Node* device = in.mapping("device")) {
      read_device(*device);
    }
    if (const yaml::Node* software = in.mapping("software")) {
      for (const yaml::Entry& entry : software->entries) {
        if (entry.value.is_scalar()) {
          result_.environment.software[entry.key] = entry.value.scalar;
        } else {
          in.problem(entry.value.mark, fmt::format("version of `{}` is no text", entry.key));
        }
      }
    }
    result_.environment.timer_tick = read_number(in, "timer_tick_us", 0, 0, kMost) * kMicro;
    if (const yaml::Node* recipe = in.mapping("recipe")) {
      read_subject(*recipe);
    }
  }

  void read_device(const yaml::Node& node) {
    yaml::MapReader in(node, "device", problems_);
    pass_own_keys(node, in);
    Device& device = result_.environment.device;
    device.name = in.text("name").value_or("");
    device.compute_capability = in.text("compute_capability").value_or("");
    device.sms = read_int(in, "sms");
    device.l2_bytes = read_number(in, "l2_bytes", 0, 0, kMost);
    device.memory_bytes = read_number(in, "memory_bytes", 0, 0, kMost);
    device.clock_mhz = read_number(in, "clock_mhz", 0, 0, kMost);
    device.power_limit_w = read_number(in, "power_limit_w", 0, 0, kMost);
    device.mig = in.boolean("mig").value_or(false);
    in.finish();
  }

  void read_subject(const yaml::Node& node) {
    yaml::MapReader in(node, "recipe", problems_);
    pass_own_keys(node, in);
    Subject& subject = result_.subject;
    for (const ShapeField& field : shape_fields()) {
      subject.shape.*field.member = read_count(in, field.name);
    }
    subject.attention_n = read_count(in, "attention_n");
    subject.attention_k = read_count(in, "attention_k");
    subject.format = read_format(in);
    subject.sms = read_int(in, "sms");
    subject.reduced = in.boolean("reduced").value_or(false);
    in.finish();
  }

  cost::Format read_format(yaml::MapReader& in) {
    const std::optional<std::string> word = in.text("dtype");
    const auto format = word ? cost::parse<cost::Format>(*word) : std::nullopt;
    if (word && !format) {
      in.problem(in.node("dtype")->mark,
                 fmt::format("nobody knows a dtype `{}`{}",
                             *word,
                             text::did_you_mean(*word, cost::words_of<cost::Format>())));
    }
    return format.value_or(cost::Format::bf16);
  }

  Timing read_timing(const yaml::Node& node, std::string_view what) {
    yaml::MapReader in(node, std::string(what), problems_);
    for (const std::string_view key : {"median", "low", "high"}) {
      in.required(key);
    }
    Timing time;
    time.median = read_number(in, "median", 0, 0, kLongest) * kMicro;
    time.low = read_number(in, "low", 0, 0, kLongest) * kMicro;
    time.high = read_number(in, "high", 0, 0, kLongest) * kMicro;
    time.p10 = read_number(in, "p10", 0, 0, kLongest) * kMicro;
    time.p90 = read_number(in, "p90", 0, 0, kLongest) * kMicro;
    time.least = read_number(in, "least", 0, 0, kLongest) * kMicro;
    time.spread = read_number(in, "spread", 0, 0, kMost);
    time.rounds = read_int(in, "rounds");
    time.discarded = read_int(in, "discarded");
    time.outliers = read_int(in, "outliers");
    if (time.median < time.low || time.median > time.high) {
      in.problem(node.mark, "`median` lies outside `low` and `high`");
    } else if (!(time.median > 0)) {
      in.problem(node.mark, "a time of 0 was never measured");
    }
    in.finish();
    return time;
  }

  Check read_check(const yaml::Node& node) {
    yaml::MapReader in(node, "check", problems_);
    Check check;
    const std::string result = in.required_text("result");
    for (const auto known :
         {Check::Result::passed, Check::Result::failed, Check::Result::not_checked}) {
      if (result == to_string(known)) {
        check.result = known;
      }
    }
    if (result != to_string(check.result)) {
      in.problem(
          node.mark,
          fmt::format("`{}` is no result of a check: passed, failed or not_checked", result));
    }
    check.kind = in.text("kind").value_or("");
    check.error = read_number(in, "error", 0, 0, kMost);
    check.tolerance = read_number(in, "tolerance", 0, 0, kMost);
    check.what = in.text("what").value_or("");
    in.finish();
    return check;
  }

  void read_status(yaml::MapReader& in, const yaml::Node& node, Point& point) {
    const std::string status = in.required_text("status");
    bool known = false;
    for (const auto one : {PointStatus::measured,
                           PointStatus::imported,
                           PointStatus::assumed,
                           PointStatus::not_measured}) {
      if (status == to_string(one)) {
        point.status = one;
        known = true;
      }
    }
    if (!known && !status.empty()) {
      in.problem(
          in.node("status")->mark,
          fmt::format("`{}` is no status: measured, imported, assumed or not_measured", status));
    }
    point.reason = in.text("reason").value_or("");
    if (known && point.status != PointStatus::measured && point.reason.empty()) {
      in.problem(node.mark, fmt::format("a point that is {} has no `reason`", status));
    }
  }

  void read_times(yaml::MapReader& in, const yaml::Node& node, Point& point) {
    const yaml::Node* const time = in.mapping("time_us");
    if (time != nullptr) {
      point.time = read_timing(*time, "time_us");
    }
    if (point.has_time() != (time != nullptr)) {
      in.problem(node.mark,
                 point.has_time() ? "a point with a time has no `time_us`"
                                  : "a point that was not measured has a time");
    }
    if (const yaml::Node* beside = in.mapping("beside_time_us")) {
      point.beside_time = read_timing(*beside, "beside_time_us");
    }
    if (const yaml::Node* delay = in.mapping("start_delay_us")) {
      point.start_delay = read_timing(*delay, "start_delay_us");
    }
    if (const yaml::Node* bytes = in.mapping("bytes")) {
      yaml::MapReader moved(*bytes, "bytes", problems_);
      point.memory_bytes = read_number(moved, "memory", 0, 0, kMost);
      point.payload_bytes = read_number(moved, "payload", 0, 0, kMost);
      moved.finish();
    }
    if (const yaml::Node* slowest = in.mapping("slowest")) {
      yaml::MapReader rank(*slowest, "slowest", problems_);
      point.slowest_rank = read_int(rank, "rank");
      point.skew = read_number(rank, "skew", 0, 0, kMost);
      rank.finish();
    }
  }

  void read_point(const yaml::Node& node) {
    yaml::MapReader in(node, "point", problems_);
    pass_own_keys(node, in);
    Point point;
    point.request.id = read_id(in);
    point.request.seed = result_.seed;
    in.required("work");
    if (const yaml::Node* work = in.mapping("work")) {
      point.request.work = read_work(*work, "work", problems_);
    }
    if (const yaml::Node* beside = in.mapping("beside")) {
      point.request.beside = read_work(*beside, "beside", problems_);
    }
    if (const auto scope = in.text("scope")) {
      const auto known = scope_of(*scope);
      if (!known) {
        in.problem(in.node("scope")->mark,
                   fmt::format("`{}` is no scope: device, domain or nodes", *scope));
      }
      point.request.scope = known.value_or(Scope::device);
    }
    read_status(in, node, point);
    read_times(in, node, point);
    point.clock_mhz = read_number(in, "clock_mhz", 0, 0, kMost);
    point.power_w = read_number(in, "power_w", 0, 0, kMost);
    point.flags = in.texts("flags");
    if (const yaml::Node* check = in.mapping("check")) {
      point.check = read_check(*check);
    }
    if (point.status == PointStatus::measured && point.check.result == Check::Result::failed) {
      in.problem(node.mark, "a point whose result was wrong can't be measured");
    }
    in.finish();
    result_.points.push_back(std::move(point));
  }

  std::string read_id(yaml::MapReader& in) {
    std::string id = in.required_text("id");
    if (!id.empty() && !ids_.insert(id).second) {
      in.problem(in.node("id")->mark, fmt::format("a second `{}`", id));
    }
    return id;
  }

  void read_fit_of(const yaml::Node& node) {
    Fit fit = read_fit(node, problems_);
    if (!fit.id.empty() && !fit_ids_.insert(fit.id).second) {
      yaml::MapReader(node, "fit", problems_)
          .problem(node.mark, fmt::format("a second fit `{}`", fit.id));
    }
    result_.fits.push_back(std::move(fit));
  }

  void read_constant(const yaml::Entry& entry) {
    yaml::MapReader in(entry.value, fmt::format("constant `{}`", entry.key), problems_);
    if (sim::constant_member(entry.key) == nullptr) {
      in.problem(entry.key_mark, fmt::format("the step model has no constant `{}`", entry.key));
    }
    in.required("value");
    StepConstant constant;
    constant.name = entry.key;
    constant.value = read_number(in, "value", 1, 1e-12, 1e12);
    constant.log_sd = read_number(in, "log_sd", 0, 0, 10);
    constant.basis = in.text("basis").value_or("");
    in.finish();
    result_.constants.push_back(std::move(constant));
  }

  std::vector<text::Diagnostic>& problems_;
  std::set<std::string> ids_;
  std::set<std::string> fit_ids_;
  Calibration result_;
};

/// Whether the text says that it is a calibration of a version that we read.
bool has_schema(const text::SourceFile& file,
                const yaml::Node& root,
                std::vector<text::Diagnostic>& problems) {
  const yaml::Node* const schema = root.find("schema");
  if (schema != nullptr && schema->is_scalar() && schema->scalar == kSchema) {
    return true;
  }
  text::Diagnostic& problem = problems.emplace_back();
  problem.rule = "config/invalid";
  problem.mark = schema == nullptr ? text::Mark{&file, 0, 0} : schema->mark;
  if (schema == nullptr) {
    problem.message = "this is no calibration: it has no `schema`";
    problem.help = fmt::format("calibrations begin with `schema: {}`", kSchema);
  } else {
    problem.message = fmt::format("`{}` is not what this version reads", schema->scalar);
    problem.help =
        fmt::format("it reads {}; measure again, or take the epwise that wrote the file", kSchema);
  }
  return false;
}

}  // namespace

std::optional<Calibration> read_calibration(const text::SourceFile& file,
                                            std::vector<text::Diagnostic>& problems) {
  const std::size_t before = problems.size();
  yaml::Stream stream = yaml::parse(file);
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  if (!stream.readable || stream.documents.size() != 1) {
    if (problems.size() == before) {
      problems.push_back(
          {"config/invalid",
           text::Mark{&file, 0, 0},
           fmt::format("a calibration is one document, here are {}", stream.documents.size())});
    }
    return std::nullopt;
  }
  const yaml::Node& root = stream.documents.front().root;
  if (!has_schema(file, root, problems)) {
    return std::nullopt;
  }
  Calibration result = CalibrationReader(problems).read(root);
  return problems.size() == before ? std::optional<Calibration>(std::move(result)) : std::nullopt;
}

}  // namespace epwise::calibrate
