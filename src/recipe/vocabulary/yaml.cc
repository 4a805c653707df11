#include "recipe/vocabulary/yaml.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "data/archive.h"
#include "recipe/vocabulary/classes.h"
#include "recipe/vocabulary/rows.h"
#include "recipe/vocabulary/table.h"
#include "text/spelling.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::recipe {

namespace {

using Problems = std::vector<text::Diagnostic>;

template <class T>
std::string bytes_of(T value) {
  data::Writer write;
  write(value);
  return write.bytes();
}

/// The mapping that a table file is; nowhere when the file does not parse.
const yaml::Node* root_of(const yaml::Stream& stream, Problems& problems) {
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  return stream.readable && !stream.documents.empty() ? &stream.documents.front().root : nullptr;
}

std::vector<const yaml::Node*> items_of(yaml::MapReader& in, std::string_view key) {
  std::vector<const yaml::Node*> items;
  if (const yaml::Node* const list = in.required(key); list != nullptr) {
    for (const yaml::Node& item : list->items) {
      items.push_back(&item);
    }
  }
  return items;
}

/// Remembers what was said for which version and reports what is said twice.
class Once {
 public:
  Once(std::string_view what, Problems& problems) : what_(what), problems_(problems) {}

  void add(std::string_view name, VersionRange versions, const yaml::Node& node) {
    for (int version = versions.first; version <= versions.last; ++version) {
      if (!seen_.insert({std::string(name), version}).second) {
        problems_.push_back(
            {.rule = std::string(kVocabularyRule),
             .mark = node.mark,
             .message = fmt::format("{} `{}` stands twice in one version", what_, name),
             .help = "set `since` and `until` apart"});
        return;
      }
    }
  }

  bool has(std::string_view name, int version) const {
    return seen_.contains({std::string(name), version});
  }

 private:
  std::string_view what_;
  std::set<std::pair<std::string, int>> seen_;
  Problems& problems_;
};

// ---- Megatron-LM ----

std::vector<FieldRow> attribute_rows(yaml::MapReader& in,
                                     RowReader& rows,
                                     Once& attributes,
                                     Problems& problems) {
  Once names("name", problems);
  std::vector<FieldRow> result;
  for (const yaml::Node* const node : items_of(in, "fields")) {
    yaml::MapReader row = rows.row(*node, "a field");
    FieldRow field = rows.field(row, *node, rows.all());
    field.attribute = word(row, "attribute");
    if (field.attribute.empty()) {
      field.attribute = field.name.substr(field.name.rfind('.') + 1);
    }
    field.inverted = row.boolean("inverted").value_or(false);
    field.aliases = words(row, "also");
    row.finish();
    attributes.add(field.attribute, field.versions, *node);
    names.add(field.name, field.versions, *node);
    for (const std::string_view alias : field.aliases) {
      names.add(alias, field.versions, *node);
    }
    result.push_back(std::move(field));
  }
  std::stable_sort(result.begin(), result.end(), [](const FieldRow& a, const FieldRow& b) {
    return a.name < b.name;
  });
  return result;
}

std::vector<FlagRow> flag_rows(yaml::MapReader& in,
                               RowReader& rows,
                               const Once& attributes,
                               Problems& problems) {
  Once spellings("flag", problems);
  std::vector<FlagRow> result;
  for (const yaml::Node* const node : items_of(in, "flags")) {
    yaml::MapReader row = rows.row(*node, "a flag");
    FlagRow flag = rows.flag(row, *node);
    for (const std::string_view spelling : flag.spellings) {
      spellings.add(spelling, flag.versions, *node);
    }
    for (int version = flag.versions.first; version <= flag.versions.last; ++version) {
      if (flag.action != Flag::Action::help && !attributes.has(flag.attribute, version)) {
        row.problem(node->mark,
                    fmt::format("the flag sets `{}`, which no field has in {}",
                                flag.attribute,
                                rows.versions()[static_cast<std::size_t>(version)]),
                    "name the `attribute` of a field");
        break;
      }
    }
    result.push_back(std::move(flag));
  }
  return result;
}

std::string compile_megatron_lm(const yaml::Node& root, Problems& problems) {
  yaml::MapReader in(root, "the table", problems, std::string(kVocabularyRule));
  RowReader rows(words(in, "versions"), problems);
  if (rows.versions().empty()) {
    in.problem(root.mark, "the table names no versions", "add `versions: [oldest, …, head]`");
    return {};
  }
  Once attributes("attribute", problems);
  const std::string fields = bytes_of(attribute_rows(in, rows, attributes, problems));
  const std::string flags = bytes_of(flag_rows(in, rows, attributes, problems));
  in.finish();
  return bytes_of(
      FrameworkTable{.versions = rows.versions(), .attributes = fields, .flags = flags});
}

// ---- Megatron-Bridge ----

std::vector<StatedClass> stated_classes(yaml::MapReader& in, RowReader& rows, Problems& problems) {
  Once names("class", problems);
  std::vector<StatedClass> classes;
  for (const yaml::Node* const node : items_of(in, "classes")) {
    yaml::MapReader row = rows.row(*node, "a class");
    StatedClass cls;
    cls.name = required_word(row, "class");
    cls.section = word(row, "section");
    cls.parent = word(row, "parent");
    cls.versions = rows.range(row, *node, rows.all());
    cls.refuses = row.boolean("refuses").value_or(false);
    names.add(cls.name, cls.versions, *node);
    Once fields("field", problems);
    for (const yaml::Node* const item : items_of(row, "fields")) {
      yaml::MapReader field_row = rows.row(*item, "a field");
      StatedField field{.row = rows.field(field_row, *item, cls.versions),
                        .holds = words(field_row, "holds")};
      field_row.finish();
      fields.add(field.row.name, field.row.versions, *item);
      cls.fields.push_back(std::move(field));
    }
    row.finish();
    classes.push_back(std::move(cls));
  }
  return classes;
}

void check_class(std::string_view name,
                 VersionRange versions,
                 const std::vector<StatedClass>& classes,
                 const yaml::Node& root,
                 Problems& problems) {
  for (int version = versions.first; version <= versions.last; ++version) {
    if (std::none_of(classes.begin(), classes.end(), [&](const StatedClass& each) {
          return each.name == name && each.versions.holds(version);
        })) {
      std::vector<std::string_view> known(classes.size());
      std::transform(classes.begin(), classes.end(), known.begin(), [](const StatedClass& each) {
        return each.name;
      });
      problems.push_back({.rule = std::string(kVocabularyRule),
                          .mark = {root.mark.file, root.mark.begin, root.mark.begin},
                          .message = fmt::format("class `{}` is named but not described in every "
                                                 "version that names it{}",
                                                 name,
                                                 text::did_you_mean(name, known))});
      return;
    }
  }
}

bool ends(const StatedClass& cls, const std::vector<StatedClass>& classes) {
  std::string_view parent = cls.parent;
  for (std::size_t steps = 0; steps < classes.size(); ++steps) {
    if (parent.empty()) {
      return true;
    }
    const auto found = std::find_if(classes.begin(), classes.end(), [&](const StatedClass& each) {
      return each.name == parent;
    });
    parent = found == classes.end() ? std::string_view() : found->parent;
  }
  return false;
}

void check_classes(const std::vector<StatedClass>& classes,
                   const yaml::Node& root,
                   Problems& problems) {
  for (const StatedClass& cls : classes) {
    if (!cls.parent.empty()) {
      check_class(cls.parent, cls.versions, classes, root, problems);
    }
    if (!ends(cls, classes)) {
      problems.push_back({.rule = std::string(kVocabularyRule),
                          .mark = root.mark,
                          .message = fmt::format("class `{}` is its own parent", cls.name)});
    }
    for (const StatedField& field : cls.fields) {
      for (const std::string_view held : field.holds) {
        check_class(held, field.row.versions, classes, root, problems);
      }
    }
  }
}

std::vector<SectionRow> section_rows(yaml::MapReader& in,
                                     RowReader& rows,
                                     const std::vector<StatedClass>& classes,
                                     const yaml::Node& root,
                                     Problems& problems) {
  Once names("section", problems);
  std::vector<SectionRow> sections;
  for (const yaml::Node* const node : items_of(in, "sections")) {
    yaml::MapReader row = rows.row(*node, "a section");
    SectionRow section;
    section.name = required_word(row, "name");
    section.versions = rows.range(row, *node, rows.all());
    section.class_name = word(row, "class");
    section.absent = row.boolean("absent").value_or(false);
    row.finish();
    names.add(section.name, section.versions, *node);
    if (!section.class_name.empty()) {
      check_class(section.class_name, section.versions, classes, root, problems);
    }
    sections.push_back(section);
  }
  std::stable_sort(sections.begin(), sections.end(), [](const SectionRow& a, const SectionRow& b) {
    return a.name < b.name;
  });
  return sections;
}

std::string compile_bridge(const yaml::Node& root, Problems& problems) {
  yaml::MapReader in(root, "the table", problems, std::string(kVocabularyRule));
  RowReader rows(words(in, "versions"), problems);
  if (rows.versions().empty()) {
    in.problem(root.mark, "the table names no versions", "add `versions: [oldest, …, head]`");
    return {};
  }
  const std::vector<StatedClass> classes = stated_classes(in, rows, problems);
  check_classes(classes, root, problems);
  FrameworkTable table{.versions = rows.versions(),
                       .sections = section_rows(in, rows, classes, root, problems)};
  in.finish();
  if (!problems.empty()) {
    return {};
  }
  std::vector<StatedSection> sections;
  for (const SectionRow& section : table.sections) {
    sections.push_back({section.name, section.class_name, section.versions});
  }
  std::set<std::string, std::less<>> names;
  const Placed placed = place_classes(classes, sections, names);
  std::vector<std::string> groups;
  groups.reserve(table.sections.size() + classes.size());  // views into them: they must not move
  for (std::size_t i = 0; i < table.sections.size(); ++i) {
    groups.push_back(bytes_of(placed.others[i]));
    table.sections[i].others = groups.back();
  }
  for (const PlacedClass& cls : placed.classes) {
    groups.push_back(bytes_of(cls.fields));
    table.classes.push_back({.name = cls.stated->name,
                             .section = cls.stated->section,
                             .parent = cls.stated->parent,
                             .versions = cls.stated->versions,
                             .fields = groups.back(),
                             .refuses = cls.stated->refuses});
  }
  return bytes_of(table);
}

}  // namespace

std::string compile_vocabulary(const text::SourceFile& bridge,
                               const text::SourceFile& mlm,
                               Problems& problems) {
  const yaml::Stream bridge_stream = yaml::parse(bridge);
  const yaml::Stream mlm_stream = yaml::parse(mlm);
  const yaml::Node* const bridge_root = root_of(bridge_stream, problems);
  const yaml::Node* const mlm_root = root_of(mlm_stream, problems);
  if (bridge_root == nullptr || mlm_root == nullptr) {
    return {};
  }
  const std::string bridge_bytes = compile_bridge(*bridge_root, problems);
  const std::string mlm_bytes = compile_megatron_lm(*mlm_root, problems);
  return bytes_of(VocabularyTable{.bridge = bridge_bytes, .mlm = mlm_bytes});
}

}  // namespace epwise::recipe
