#include "lint/tables_reader.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "base/units/version.h"
#include "yaml/reader.h"

namespace epwise::lint {

namespace {

/// The sequence under `key`, whose items are mappings.
const std::vector<yaml::Node>& items(const yaml::Node& root, const char* key, Reading& reading) {
  static const std::vector<yaml::Node> none;
  const auto* list = root.find(key);
  if (list != nullptr && list->is_sequence()) {
    return list->items;
  }
  reading.problems.push_back(
      {kInvalid, root.mark, "`" + std::string(key) + ":` with a list expected"});
  return none;
}

void read_releases(const yaml::Node& root, Tables& tables, Reading& reading) {
  for (const auto& item : items(root, "components", reading)) {
    yaml::MapReader in(item, "a list of releases", reading.problems, kInvalid);
    ReleaseList list;
    list.component = reading.texts.keep(in.required_text("name"));
    list.releases = reading.kept(in.texts("releases"));
    list.source = reading.texts.keep(in.required_text("source"));
    list.date = reading.texts.keep(in.required_text("date"));
    in.finish();
    for (const auto release : list.releases) {
      if (!units::Version::parse(release)) {
        in.problem(item.mark, "`" + std::string(release) + "` is not a version");
      }
    }
    std::ranges::stable_sort(list.releases, [](std::string_view a, std::string_view b) {
      return units::Version::parse(a) < units::Version::parse(b);
    });
    tables.releases.push_back(std::move(list));
  }
}

Pin read_pin(const yaml::Node& item, Reading& reading) {
  yaml::MapReader in(item, "a release of Megatron-Bridge", reading.problems, kInvalid);
  Pin pin;
  pin.bridge = reading.texts.keep(in.required_text("bridge"));
  pin.core = reading.texts.keep(in.required_text("mcore"));
  pin.source = reading.texts.keep(in.required_text("source"));
  in.finish();
  for (const auto version : {pin.bridge, pin.core}) {
    if (!units::Version::parse(version)) {
      in.problem(item.mark, "`" + std::string(version) + "` is not a version");
    }
  }
  return pin;
}

void read_pins(const yaml::Node& root, Tables& tables, Reading& reading) {
  for (const auto& item : items(root, "releases", reading)) {
    tables.pins.push_back(read_pin(item, reading));
  }
  std::ranges::stable_sort(tables.pins, [](const Pin& a, const Pin& b) {
    return units::Version::parse(a.bridge) < units::Version::parse(b.bridge);
  });
}

void read_catalogue(const yaml::Node& root, Tables& tables, Reading& reading) {
  for (const auto& item : items(root, "groups", reading)) {
    yaml::MapReader in(item, "a group of the catalogue", reading.problems, kInvalid);
    CatalogueGroup group;
    group.name = reading.texts.keep(in.required_text("name"));
    group.rows = static_cast<std::int32_t>(in.integer("rows").value_or(0));
    for (const auto& number : in.texts("without")) {
      group.without.push_back(static_cast<std::int32_t>(std::stol("0" + number)));
    }
    in.finish();
    tables.catalogue.push_back(std::move(group));
  }
}

void read_uncovered(const yaml::Node& root, Tables& tables, Reading& reading) {
  for (const auto& item : items(root, "uncovered", reading)) {
    yaml::MapReader in(item, "an uncovered row", reading.problems, kInvalid);
    Uncovered row;
    row.id = reading.texts.keep(in.text("id").value_or(""));
    row.site = reading.texts.keep(in.text("site").value_or(""));
    row.reason = reading.texts.keep(in.required_text("reason"));
    in.finish();
    if (row.id.empty() == row.site.empty()) {
      in.problem(item.mark, "either `id` (a row) or `site` (an upstream check) expected");
    }
    tables.uncovered.push_back(row);
  }
}

void read_plain_names(const yaml::Node& root, Tables& tables, Reading& reading) {
  for (const auto& entry : root.entries) {
    if (!reading.scope.type_of(entry.value.scalar)) {
      reading.problems.push_back(
          {kInvalid,
           entry.value.mark,
           "`" + entry.value.scalar + "` is not a name that rules can read"});
      continue;
    }
    tables.plain_names.push_back(
        {reading.texts.keep(entry.key), reading.names.slot(entry.value.scalar)});
  }
}

void read_signs(const yaml::Node& root, Tables& tables, Reading& reading) {
  for (const auto& item : items(root, "signs", reading)) {
    yaml::MapReader in(item, "a sign", reading.problems, kInvalid);
    Sign sign;
    sign.log = reading.kept(in.texts("log"));
    sign.unless = reading.kept(in.texts("unless"));
    sign.name = reading.texts.keep(in.required_text("name"));
    sign.is = reading.kept(in.texts("is"));
    sign.what = reading.texts.keep(in.required_text("what"));
    if (sign.log.empty() || sign.is.empty()) {
      in.problem(item.mark, "`log` and `is` expected");
    }
    if (!reading.scope.type_of(std::string(sign.name))) {
      in.problem(item.mark, "`" + std::string(sign.name) + "` is not a name that rules can read");
    }
    in.finish();
    tables.signs.push_back(std::move(sign));
  }
}

void read_variables(const yaml::Node& root, Tables& tables, Reading& reading) {
  for (const auto& item : items(root, "libraries", reading)) {
    yaml::MapReader in(item, "a library", reading.problems, kInvalid);
    LibraryVariables library;
    library.library = reading.texts.keep(in.required_text("name"));
    library.prefixes = reading.kept(in.texts("prefixes"));
    library.source = reading.texts.keep(in.required_text("source"));
    library.date = reading.texts.keep(in.required_text("date"));
    VariableNames& names = library.names.edit();
    names = {reading.kept(in.texts("names")), reading.kept(in.texts("others"))};
    std::ranges::sort(names.read);
    std::ranges::sort(names.others);
    in.finish();
    if (library.prefixes.empty() || names.read.empty()) {
      in.problem(item.mark, "`prefixes` and `names` expected");
    }
    tables.variables.push_back(std::move(library));
  }
}

void read_fragments(const yaml::Node& root, Tables& tables, Reading& reading) {
  for (const auto& item : items(root, "fragments", reading)) {
    yaml::MapReader in(item, "a fragment", reading.problems, kInvalid);
    Fragment fragment;
    fragment.place = reading.texts.keep(in.required_text("at"));
    fragment.symbol = reading.texts.keep(in.text("in").value_or(""));
    fragment.start = static_cast<std::int32_t>(in.integer("start").value_or(0));
    fragment.count = static_cast<std::int32_t>(in.integer("lines").value_or(0));
    fragment.hash = reading.texts.keep(in.required_text("hash"));
    if (const auto* seen = in.mapping("seen")) {
      for (const auto& entry : seen->entries) {
        fragment.seen.push_back({reading.texts.keep(entry.key),
                                 static_cast<std::int32_t>(std::stol("0" + entry.value.scalar))});
      }
    }
    fragment.message = reading.kept(in.texts("message"));
    in.finish();
    tables.fragments.edit().push_back(std::move(fragment));
  }
  std::ranges::sort(tables.fragments.edit(), {}, &Fragment::place);
}

bool is_row(std::string_view id, const std::vector<CatalogueGroup>& groups) {
  return std::ranges::any_of(groups, [&](const CatalogueGroup& group) {
    if (!id.starts_with(group.name) || id.size() == group.name.size()) {
      return false;
    }
    const auto digits = id.substr(group.name.size());
    if (digits.find_first_not_of("0123456789") != std::string_view::npos || digits.size() > 4) {
      return false;
    }
    const auto number = static_cast<std::int32_t>(std::stol(std::string(digits)));
    return number >= 1 && number <= group.rows &&
           std::ranges::find(group.without, number) == group.without.end();
  });
}

}  // namespace

void read_table(std::string_view path, const yaml::Node& root, Tables& tables, Reading& reading) {
  if (path == "tables/versions.yaml") {
    read_releases(root, tables, reading);
  } else if (path == "tables/releases.yaml") {
    read_pins(root, tables, reading);
  } else if (path == "tables/troubles.yaml") {
    read_troubles(root, tables, reading);
  } else if (path == "tables/catalogue.yaml") {
    read_catalogue(root, tables, reading);
  } else if (path == "tables/uncovered.yaml") {
    read_uncovered(root, tables, reading);
  } else if (path == "tables/plain_names.yaml") {
    read_plain_names(root, tables, reading);
  } else if (path == "tables/signs.yaml") {
    read_signs(root, tables, reading);
  } else if (path == "tables/variables.yaml") {
    read_variables(root, tables, reading);
  } else if (path == "tables/fragments.yaml") {
    read_fragments(root, tables, reading);
  }
}

void check_catalogue(const Knowledge& knowledge, std::vector<text::Diagnostic>& problems) {
  std::set<std::string_view> seen;
  const auto complain = [&](const Uncovered& row, const std::string& what) {
    problems.push_back(
        {kInvalid, {}, "rules/tables/uncovered.yaml: " + std::string(row.id) + " " + what});
  };
  for (const auto& row : knowledge.tables.uncovered) {
    if (row.id.empty()) {
      continue;
    }
    if (!is_row(row.id, knowledge.tables.catalogue)) {
      complain(row, "is not a row of the catalogue (rules/tables/catalogue.yaml)");
    } else if (!seen.insert(row.id).second) {
      complain(row, "is listed twice");
    } else if (const auto* rule = knowledge.find(row.id)) {
      complain(row, "is covered by " + std::string(rule->id) + ": remove it from the list");
    }
  }
}

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
    problems.push_back({"rules/invalid", entry.key_mark, "`" + entry.key + "` is already defined"});
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
  std::string next;  // the series after the newest numbered release
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
    reading.problems.push_back({"rules/invalid", root.mark, "`containers:` with a list expected"});
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

namespace {

TroubleHint read_hint(const yaml::Node& node, Reading& reading) {
  yaml::MapReader in(node, "a hint", reading.problems, kInvalid);
  TroubleHint hint;
  hint.log = reading.kept(in.texts("log"));
  hint.unless = reading.kept(in.texts("unless"));
  hint.says = reading.texts.keep(in.required_text("says"));
  in.finish();
  return hint;
}

Trouble read_trouble(const yaml::Node& node, Reading& reading) {
  yaml::MapReader in(node, "a trouble", reading.problems, kInvalid);
  Trouble trouble;
  trouble.name = reading.texts.keep(in.required_text("name"));
  trouble.what = reading.texts.keep(in.required_text("what"));
  trouble.log = reading.kept(in.texts("log"));
  trouble.places = reading.kept(in.texts("places"));
  trouble.vague = in.boolean("vague").value_or(false);
  trouble.why = reading.texts.keep(in.required_text("why"));
  if (const auto* hints = in.sequence("hints")) {
    for (const auto& hint : hints->items) {
      trouble.hints.push_back(read_hint(hint, reading));
    }
  }
  trouble.fields = reading.kept(in.texts("fields"));
  trouble.rules = reading.kept(in.texts("rules"));
  trouble.first = reading.kept(in.texts("first"));
  trouble.if_fragmented = reading.texts.keep(in.text("if_fragmented").value_or(""));
  trouble.from = reading.kept(in.texts("from"));
  in.finish();
  if (trouble.log.empty() == trouble.places.empty() || trouble.first.empty()) {
    in.problem(node.mark,
               "a trouble needs `log` (its words) or `places`, and `first` (what to try)");
  }
  for (const auto field : trouble.fields) {
    if (!reading.scope.type_of(field)) {
      in.problem(node.mark, "`" + std::string(field) + "` is not a name that rules can read");
    } else {
      reading.names.slot(field);
    }
  }
  return trouble;
}

}  // namespace

void read_troubles(const yaml::Node& root, Tables& tables, Reading& reading) {
  const auto* list = root.find("troubles");
  if (list == nullptr || !list->is_sequence()) {
    reading.problems.push_back({kInvalid, root.mark, "`troubles:` with a list expected"});
    return;
  }
  for (const auto& item : list->items) {
    tables.troubles.edit().push_back(read_trouble(item, reading));
  }
}

void check_troubles(const Knowledge& knowledge, std::vector<text::Diagnostic>& problems) {
  std::set<std::string_view> words;
  const auto complain = [&](const Trouble& trouble, const std::string& what) {
    problems.push_back(
        {kInvalid, {}, "rules/tables/troubles.yaml: " + std::string(trouble.name) + ": " + what});
  };
  for (const auto& trouble : *knowledge.tables.troubles) {
    for (const auto id : trouble.rules) {
      const auto* rule = knowledge.find(id);
      if (rule == nullptr || rule->id != id) {
        complain(trouble, "unknown rule `" + std::string(id) + "`");
      }
    }
    for (const auto log : trouble.log) {
      if (!words.insert(log).second) {
        complain(trouble, "`" + std::string(log) + "` already identifies another trouble");
      }
    }
  }
}

}  // namespace epwise::lint
