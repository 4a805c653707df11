#include "lint/reference_tables.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "lint/troubles_yaml.h"
#include "units/version.h"
#include "yaml/reader.h"

namespace epwise::lint {

namespace {

constexpr const char* kInvalid = "rules/invalid";

/// The sequence under `key`, whose items are mappings.
const std::vector<yaml::Node>& items(const yaml::Node& root, const char* key, Reading& reading) {
  static const std::vector<yaml::Node> none;
  const auto* list = root.find(key);
  if (list != nullptr && list->is_sequence()) {
    return list->items;
  }
  reading.problems.push_back(
      {kInvalid, root.mark, "`" + std::string(key) + ":` with a list is expected"});
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
        in.problem(item.mark, "`" + std::string(release) + "` is no version");
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
      in.problem(item.mark, "`" + std::string(version) + "` is no version");
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
      in.problem(item.mark, "either `id` (a row) or `site` (an upstream check) is expected");
    }
    tables.uncovered.push_back(row);
  }
}

void read_plain_names(const yaml::Node& root, Tables& tables, Reading& reading) {
  for (const auto& entry : root.entries) {
    if (!reading.scope.type_of(entry.value.scalar)) {
      reading.problems.push_back({kInvalid,
                                  entry.value.mark,
                                  "`" + entry.value.scalar + "` is no name that a rule can read"});
      continue;
    }
    tables.plain_names.push_back(
        {reading.texts.keep(entry.key), reading.names.slot(entry.value.scalar)});
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
    tables.fragments.push_back(std::move(fragment));
  }
  std::ranges::sort(tables.fragments, {}, &Fragment::place);
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
      complain(row, "is no row of the catalogue (rules/tables/catalogue.yaml)");
    } else if (!seen.insert(row.id).second) {
      complain(row, "stands there twice");
    } else if (const auto* rule = knowledge.find(row.id)) {
      complain(row, "is covered by " + std::string(rule->id) + ": take it off the list");
    }
  }
}

}  // namespace epwise::lint
