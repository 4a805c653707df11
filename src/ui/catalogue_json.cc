#include "ui/catalogue_json.h"

#include <fmt/format.h>

#include "base/units/quantity.h"
#include "ui/findings/rule_help.h"
#include "ui/json.h"

namespace epwise::report {

namespace {

/// A message with its expressions in braces, as in the rule file.
std::string message_template(const lint::Rule& rule, const lint::Knowledge& knowledge) {
  std::string text;
  for (const lint::MessagePart& part : rule.prose->message) {
    text += part.expression.empty()
                ? std::string(part.text)
                : fmt::format("{{{}}}", expr::to_text(part.expression, knowledge.names));
  }
  return text;
}

Json versions_json(const lint::Rule& rule) {
  Json versions = Json::array();
  for (const lint::Range& range : rule.versions) {
    versions.push_back(
        {{"framework", range.framework}, {"since", range.since}, {"until", range.until}});
  }
  return versions;
}

Json rule_launch_json(const lint::Rule& rule) {
  Json launch = Json::array();
  for (const lint::Place& place : rule.places) {
    launch.push_back(
        {{"framework", place.framework}, {"stage", place.stage}, {"place", place.order}});
  }
  return launch;
}

Json fixes_json(const lint::Rule& rule, const lint::Knowledge& knowledge) {
  Json fixes = Json::array();
  for (const lint::RuleFix& fix : rule.prose->fixes) {
    Json changes = Json::array();
    for (const lint::Change& change : fix.changes) {
      changes.push_back({{"field", change.field}, {"value", change.text}});
    }
    fixes.push_back({{"title", fix.title},
                     {"tier", lint::to_string(fix.tier)},
                     {"when", fix.when.empty() ? "" : expr::to_text(fix.when, knowledge.names)},
                     {"changes", changes}});
  }
  return fixes;
}

Json examples_json(const lint::Rule& rule) {
  Json examples = Json::array();
  for (const lint::Example& example : rule.prose->examples) {
    examples.push_back({{"verdict", to_string(example.verdict)},
                        {"with", example.arguments},
                        {"recipe", example.recipe}});
  }
  return examples;
}

Json catalogue_rule(const lint::Rule& rule, const lint::Knowledge& knowledge) {
  Json references = Json::array();
  for (const lint::Reference& reference : rule.prose->references) {
    references.push_back(reference_line(reference));
  }
  return {{"id", rule.id},
          {"code", rule.code},
          {"aliases", rule.aliases},
          {"severity", lint::to_string(rule.severity)},
          {"confidence", lint::to_string(rule.confidence)},
          {"effect", lint::to_string(rule.effect)},
          {"when", lint::to_string(rule.moment)},
          {"builtin", rule.builtin},
          {"preview", rule.preview},
          {"what", rule.what},
          {"message", message_template(rule, knowledge)},
          {"why", rule.why},
          {"given", rule.given_text},
          {"assert", rule.assert_text},
          {"versions", versions_json(rule)},
          {"launch", rule_launch_json(rule)},
          {"fixes", fixes_json(rule, knowledge)},
          {"references", references},
          {"examples", examples_json(rule)}};
}

Json profile_json(const hw::Profile& profile) {
  Json numbers = Json::object();
  for (const auto& [name, number] : profile.numbers) {
    numbers[name] = {{"value", number.value.value},
                     {"unit", units::to_string(number.value.dimension)},
                     {"status", hw::to_string(number.status)},
                     {"source", number.source},
                     {"date", number.date}};
  }
  return {{"name", profile.name},
          {"aliases", profile.aliases},
          {"title", profile.title},
          {"architecture", profile.architecture},
          {"device_name", profile.device_name},
          {"compute_capability", profile.compute_capability},
          {"gpus_per_node", profile.gpus_per_node},
          {"nvlink_domain", profile.nvlink_domain},
          {"sm_count", profile.sm_count},
          {"partial", profile.partial},
          {"numbers", numbers}};
}

}  // namespace

std::string_view to_string(lint::Example::Verdict verdict) {
  switch (verdict) {
    case lint::Example::Verdict::fails:
      return "fails";
    case lint::Example::Verdict::passes:
      return "passes";
    case lint::Example::Verdict::open:
      break;
  }
  return "undecided";
}

std::string rules_json(const std::vector<const lint::Rule*>& rules,
                       const lint::Knowledge& knowledge) {
  Json list = Json::array();
  for (const lint::Rule* rule : rules) {
    list.push_back(catalogue_rule(*rule, knowledge));
  }
  return json_text({{"schema", "epwise.rules/1"}, {"rules", list}});
}

std::string machine_json(const hw::Machine& machine) {
  Json gpus = Json::array();
  for (const hw::Gpu& gpu : machine.gpus) {
    gpus.push_back({{"name", gpu.name}, {"compute_capability", gpu.compute_capability}});
  }
  Json stack = Json::array();
  for (const hw::Component& component : machine.components) {
    stack.push_back(
        {{"name", component.name}, {"version", component.version}, {"where", component.where}});
  }
  Json facts = Json::array();
  for (const hw::Fact& fact : machine.facts) {
    facts.push_back({{"name", fact.name}, {"value", fact.value}, {"where", fact.where}});
  }
  Json missing = Json::array();
  for (const hw::Missing& each : machine.missing) {
    missing.push_back({{"name", each.name}, {"reason", each.reason}, {"remedy", each.remedy}});
  }
  Json hw = nullptr;
  if (machine.profile != nullptr) {
    hw = {{"name", machine.profile->name}, {"where", machine.profile_where}};
  }
  Json job = nullptr;
  if (machine.job_gpus) {
    job = {{"count", *machine.job_gpus}, {"where", machine.job_where}};
  }
  return json_text({{"schema", "epwise.doctor/1"},
                    {"hw", hw},
                    {"gpus", job},
                    {"container", machine.container},
                    {"devices", gpus},
                    {"stack", stack},
                    {"facts", facts},
                    {"missing", missing}});
}

std::string profiles_json(const std::vector<const hw::Profile*>& profiles) {
  Json list = Json::array();
  for (const hw::Profile* profile : profiles) {
    list.push_back(profile_json(*profile));
  }
  return json_text({{"schema", "epwise.hw/1"}, {"profiles", list}});
}

}  // namespace epwise::report
