#include "model/field_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

namespace epwise::model {

namespace {

using expr::Value;

bool usable(const Value& value) {
  return value.is_known() && !value.is_unset();
}

}  // namespace

int clamped(double number) {
  constexpr double kLimit = kLargest;
  return static_cast<int>(std::clamp(number, -kLimit, kLimit));
}

Value FieldReader::value(std::string_view name) const {
  const int slot = facts_.names().find(name);
  if (slot >= 0) {
    return facts_.value(slot);
  }
  const auto* spec = facts_.vocabulary().find(name);
  const auto canonical = spec == nullptr ? name : spec->name;
  if (const auto* field = facts_.recipe().find(canonical)) {
    return field->value;
  }
  const bool bridge = facts_.recipe().framework == recipe::Framework::bridge;
  const auto dot = name.find('.');
  if (bridge && dot != std::string_view::npos &&
      !facts_.has_section(name.substr(0, dot)).truthy()) {
    return Value::unset();
  }
  return spec == nullptr ? Value::unset() : spec->default_value;
}

std::optional<double> FieldReader::number(std::string_view name) const {
  const auto found = value(name);
  if (!usable(found) || !found.is_number() || !std::isfinite(found.as_number())) {
    return std::nullopt;
  }
  return found.as_number();
}

std::optional<int> FieldReader::integer(std::string_view name) const {
  const auto found = number(name);
  if (!found || *found != std::floor(*found) || std::abs(*found) > kLargest) {
    return std::nullopt;
  }
  return static_cast<int>(*found);
}

std::optional<std::string> FieldReader::text(std::string_view name) const {
  const auto found = value(name);
  return usable(found) && found.text() != nullptr ? std::optional(*found.text()) : std::nullopt;
}

std::vector<std::string> FieldReader::texts(std::string_view name) const {
  const auto found = value(name);
  if (!usable(found)) {
    return {};
  }
  if (found.text() != nullptr) {
    return {*found.text()};
  }
  std::vector<std::string> result;
  if (found.list() != nullptr) {
    for (const auto& item : *found.list()) {
      if (item.text() != nullptr) {
        result.push_back(*item.text());
      }
    }
  }
  return result;
}

bool FieldReader::flag(std::string_view name) const {
  const auto found = value(name);
  return usable(found) && found.truthy();
}

bool FieldReader::is_set(std::string_view name) const {
  return usable(value(name));
}

int FieldReader::required(std::string_view name, std::string_view what) {
  const auto found = integer(name);
  if (found && *found > 0) {
    return *found;
  }
  const auto shown = value(name);
  const auto& needs =
      shown.unknown() != nullptr ? shown.unknown()->needs : std::vector<std::string>{};
  const bool target = std::ranges::any_of(
      needs, [](const std::string& need) { return need == "gpus" || need == "hw"; });
  const auto spelling = spelled(name);
  if (usable(shown)) {
    problem(fmt::format("{} is {}, and {} must be a whole number above 0 and not above 1e8",
                        spelling,
                        shown.to_text(),
                        what),
            fmt::format("correct {}", spelling));
  } else if (target) {
    problem(fmt::format("{} is not known", what), fmt::format("give --{}", needs.front()));
  } else {
    problem(fmt::format("{} is not known: the recipe has no {}", what, spelling),
            fmt::format("write {}", spelling));
  }
  return 0;
}

bool FieldReader::is_written(std::string_view name) const {
  const int slot = facts_.names().find(name);
  if (slot >= 0) {
    return facts_.is_explicit(slot).truthy();
  }
  const auto* spec = facts_.vocabulary().find(name);
  return facts_.recipe().find(spec == nullptr ? name : spec->name) != nullptr;
}

InputStatus FieldReader::status(std::string_view name) const {
  return is_written(name) ? InputStatus::written : InputStatus::standard;
}

std::string FieldReader::spelled(std::string_view name) const {
  const auto* spec = facts_.vocabulary().find(name);
  if (facts_.recipe().framework == recipe::Framework::bridge || spec == nullptr) {
    return facts_.recipe().path_of(name);
  }
  for (const auto& flag : facts_.vocabulary().flags()) {
    if (flag.attribute == spec->attribute && !flag.spellings.empty()) {
      return std::string(flag.spellings.front());
    }
  }
  return std::string(spec->attribute);
}

void FieldReader::problem(std::string message, std::string help) {
  problems_.push_back({.rule = "simulate/missing-input",
                       .mark = facts_.recipe().root,
                       .message = std::move(message),
                       .help = std::move(help)});
}

}  // namespace epwise::model
