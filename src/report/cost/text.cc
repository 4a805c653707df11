#include <array>

#include <fmt/format.h>

#include "report/columns.h"
#include "report/cost/writer.h"

namespace epwise::report {

namespace {

struct Unit {
  std::string_view name;
  double seconds = 1;
};

constexpr std::array<Unit, 3> kUnits = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}};

const Unit& unit_of(double seconds) {
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.seconds) {
      return unit;
    }
  }
  return kUnits.back();
}

}  // namespace

std::string cost_text(const cost::Question& question, const cost::Cost& cost, int width) {
  std::string chip;
  for (const cost::Argument& argument : question.arguments) {
    chip = argument.name == "hw" ? argument.text : chip;
  }
  if (cost.basis == nullptr) {
    return fmt::format("{} on {}: no time, nothing runs\n", question.law, chip);
  }
  const Unit& unit = unit_of(cost.seconds);
  const auto interval = cost.interval();
  std::string text = fmt::format("{} on {}: {:.4g} {}, 80 % between {:.4g} and {:.4g} {}\n",
                                 question.law,
                                 chip,
                                 cost.seconds / unit.seconds,
                                 unit.name,
                                 interval.low / unit.seconds,
                                 interval.high / unit.seconds,
                                 unit.name);
  const auto add = [&](std::string_view name, const std::string& what) {
    constexpr int kIndent = 10;
    bool first = true;
    for (const std::string& line : wrap(what, std::max(width - kIndent, 24))) {
      text += fmt::format("  {:<{}}{}\n", first ? name : "", kIndent - 2, line);
      first = false;
    }
  };
  add("status", fmt::format("{}: {}", to_string(cost.status), meaning_of(cost.status)));
  add("law", cost.basis->name);
  if (!cost.basis->rows.empty()) {
    add("rows", cost.basis->rows);
  }
  add("source", fmt::format("{} ({})", cost.basis->source, cost.basis->date));
  return text;
}

}  // namespace epwise::report
