#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/cost/writer.h"
#include "report/json_text.h"

namespace epwise::report {

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

/// A plain value as a person would type it; nullopt for what is none.
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
    problem = R"(this is no JSON object: {"law": "gemm", "hw": "h100", "m": 4096, …})";
    return std::nullopt;
  }
  cost::Question question;
  for (const auto& [name, value] : json.items()) {
    if (value.is_null()) {
      continue;
    }
    const auto text = text_of(value);
    if (!text) {
      problem = fmt::format("`{}` is no text, number, list of numbers, true or false", name);
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
