#include "report/json_text.h"
#include "report/why/writer.h"

namespace epwise::report {
namespace {

Json value_json(const expr::Value& value) {
  if (const auto* flag = value.boolean()) {
    return *flag;
  }
  if (const auto* integer = value.integer()) {
    return *integer;
  }
  if (const auto* real = value.real()) {
    return *real;
  }
  if (const auto* list = value.list()) {
    Json all = Json::array();
    for (const auto& item : *list) {
      all.push_back(value_json(item));
    }
    return all;
  }
  return value.is_unset() || !value.is_known() ? Json() : Json(value.to_text());
}

Json step_json(const why::Step& step) {
  Json json = {{"kind", why::to_string(step.kind)},
               {"value", value_json(step.value)},
               {"by", step.by},
               {"why", step.why},
               {"upstream", step.upstream}};
  if (!step.mark.nowhere()) {
    const auto at = step.mark.start();
    json["path"] = step.mark.file->name();
    json["line"] = at.line;
    json["column"] = at.column;
  }
  return json;
}

Json trace_json(const why::Trace& trace) {
  Json steps = Json::array();
  for (const auto& step : trace.steps) {
    steps.push_back(step_json(step));
  }
  Json inputs = Json::array();
  for (const auto& input : trace.inputs) {
    inputs.push_back(trace_json(input));
  }
  Json json = {{"name", trace.name}, {"key", trace.key}, {"value", value_json(trace.value)}};
  if (const auto* unknown = trace.value.unknown()) {
    json["needs"] = unknown->needs;
  }
  if (const auto* crash = trace.value.crashed()) {
    json["raises"] = crash->what;
  }
  json["doc"] = trace.doc;
  json["formula"] = trace.formula;
  for (const auto& inexact : trace.inexact) {
    json["inexact"].push_back({{"dividend", inexact.remainder.dividend},
                               {"divisor", inexact.remainder.divisor},
                               {"left", inexact.remainder.left},
                               {"rule", inexact.rule == nullptr ? Json() : Json(inexact.rule->id)},
                               {"rejects", inexact.rejects}});
  }
  json["steps"] = steps;
  json["inputs"] = inputs;
  return json;
}

}  // namespace

std::string why_json(const why::Trace& trace) {
  Json json = {{"schema", "epwise.why/1"}};
  json.update(trace_json(trace));
  return json_text(json);
}

}  // namespace epwise::report
