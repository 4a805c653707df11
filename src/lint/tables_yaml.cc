#include "lint/tables_yaml.h"

#include <array>
#include <string>
#include <utility>

#include "yaml/reader.h"

namespace epwise::lint {

namespace {

std::vector<NameUse> name_uses(const yaml::Node* list) {
  std::vector<NameUse> uses;
  if (list != nullptr) {
    for (const auto& item : list->items) {
      uses.push_back({item.scalar, item.mark});
    }
  }
  return uses;
}

/// "0.6.2" → "0.7.0"
std::string next_series(std::string_view version) {
  const auto dot = version.find('.');
  const auto behind = version.find('.', dot + 1);
  if (dot == std::string_view::npos) {
    return std::string(version);
  }
  const auto minor = std::stol("0" + std::string(version.substr(dot + 1, behind - dot - 1)));
  return std::string(version.substr(0, dot + 1)) + std::to_string(minor + 1) + ".0";
}

yaml::Node scalar_node(std::string text, const yaml::Node& place) {
  yaml::Node node;
  node.kind = yaml::Kind::scalar;
  node.mark = place.mark;
  node.scalar = std::move(text);
  return node;
}

void declare_one(const yaml::Entry& entry,
                 NameScope& scope,
                 std::vector<text::Diagnostic>& problems) {
  const auto* type_node = entry.value.find("type");
  const auto type = type_node == nullptr ? std::nullopt : expr::parse_type(type_node->scalar);
  if (!type) {
    problems.push_back(
        {"rules/invalid",
         type_node == nullptr ? entry.key_mark : type_node->mark,
         "a derived value needs a type: bool, int, number, text, version, list or any"});
  } else if (!scope.add_derived(entry.key, *type)) {
    problems.push_back(
        {"rules/invalid", entry.key_mark, "`" + entry.key + "` has a meaning already"});
  }
}

}  // namespace

void declare_derived(const yaml::Node& root,
                     NameScope& scope,
                     std::vector<text::Diagnostic>& problems) {
  for (const auto& entry : root.entries) {
    declare_one(entry, scope, problems);
  }
}

std::string pinned_expression(std::string_view name, const std::vector<Pin>& pins) {
  std::string text;
  std::string_view core;
  std::string next;  // the series after the newest release that has a number
  for (const auto& pin : pins) {
    const bool head = pin.bridge == "head";
    if (!core.empty() && pin.core != core) {
      text += std::string(name) + " < v\"" + (head ? next : std::string(pin.bridge)) + "\" ? v\"" +
              std::string(core) + "\" : ";
    }
    core = pin.core;
    next = next_series(pin.bridge);
  }
  return text + "v\"" + std::string(core) + "\"";
}

std::vector<SourceDerived> read_derived(const yaml::Node& root,
                                        const std::vector<Pin>& pins,
                                        Reading& reading) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kKeys = {
      {{"is", ""}, {"bridge", "bridge"}, {"mlm", "mlm"}}};
  std::vector<SourceDerived> all;
  for (const auto& entry : root.entries) {
    yaml::MapReader in(entry.value, "a derived value", reading.problems, "rules/invalid");
    const auto type = expr::parse_type(in.required_text("type")).value_or(expr::Type{});
    const auto doc = reading.texts.keep(in.text("doc").value_or(""));
    const auto needs = name_uses(in.sequence("needs"));
    bool any = false;
    for (const auto& key : kKeys) {
      const auto* node = in.node(key.first);
      if (node == nullptr) {
        continue;
      }
      any = true;
      SourceDerived source{{}, entry.key_mark, needs};
      source.derived.slot = reading.names.slot(entry.key);
      source.derived.name = reading.texts.keep(entry.key);
      const auto* by = node->find("pinned_by");
      source.derived.text = reading.texts.keep(
          by == nullptr ? node->scalar : "as tables/releases.yaml says for " + by->scalar);
      source.derived.expression = read_expression(
          by == nullptr ? *node : scalar_node(pinned_expression(by->scalar, pins), *node),
          type.kind,
          reading);
      source.derived.type = type;
      source.derived.doc = doc;
      source.derived.frameworks = key.second;
      all.push_back(std::move(source));
    }
    if (!any) {
      in.problem(entry.key_mark, "a derived value needs `is`, or `bridge` and `mlm`");
    }
    in.finish();
  }
  return all;
}

std::vector<Container> read_containers(const yaml::Node& root, Reading& reading) {
  std::vector<Container> all;
  const auto* list = root.find("containers");
  if (list == nullptr || !list->is_sequence()) {
    reading.problems.push_back(
        {"rules/invalid", root.mark, "`containers:` with a list is expected"});
    return all;
  }
  for (const auto& item : list->items) {
    yaml::MapReader in(item, "a container", reading.problems, "rules/invalid");
    Container container;
    container.name = reading.texts.keep(in.required_text("name"));
    for (auto& component : in.texts("components")) {
      container.components.push_back(reading.texts.keep(std::move(component)));
    }
    container.source = reading.texts.keep(in.required_text("source"));
    container.date = reading.texts.keep(in.required_text("date"));
    in.finish();
    all.push_back(std::move(container));
  }
  return all;
}

}  // namespace epwise::lint
