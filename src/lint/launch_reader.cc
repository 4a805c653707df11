#include "lint/launch_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "recipe/framework.h"
#include "yaml/reader.h"

namespace epwise::lint {

namespace {

expr::Expression parse(const std::string& text, const text::Mark& mark, Reading& reading) {
  yaml::Node node;
  node.kind = yaml::Kind::scalar;
  node.scalar = text;
  node.mark = mark;
  return read_expression(node, expr::Kind::any, reading);
}

/// Common to all kinds of steps: place, condition, versions, reason.
RewriteStep read_frame(const yaml::Node& node,
                       yaml::MapReader& in,
                       bool needs_reason,
                       Reading& reading) {
  RewriteStep step;
  step.order = static_cast<std::int32_t>(in.integer("at").value_or(0));
  if (const auto* when = in.node("when")) {
    step.when = read_expression(*when, expr::Kind::boolean, reading);
  }
  if (const auto* versions = in.node("versions")) {
    step.versions = read_versions(*versions, reading);
  }
  const auto why = in.text("why");
  if (needs_reason && !why) {
    in.problem(node.mark, "a rewrite needs `why`");
  }
  step.why = reading.texts.keep(why.value_or(""));
  return step;
}

void read_set(const yaml::Node& node, yaml::MapReader& in, Stage& stage, Reading& reading) {
  auto step = read_frame(node, in, true, reading);
  const auto name = in.required_text("set");
  if (!reading.scope.type_of(name)) {
    in.problem(node.mark, "`" + name + "` is not a field");
    return;
  }
  step.slot = reading.names.slot(name);
  step.parses = in.boolean("parses").value_or(false);
  if (const auto* value = in.required("to")) {
    step.value = read_expression(*value, expr::Kind::any, reading);
  }
  stage.rewrites.push_back(std::move(step));
}

void read_section(const yaml::Node& node, yaml::MapReader& in, Stage& stage, Reading& reading) {
  auto step = read_frame(node, in, true, reading);
  step.section = reading.texts.keep(in.required_text("section"));
  if (const auto* value = in.required("to")) {
    step.value = read_expression(*value, expr::Kind::boolean, reading);
  }
  stage.rewrites.push_back(std::move(step));
}

/// Names of a section's fields, without the section, in alphabetical order.
std::vector<std::string> fields_of(std::string_view section, const NameScope& names) {
  std::vector<std::string> fields;
  const auto prefix = std::string(section) + ".";
  for (const auto name : names.names()) {
    if (name.starts_with(prefix) && name.find('.', prefix.size()) == std::string_view::npos) {
      fields.emplace_back(name.substr(prefix.size()));
    }
  }
  return fields;
}

void read_copy(const yaml::Node& node,
               yaml::MapReader& in,
               const NameScope& names,
               Stage& stage,
               Reading& reading) {
  const auto frame = read_frame(node, in, true, reading);
  const auto from = in.required_text("copy");
  const auto into = in.texts("into");
  const auto except = in.texts("except");
  const auto only = in.texts("only");
  const bool unless_null = in.boolean("unless_null").value_or(false);
  const auto fields = fields_of(from, names);
  if (fields.empty()) {
    in.problem(node.mark, "`" + from + "` is not a section with fields");
  }
  for (const auto& field : fields) {
    const bool named = only.empty() || std::ranges::find(only, field) != only.end();
    if (!named || std::ranges::find(except, field) != except.end()) {
      continue;
    }
    for (const auto& section : into) {
      const auto target = std::string(section).append(".").append(field);
      if (!names.type_of(target)) {
        continue;
      }
      auto step = frame;
      const auto source = std::string(from).append(".").append(field);
      step.slot = reading.names.slot(target);
      const auto value = unless_null ? std::string(source)
                                           .append(" != null ? ")
                                           .append(source)
                                           .append(" : ")
                                           .append(target)
                                     : source;
      step.value = parse(value, node.mark, reading);
      stage.rewrites.push_back(std::move(step));
    }
  }
}

void read_preset(const yaml::Node& node, yaml::MapReader& in, Stage& stage, Reading& reading) {
  const auto frame = read_frame(node, in, false, reading);
  const auto section = in.required_text("preset");
  const auto* presets = in.mapping("names");
  if (presets == nullptr) {
    return;
  }
  for (const auto& preset : presets->entries) {
    // Both spellings of a name mean the same: bf16_mixed and bf16-mixed.
    auto dashed = preset.key;
    std::ranges::replace(dashed, '_', '-');
    std::string when = section + " in [\"";
    when.append(preset.key).append("\", \"").append(dashed).append("\"]");
    auto appear = frame;
    appear.section = reading.texts.keep(section);
    appear.when = parse(when, preset.key_mark, reading);
    appear.value = parse("true", preset.key_mark, reading);
    stage.rewrites.push_back(std::move(appear));
    for (const auto& field : preset.value.entries) {
      auto step = frame;
      const auto target = section + "." + field.key;
      if (!reading.scope.type_of(target)) {
        in.problem(field.key_mark, "`" + target + "` is not a field");
        continue;
      }
      step.slot = reading.names.slot(target);
      step.when = parse(when, preset.key_mark, reading);
      step.value = read_expression(field.value, expr::Kind::any, reading);
      stage.rewrites.push_back(std::move(step));
    }
  }
}

void read_step(const yaml::Node& node, const NameScope& names, Stage& stage, Reading& reading) {
  yaml::MapReader in(node, "a rewrite", reading.problems, "rules/invalid");
  if (node.find("copy") != nullptr) {
    read_copy(node, in, names, stage, reading);
  } else if (node.find("preset") != nullptr) {
    read_preset(node, in, stage, reading);
  } else if (node.find("section") != nullptr) {
    read_section(node, in, stage, reading);
  } else {
    read_set(node, in, stage, reading);
  }
  in.finish();
}

Stage read_stage(const yaml::Node& node, const NameScope& names, Reading& reading) {
  Stage stage;
  yaml::MapReader in(node, "a launch stage", reading.problems, "rules/invalid");
  stage.name = reading.texts.keep(in.required_text("stage"));
  stage.what = reading.texts.keep(in.required_text("what"));
  stage.source = reading.texts.keep(in.text("source").value_or(""));
  stage.config = in.boolean("config").value_or(false);
  if (const auto* when = in.node("when")) {
    stage.when = read_expression(*when, expr::Kind::boolean, reading);
  }
  if (const auto* versions = in.node("versions")) {
    stage.versions = read_versions(*versions, reading);
  }
  stage.repeats = reading.kept(in.texts("repeats"));
  if (const auto* rewrites = in.sequence("rewrites")) {
    for (const auto& item : rewrites->items) {
      read_step(item, names, stage, reading);
    }
    std::ranges::stable_sort(stage.rewrites, {}, &RewriteStep::order);
  }
  in.finish();
  return stage;
}

}  // namespace

void declare_created(const yaml::Node& root,
                     NameScope& scope,
                     std::vector<text::Diagnostic>& problems) {
  const auto* created = root.find("creates");
  if (created == nullptr) {
    return;
  }
  for (const auto& entry : created->entries) {
    const auto type = expr::parse_type(entry.value.scalar);
    // A flag of some releases may set it, and the framework in the others.
    const auto known = scope.type_of(entry.key);
    const bool flag = type && known && known->kind == type->kind;
    if (!type || (!flag && !scope.add_derived(entry.key, *type))) {
      problems.push_back(
          {"rules/invalid", entry.key_mark, "`" + entry.key + "` needs a type and an unused name"});
    }
  }
}

Pipeline read_pipeline(const yaml::Node& root, const NameScope& names, Reading& reading) {
  Pipeline pipeline;
  yaml::MapReader in(root, "a launch", reading.problems, "rules/invalid");
  const auto framework = recipe::parse_framework(in.required_text("framework"));
  if (framework) {
    pipeline.framework = recipe::to_string(*framework);
  } else {
    in.problem(root.mark, "`framework` must be bridge or mlm");
  }
  if (const auto* created = in.mapping("creates")) {
    for (const auto& entry : created->entries) {
      pipeline.created.push_back(reading.names.slot(entry.key));
    }
  }
  if (const auto* stages = in.sequence("stages")) {
    for (const auto& stage : stages->items) {
      pipeline.stages.push_back(read_stage(stage, names, reading));
    }
  }
  in.finish();
  return pipeline;
}

}  // namespace epwise::lint
