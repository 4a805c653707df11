#include "calibrate/file/work_map.h"

#include <cmath>

#include <fmt/format.h>

#include "calibrate/file/calibration.h"
#include "cost/names.h"

namespace epwise::calibrate {

namespace {

constexpr double kMostCount = 9007199254740992.0;  // what a double holds exactly
constexpr double kPerGigabyte = 1e-9;

/// A word behind `key` that `value_of` knows.
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
    in.problem(node->mark, fmt::format("`{}` is no {} that calibrations know", node->scalar, key));
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
    in.problem(in.node(key)->mark, fmt::format("`{}` wants a whole number", key));
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
               fmt::format("`{}` wants a number from {:g} to {:g}", key, low, high));
    return otherwise;
  }
  return *value;
}

}  // namespace epwise::calibrate
