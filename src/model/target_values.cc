#include "model/target_values.h"

namespace epwise::model {

namespace {

using expr::Value;

Value from_quantity(const units::Quantity& quantity) {
  const double value = quantity.value;
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? Value::of(whole) : Value::of(value);
}

}  // namespace

Value hardware_value(const Target& target, std::string_view key) {
  if (target.hw == nullptr) {
    return Value::unknown({"hw"});
  }
  const auto& hw = *target.hw;
  if (key == "arch") {
    return Value::of(hw.architecture);
  }
  if (key == "name") {
    return hw.device_name.empty() ? Value::unknown({"hw.name"}) : Value::of(hw.device_name);
  }
  if (key == "cc") {
    return Value::of(hw.compute_capability);
  }
  if (key == "cc_major") {
    return Value::of(static_cast<int>(hw.compute_capability));
  }
  if (key == "nvlink_domain") {
    return Value::of(hw.nvlink_domain);
  }
  if (key == "gpus_per_node") {
    return Value::of(hw.gpus_per_node);
  }
  if (key == "sm_count") {
    return hw.sm_count == 0 ? Value::unknown({"hw.sm_count"}) : Value::of(hw.sm_count);
  }
  const auto* number = hw.number(key);
  return number == nullptr ? Value::unknown({"hw." + std::string(key)})
                           : from_quantity(number->value);
}

Value component_value(const Target& target,
                      recipe::Framework framework,
                      std::string_view framework_version,
                      std::string_view key) {
  const bool other = (key == "bridge" && framework == recipe::Framework::mlm) ||
                     (key == "mlm" && framework == recipe::Framework::bridge);
  if (other) {
    return Value::unset();
  }
  if (key == recipe::to_string(framework)) {
    if (const auto version = units::Version::parse(framework_version)) {
      return Value::of(*version);
    }
  }
  const auto* found = target.stack.find(key);
  if (found == nullptr) {
    return Value::unknown({"stack." + std::string(key)});
  }
  if (found->absent) {
    return Value::unset();
  }
  return found->version ? Value::of(*found->version)
                        : Value::unknown({"stack." + std::string(key)});
}

Value installed_value(const Target& target, std::string_view key) {
  const auto* found = target.stack.find(key);
  return Value::of(found == nullptr || !found->absent);
}

Value variable_value(const Target& target, const recipe::Recipe& recipe, std::string_view key) {
  const auto given = target.environment.find(key);
  if (given != target.environment.end()) {
    return given->second ? Value::of(*given->second) : Value::unset();
  }
  const auto found = recipe.variables.find(key);
  return found == recipe.variables.end() ? Value::unset() : found->second.value;
}

}  // namespace epwise::model
