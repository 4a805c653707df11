#include "commands/cost/report.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ui/columns.h"
#include "ui/json.h"

namespace epwise::report {

namespace {

struct Unit {
  std::string_view name;
  double seconds = 1;
};

constexpr std::array<Unit, 3> kTimeUnits = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}};

const Unit& unit_of(double seconds) {
  for (const Unit& unit : kTimeUnits) {
    if (seconds >= unit.seconds) {
      return unit;
    }
  }
  return kTimeUnits.back();
}

}  // namespace

std::string cost_text(const cost::Question& question, const cost::Cost& cost, int width) {
  std::string chip;
  for (const cost::Argument& argument : question.arguments) {
    chip = argument.name == "hw" ? argument.text : chip;
  }
  if (cost.basis == nullptr) {
    return fmt::format("{} on {}: zero time, nothing to run\n", question.law, chip);
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

namespace {

constexpr std::string_view kAnswer = "epwise.cost-answer/1";

void add_figures(Json& json, const cost::Cost& cost) {
  const auto interval = cost.interval();
  json["seconds"] = cost.seconds;
  json["low"] = interval.low;
  json["high"] = interval.high;
  json["relative_sd"] = cost.relative_sd;
  json["status"] = to_string(cost.status);
}

/// A scalar as a person would type it; nullopt for anything else.
std::optional<std::string> text_of(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_boolean() || value.is_number()) {
    return value.dump();
  }
  if (!value.is_array()) {
    return std::nullopt;
  }
  std::string text;
  for (const Json& item : value) {
    if (!item.is_number()) {
      return std::nullopt;
    }
    text += (text.empty() ? "" : ",") + item.dump();
  }
  return text;
}

}  // namespace

std::string cost_json(const cost::Question& question, const cost::Cost& cost) {
  Json arguments = Json::object();
  for (const cost::Argument& argument : question.arguments) {
    arguments[argument.name] = argument.text;
  }
  Json json = {
      {"schema", "epwise.cost/1"}, {"law", question.law}, {"arguments", std::move(arguments)}};
  add_figures(json, cost);
  if (cost.basis != nullptr) {
    json["basis"] = {{"name", cost.basis->name},
                     {"source", cost.basis->source},
                     {"date", cost.basis->date},
                     {"rows", cost.basis->rows}};
  }
  return json_text(json);
}

std::optional<cost::Question> read_question(std::string_view line, std::string& problem) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) {
    problem = R"(not a JSON object: {"law": "gemm", "hw": "h100", "m": 4096, …})";
    return std::nullopt;
  }
  cost::Question question;
  for (const auto& [name, value] : json.items()) {
    if (value.is_null()) {
      continue;
    }
    const auto text = text_of(value);
    if (!text) {
      problem = fmt::format("`{}` is not a text, number, list of numbers, true or false", name);
      return std::nullopt;
    }
    if (name == "law") {
      question.law = *text;
    } else {
      question.arguments.push_back({name, *text});
    }
  }
  if (question.law.empty()) {
    problem = "`law` is missing";
    return std::nullopt;
  }
  return question;
}

std::string answer_line(const cost::Answer& answer) {
  if (!answer.cost) {
    return error_line(fmt::format("{}", fmt::join(answer.problems, "; ")));
  }
  Json json = {{"schema", kAnswer}};
  add_figures(json, *answer.cost);
  if (answer.cost->basis != nullptr) {
    json["basis"] = answer.cost->basis->name;
  }
  return json_line(json);
}

std::string error_line(std::string_view problem) {
  return json_line({{"schema", kAnswer}, {"error", problem}});
}

}  // namespace epwise::report
