#include "calibrate/file/calibration_file.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/spelling.h"
#include "calibrate/file/calibration.h"
#include "perf/cost/cost.h"
#include "perf/cost/names.h"
#include "perf/sim/constants/constants.h"
#include "yaml/literal.h"
#include "yaml/node.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::calibrate {

/// One fit of a calibration file; reports what cannot be read.
Fit read_fit(const yaml::Node& node, std::vector<text::Diagnostic>& problems);

namespace {

constexpr double kMostCount = 9007199254740992.0;  // represented exactly by a double
constexpr double kPerGigabyte = 1e-9;

/// A word under `key` that `value_of` knows.
template <class Value>
Value read_word(yaml::MapReader& in,
                std::string_view key,
                Value otherwise,
                std::optional<Value> (*value_of)(std::string_view)) {
  const yaml::Node* const node = in.node(key);
  if (node == nullptr) {
    return otherwise;
  }
  const std::optional<Value> value = node->is_scalar() ? value_of(node->scalar) : std::nullopt;
  if (!value) {
    in.problem(node->mark, fmt::format("`{}` is not a known {}", node->scalar, key));
  }
  return value.value_or(otherwise);
}

void append(std::string& text, std::string_view key, std::string_view value) {
  text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, value);
}

void append_number(std::string& text, std::string_view key, double value) {
  append(text, key, fmt::format("{:.7g}", value));
}

}  // namespace

const std::vector<ShapeField>& shape_fields() {
  static const std::vector<ShapeField> fields = {{"m", &Shape::m},
                                                 {"n", &Shape::n},
                                                 {"k", &Shape::k},
                                                 {"groups", &Shape::groups},
                                                 {"tokens", &Shape::tokens},
                                                 {"hidden", &Shape::hidden},
                                                 {"inter", &Shape::inter},
                                                 {"experts", &Shape::experts},
                                                 {"topk", &Shape::topk},
                                                 {"ranks", &Shape::ranks}};
  return fields;
}

std::string work_text(const Work& work) {
  const Work standard;
  std::string text;
  append(text, "kernel", to_string(work.kernel));
  append(text, "dtype", format_word(work.format));
  if (work.structure != standard.structure) {
    append(text, "structure", to_string(work.structure));
  }
  if (work.stage != standard.stage) {
    append(text, "stage", to_string(work.stage));
  }
  if (work.placement != standard.placement) {
    append(text, "placement", to_string(work.placement));
  }
  if (work.shape.bytes > 0) {
    append_number(text, "bytes", work.shape.bytes);
  }
  for (const ShapeField& field : shape_fields()) {
    if (work.shape.*field.member != 0) {
      append(text, field.name, fmt::format("{}", work.shape.*field.member));
    }
  }
  if (work.sms != 0) {
    append(text, "sms", fmt::format("{}", work.sms));
  }
  if (work.pace > 0) {
    append_number(text, "pace_gbs", work.pace * kPerGigabyte);
  }
  return text;
}

Work read_work(const yaml::Node& node,
               std::string_view what,
               std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, std::string(what), problems);
  Work work;
  in.required("kernel");
  work.kernel = read_word(in, "kernel", work.kernel, kernel_of);
  work.format = read_word(in, "dtype", work.format, cost::parse<cost::Format>);
  work.structure = read_word(in, "structure", work.structure, structure_of);
  work.stage = read_word(in, "stage", work.stage, stage_of);
  work.placement = read_word(in, "placement", work.placement, placement_of);
  work.shape.bytes = read_number(in, "bytes", 0, 0, 1e18);
  for (const ShapeField& field : shape_fields()) {
    work.shape.*field.member = read_count(in, field.name);
  }
  work.sms = static_cast<int>(read_number(in, "sms", 0, 0, 1e6));
  work.pace = read_number(in, "pace_gbs", 0, 0, 1e9) / kPerGigabyte;
  in.finish();
  return work;
}

std::int64_t read_count(yaml::MapReader& in, std::string_view key, std::int64_t otherwise) {
  const double value = read_number(in, key, static_cast<double>(otherwise), 0, kMostCount);
  if (value != std::floor(value)) {
    in.problem(in.node(key)->mark, fmt::format("`{}` must be a whole number", key));
    return otherwise;
  }
  return static_cast<std::int64_t>(value);
}

double read_number(
    yaml::MapReader& in, std::string_view key, double otherwise, double low, double high) {
  const std::optional<double> value = in.number(key);
  if (!value) {
    return otherwise;
  }
  if (!(*value >= low && *value <= high)) {  // a NaN is neither
    in.problem(in.node(key)->mark,
               fmt::format("`{}` must be a number from {:g} to {:g}", key, low, high));
    return otherwise;
  }
  return *value;
}

namespace {

constexpr double kMostFitValue = 1e18;

/// NaN for anything but a finite number.
double finite_number(const yaml::Node& node) {
  const double none = std::nan("");
  if (!node.is_scalar()) {
    return none;
  }
  try {
    std::size_t read = 0;
    const double value = std::stod(node.scalar, &read);
    return read == node.scalar.size() && std::isfinite(value) ? value : none;
  } catch (const std::exception&) {
    return none;
  }
}

void read_parameters(const yaml::Node& node, Fit& fit, std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "parameters", problems);
  for (const yaml::Entry& entry : node.entries) {
    fit.names.push_back(entry.key);
    fit.values.push_back(read_number(in, entry.key, 0, 0, kMostFitValue));
  }
}

void read_covariance(const yaml::Node& node, yaml::MapReader& in, Fit& fit) {
  const std::size_t size = fit.names.size();
  const auto is_row = [size](const yaml::Node& row) {
    return row.is_sequence() && row.items.size() == size;
  };
  if (node.items.size() != size || !std::all_of(node.items.begin(), node.items.end(), is_row)) {
    in.problem(node.mark,
               fmt::format("`covariance` of {0} parameters needs {0} rows of {0}", size));
    return;
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const yaml::Node& cell = node.items[i].items[j];
      const double value = finite_number(cell);
      if (std::isnan(value) || (i == j && value < 0)) {
        in.problem(cell.mark, fmt::format("`{}` is not a covariance", cell.scalar));
      } else {
        fit.covariance[i][j] = value;
      }
    }
  }
}

void read_range(const yaml::Node& node, Fit& fit, std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "range", problems);
  for (const yaml::Entry& entry : node.entries) {
    in.node(entry.key);
    const auto& ends = entry.value.items;
    const double low = ends.size() == 2 ? finite_number(ends[0]) : std::nan("");
    const double high = ends.size() == 2 ? finite_number(ends[1]) : std::nan("");
    if (!(low <= high)) {
      in.problem(entry.value.mark, fmt::format("range of `{}` needs [low, high]", entry.key));
      continue;
    }
    fit.range[entry.key] = {low, high};
  }
  in.finish();
}

Residual read_residual(const yaml::Node& node, std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "residual", problems);
  Residual residual;
  residual.rms = read_number(in, "rms", 0, 0, kMostFitValue);
  residual.largest = read_number(in, "largest", 0, 0, kMostFitValue);
  residual.worst = in.text("worst").value_or("");
  residual.points = static_cast<int>(read_number(in, "points", 0, 0, 1e6));
  residual.degrees = static_cast<int>(read_number(in, "degrees", 1, 1, 1e6));
  in.finish();
  return residual;
}

}  // namespace

Fit read_fit(const yaml::Node& node, std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "fit", problems);
  Fit fit;
  fit.id = in.required_text("id");
  fit.form = in.required_text("form");
  in.required("parameters");
  if (const yaml::Node* parameters = in.mapping("parameters")) {
    read_parameters(*parameters, fit, problems);
  }
  fit.covariance.assign(fit.names.size(), std::vector<double>(fit.names.size(), 0));
  in.required("covariance");
  if (const yaml::Node* covariance = in.sequence("covariance")) {
    read_covariance(*covariance, in, fit);
  }
  if (const yaml::Node* range = in.mapping("range")) {
    read_range(*range, fit, problems);
  }
  if (const yaml::Node* residual = in.mapping("residual")) {
    fit.residual = read_residual(*residual, problems);
  }
  fit.flags = in.texts("flags");
  in.finish();
  return fit;
}

namespace {

constexpr double kLongest = 1e12;  // us: no measurement takes eleven days
constexpr double kMostMeasured = 1e18;
constexpr int kMostFileRanks = 1'000'000;

/// Keys that begin with x_ are reserved for the user.
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
    if (const yaml::Node* runs = in.sequence("runs")) {
      for (const yaml::Node& run : runs->items) {
        read_run(run);
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
    result_.ranks = static_cast<int>(read_number(in, "ranks", 1, 1, kMostFileRanks));
    result_.domain = static_cast<int>(read_number(in, "domain", 1, 1, kMostFileRanks));
    result_.planned = read_count(in, "planned_points");
    in.required("device");
    if (const yaml::Node* device = in.mapping("device")) {
      read_device(*device);
    }
    if (const yaml::Node* software = in.mapping("software")) {
      for (const yaml::Entry& entry : software->entries) {
        if (entry.value.is_scalar()) {
          result_.environment.software[entry.key] = entry.value.scalar;
        } else {
          in.problem(entry.value.mark, fmt::format("version of `{}` is not a text", entry.key));
        }
      }
    }
    result_.environment.timer_tick =
        read_number(in, "timer_tick_us", 0, 0, kMostMeasured) * cost::kMicro;
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
    device.l2_bytes = read_number(in, "l2_bytes", 0, 0, kMostMeasured);
    device.memory_bytes = read_number(in, "memory_bytes", 0, 0, kMostMeasured);
    device.clock_mhz = read_number(in, "clock_mhz", 0, 0, kMostMeasured);
    device.power_limit_w = read_number(in, "power_limit_w", 0, 0, kMostMeasured);
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
                 fmt::format("unknown dtype `{}`{}",
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
    time.median = read_number(in, "median", 0, 0, kLongest) * cost::kMicro;
    time.low = read_number(in, "low", 0, 0, kLongest) * cost::kMicro;
    time.high = read_number(in, "high", 0, 0, kLongest) * cost::kMicro;
    time.p10 = read_number(in, "p10", 0, 0, kLongest) * cost::kMicro;
    time.p90 = read_number(in, "p90", 0, 0, kLongest) * cost::kMicro;
    time.least = read_number(in, "least", 0, 0, kLongest) * cost::kMicro;
    time.spread = read_number(in, "spread", 0, 0, kMostMeasured);
    time.rounds = read_int(in, "rounds");
    time.discarded = read_int(in, "discarded");
    time.outliers = read_int(in, "outliers");
    if (time.median < time.low || time.median > time.high) {
      in.problem(node.mark, "`median` is outside `low` and `high`");
    } else if (!(time.median > 0)) {
      in.problem(node.mark, "a measured time cannot be 0");
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
      in.problem(node.mark,
                 fmt::format("`{}` is not a check result: passed, failed or not_checked", result));
    }
    check.kind = in.text("kind").value_or("");
    check.error = read_number(in, "error", 0, 0, kMostMeasured);
    check.tolerance = read_number(in, "tolerance", 0, 0, kMostMeasured);
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
          fmt::format("`{}` is not a status: measured, imported, assumed or not_measured", status));
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
                 point.has_time() ? "a measured or imported point has no `time_us`"
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
      point.memory_bytes = read_number(moved, "memory", 0, 0, kMostMeasured);
      point.payload_bytes = read_number(moved, "payload", 0, 0, kMostMeasured);
      moved.finish();
    }
    if (const yaml::Node* slowest = in.mapping("slowest")) {
      yaml::MapReader rank(*slowest, "slowest", problems_);
      point.slowest_rank = read_int(rank, "rank");
      point.skew = read_number(rank, "skew", 0, 0, kMostMeasured);
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
                   fmt::format("`{}` is not a scope: device, domain or nodes", *scope));
      }
      point.request.scope = known.value_or(Scope::device);
    }
    read_status(in, node, point);
    read_times(in, node, point);
    point.clock_mhz = read_number(in, "clock_mhz", 0, 0, kMostMeasured);
    point.power_w = read_number(in, "power_w", 0, 0, kMostMeasured);
    point.flags = in.texts("flags");
    if (const yaml::Node* check = in.mapping("check")) {
      point.check = read_check(*check);
    }
    if (point.status == PointStatus::measured && point.check.result == Check::Result::failed) {
      in.problem(node.mark, "a point with a failed check cannot be measured");
    }
    in.finish();
    result_.points.push_back(std::move(point));
  }

  std::string read_id(yaml::MapReader& in) {
    std::string id = in.required_text("id");
    if (!id.empty() && !ids_.insert(id).second) {
      in.problem(in.node("id")->mark, fmt::format("duplicate `{}`", id));
    }
    return id;
  }

  void read_fit_of(const yaml::Node& node) {
    Fit fit = read_fit(node, problems_);
    if (!fit.id.empty() && !fit_ids_.insert(fit.id).second) {
      yaml::MapReader(node, "fit", problems_)
          .problem(node.mark, fmt::format("duplicate fit `{}`", fit.id));
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

  void read_run(const yaml::Node& node) {
    yaml::MapReader in(node, "run", problems_);
    StepRun run;
    run.recipe = in.required_text("recipe");
    sim::Traits& traits = run.learnt.traits;
    traits.model = in.required_text("model");
    traits.precision = in.required_text("precision");
    traits.dispatcher = in.required_text("dispatcher");
    traits.graphs = in.required_text("graphs");
    traits.overlap = in.boolean("overlap").value_or(false);
    traits.layout = in.required_text("layout");
    run.seconds = read_number(in, "measured_s", 0, 1e-6, 1e9);
    run.learnt.log_residual = read_number(in, "log_residual", 0, -1, 1);
    in.finish();
    result_.runs.push_back(std::move(run));
  }

  std::vector<text::Diagnostic>& problems_;
  std::set<std::string> ids_;
  std::set<std::string> fit_ids_;
  Calibration result_;
};

/// Whether the text declares itself a calibration of a supported version.
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
    problem.message = "this is not a calibration: it has no `schema`";
    problem.help = fmt::format("a calibration begins with `schema: {}`", kSchema);
  } else {
    problem.message = fmt::format("this version cannot read `{}`", schema->scalar);
    problem.help = fmt::format(
        "it reads {}; measure again, or use the epwise version that wrote the file", kSchema);
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
      problems.push_back({"config/invalid",
                          text::Mark{&file, 0, 0},
                          fmt::format("a calibration must be one document, but the file has {}",
                                      stream.documents.size())});
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

namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

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
      number(time.median * kMicrosecondsPerSecond),
      number(time.low * kMicrosecondsPerSecond),
      number(time.high * kMicrosecondsPerSecond),
      number(time.p10 * kMicrosecondsPerSecond),
      number(time.p90 * kMicrosecondsPerSecond),
      number(time.least * kMicrosecondsPerSecond),
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

std::string run_text(const StepRun& run) {
  const sim::Traits& traits = run.learnt.traits;
  return fmt::format(
      "  - {{recipe: {}, measured_s: {}, log_residual: {}, model: {}, precision: {}, dispatcher: "
      "{}, graphs: {}, overlap: {}, layout: {}}}\n",
      quoted(run.recipe),
      number(run.seconds),
      number(run.learnt.log_residual),
      quoted(traits.model),
      quoted(traits.precision),
      quoted(traits.dispatcher),
      quoted(traits.graphs),
      traits.overlap,
      quoted(traits.layout));
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
      "{}\nranks: {}\ndomain: {}\n{}",
      kSchema,
      quoted(calibration.tool),
      quoted(calibration.created),
      quoted(calibration.backend),
      quoted(calibration.hw),
      quoted(calibration.host),
      quoted(calibration.mode),
      calibration.seed,
      calibration.ranks,
      calibration.domain,
      calibration.planned > 0 ? fmt::format("planned_points: {}\n", calibration.planned) : "");
  text += device_text(calibration.environment.device);
  text += "software: {";
  for (const auto& [name, version] : calibration.environment.software) {
    text += fmt::format("{}{}: {}", text.ends_with('{') ? "" : ", ", name, quoted(version));
  }
  text += fmt::format("}}\ntimer_tick_us: {}\n",
                      number(calibration.environment.timer_tick * kMicrosecondsPerSecond));
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
  text += calibration.runs.empty() ? "" : "runs:\n";
  for (const StepRun& run : calibration.runs) {
    text += run_text(run);
  }
  text += fmt::format("warnings: {}\n", quoted_list(calibration.warnings));
  return text;
}

}  // namespace epwise::calibrate
