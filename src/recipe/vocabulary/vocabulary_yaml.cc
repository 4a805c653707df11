#include "recipe/vocabulary/vocabulary_yaml.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/embedded/archive.h"
#include "base/text/diagnostic.h"
#include "base/text/spelling.h"
#include "recipe/vocabulary/table.h"
#include "yaml/node.h"
#include "yaml/parse.h"
#include "yaml/reader.h"
#include "yaml/scalar.h"

/// Single rows of rules/vocabulary/*.yaml → rows of the compiled table. Texts are views into the
/// tree, which must outlive the rows; problems are reported and the row filled in as far as
/// possible.

namespace epwise::recipe {

constexpr std::string_view kVocabularyRule = "vocabulary/invalid";

class RowReader {
 public:
  RowReader(std::vector<std::string_view> versions, std::vector<text::Diagnostic>& problems)
      : versions_(std::move(versions)),
        problems_(problems) {}

  const std::vector<std::string_view>& versions() const { return versions_; }

  VersionRange all() const;

  yaml::MapReader row(const yaml::Node& node, std::string_view what);

  /// `since` and `until` of a row; by default `around`. A range that extends beyond it is a
  /// problem.
  VersionRange range(yaml::MapReader& in, const yaml::Node& node, VersionRange around);

  /// name, type, choices, and default, computed or required.
  FieldRow field(yaml::MapReader& in, const yaml::Node& node, VersionRange around);

  FlagRow flag(yaml::MapReader& in, const yaml::Node& node);

 private:
  int version(std::string_view name, const yaml::Node& node, int otherwise);
  void type(std::string_view text, const yaml::Node& node, FieldRow& row);
  void values(const yaml::Node& node, FlagRow& row);

  std::vector<std::string_view> versions_;
  std::vector<text::Diagnostic>& problems_;
};

/// A scalar as text; empty if it is absent or, after a report, not a scalar.
std::string_view word(yaml::MapReader& in, std::string_view key);
std::string_view required_word(yaml::MapReader& in, std::string_view key);
std::vector<std::string_view> words(yaml::MapReader& in, std::string_view key);

}  // namespace epwise::recipe

/// From classes as defined in rules/vocabulary/bridge.yaml (fields by their own name, nested fields
/// by class) to classes as seen by a section (fields by their full name, including those of nested
/// classes).

namespace epwise::recipe {

struct StatedField {
  FieldRow row;                         // name: the field's own
  std::vector<std::string_view> holds;  // classes whose fields are nested in this one
};

struct StatedClass {
  std::string_view name;
  std::string_view section;  // empty: only nested in fields
  std::string_view parent;   // empty: none
  VersionRange versions;
  std::vector<StatedField> fields;
  bool refuses = false;  // keys that are not fields stop the launch
};

/// Fields of one class in its section that its parent lacks or defines differently.
struct PlacedClass {
  const StatedClass* stated = nullptr;
  std::vector<FieldRow> fields;  // full names, sorted
};

/// A section with the class it has without `_target_` (may be empty).
struct StatedSection {
  std::string_view name;
  std::string_view class_name;
  VersionRange versions;
};

struct Placed {
  std::vector<PlacedClass> classes;
  std::vector<std::vector<FieldRow>> others;  // by section: what only other classes of it define
};

/// `names` keeps the composed names alive.
Placed place_classes(const std::vector<StatedClass>& classes,
                     const std::vector<StatedSection>& sections,
                     std::set<std::string, std::less<>>& names);

namespace {

Literal literal(const yaml::Node& node) {
  Literal result;
  if (node.is_sequence()) {
    result.kind = Literal::Kind::list;
    for (const yaml::Node& item : node.items) {
      result.items.push_back(literal(item));
    }
    return result;
  }
  const yaml::Typed typed = yaml::type_scalar(node, yaml::Dialect::pyyaml);
  switch (typed.type) {
    case yaml::ScalarType::null:
      break;
    case yaml::ScalarType::boolean:
      result.kind = Literal::Kind::boolean;
      result.boolean = typed.boolean;
      break;
    case yaml::ScalarType::integer:
      result.kind = Literal::Kind::integer;
      result.integer = typed.integer;
      break;
    case yaml::ScalarType::real:
      result.kind = Literal::Kind::real;
      result.real = typed.real;
      break;
    case yaml::ScalarType::text:
      result.kind = Literal::Kind::text;
      result.text = node.scalar;
      break;
  }
  return result;
}

constexpr std::array<std::pair<std::string_view, Flag::Action>, 6> kActions = {{
    {"store", Flag::Action::store},
    {"store_true", Flag::Action::store_true},
    {"store_false", Flag::Action::store_false},
    {"store_const", Flag::Action::store_const},
    {"append", Flag::Action::append},
    {"help", Flag::Action::help},
}};

}  // namespace

std::string_view word(yaml::MapReader& in, std::string_view key) {
  return in.text(key) ? std::string_view(in.node(key)->scalar) : std::string_view();
}

std::string_view required_word(yaml::MapReader& in, std::string_view key) {
  return in.required(key) == nullptr ? std::string_view() : word(in, key);
}

std::vector<std::string_view> words(yaml::MapReader& in, std::string_view key) {
  const yaml::Node* const node = in.sequence(key);
  std::vector<std::string_view> result;
  if (node == nullptr) {
    return result;
  }
  for (const yaml::Node& item : node->items) {
    if (item.is_scalar()) {
      result.emplace_back(item.scalar);
    } else {
      in.problem(item.mark, fmt::format("an item of `{}` is not a word", key));
    }
  }
  return result;
}

VersionRange RowReader::all() const {
  return {.first = 0, .last = static_cast<std::uint8_t>(versions_.size() - 1)};
}

yaml::MapReader RowReader::row(const yaml::Node& node, std::string_view what) {
  return {node, std::string(what), problems_, std::string(kVocabularyRule)};
}

int RowReader::version(std::string_view name, const yaml::Node& node, int otherwise) {
  if (name.empty()) {
    return otherwise;
  }
  const auto found = std::find(versions_.begin(), versions_.end(), name);
  if (found == versions_.end()) {
    problems_.push_back(
        {.rule = std::string(kVocabularyRule),
         .mark = node.mark,
         .message = fmt::format(
             "`{}` is not a known version{}", name, text::did_you_mean(name, versions_))});
    return otherwise;
  }
  return static_cast<int>(found - versions_.begin());
}

VersionRange RowReader::range(yaml::MapReader& in, const yaml::Node& node, VersionRange around) {
  const int first = version(word(in, "since"), node, around.first);
  const int last = version(word(in, "until"), node, around.last);
  if (first > last || !around.holds(first) || !around.holds(last)) {
    in.problem(node.mark,
               fmt::format("there is no version from {} to {} here",
                           versions_[static_cast<std::size_t>(first)],
                           versions_[static_cast<std::size_t>(last)]));
    return around;
  }
  return {.first = static_cast<std::uint8_t>(first), .last = static_cast<std::uint8_t>(last)};
}

void RowReader::type(std::string_view text, const yaml::Node& node, FieldRow& row) {
  row.optional = text.ends_with('?');
  const auto type = expr::parse_type(row.optional ? text.substr(0, text.size() - 1) : text);
  if (type) {
    row.kind = type->kind;
    return;
  }
  problems_.push_back({.rule = std::string(kVocabularyRule),
                       .mark = node.mark,
                       .message = fmt::format("`{}` is not a type", text),
                       .help = "write bool, int, number, text, list or any, with ? if it may be "
                               "null"});
}

FieldRow RowReader::field(yaml::MapReader& in, const yaml::Node& node, VersionRange around) {
  FieldRow row;
  row.name = required_word(in, "name");
  row.versions = range(in, node, around);
  type(required_word(in, "type"), node, row);
  row.choices = words(in, "choices");
  const yaml::Node* const value = in.node("default");
  const bool computed = in.boolean("computed").value_or(false);
  const bool required = in.boolean("required").value_or(false);
  if ((value != nullptr ? 1 : 0) + (computed ? 1 : 0) + (required ? 1 : 0) != 1) {
    in.problem(node.mark,
               fmt::format("field `{}` needs one of default, computed and required", row.name));
  }
  if (value != nullptr) {
    row.value = literal(*value);
  } else {
    row.stated = computed ? FieldRow::Default::computed : FieldRow::Default::required;
  }
  return row;
}

void RowReader::values(const yaml::Node& node, FlagRow& row) {
  if (node.scalar == "?") {
    row.values = Flag::Values::optional;
  } else if (node.scalar == "*") {
    row.values = Flag::Values::any;
  } else if (node.scalar == "+") {
    row.values = Flag::Values::some;
  } else {
    const yaml::Typed typed = yaml::type_scalar(node, yaml::Dialect::pyyaml);
    row.values = Flag::Values::fixed;
    row.count = static_cast<std::int32_t>(typed.integer);
    if (typed.type != yaml::ScalarType::integer || row.count < 1) {
      problems_.push_back({.rule = std::string(kVocabularyRule),
                           .mark = node.mark,
                           .message = fmt::format("`{}` is not a number of values", node.scalar),
                           .help = R"(write "?", "*", "+" or a count)"});
    }
  }
}

FlagRow RowReader::flag(yaml::MapReader& in, const yaml::Node& node) {
  FlagRow row;
  row.spellings = words(in, "flags");
  if (row.spellings.empty()) {
    in.problem(node.mark, "a flag needs `flags`, its spellings");
  }
  row.versions = range(in, node, all());
  row.attribute = word(in, "sets");
  if (const std::string_view action = word(in, "action"); !action.empty()) {
    const auto* const found = std::find_if(
        kActions.begin(), kActions.end(), [&](const auto& each) { return each.first == action; });
    if (found == kActions.end()) {
      in.problem(node.mark, fmt::format("`{}` is not a flag action", action));
    } else {
      row.action = found->second;
    }
  }
  if (const yaml::Node* const count = in.node("values"); count != nullptr) {
    values(*count, row);
  }
  row.type = word(in, "type");
  if (row.type.empty()) {
    row.type = "str";
  }
  row.choices = words(in, "choices");
  if (const yaml::Node* const constant = in.node("constant"); constant != nullptr) {
    row.constant = literal(*constant);
  }
  row.required = in.boolean("required").value_or(false);
  in.finish();
  return row;
}

namespace {

using ClassNames = std::set<std::string, std::less<>>;
using FieldsByName = std::map<std::string_view, const StatedField*>;

/// Classes do not nest deeper than this in any known version
/// (comm_overlap.tp_comm_overlap_cfg.x.y).
constexpr int kMostNesting = 4;

class Placement {
 public:
  Placement(const std::vector<StatedClass>& classes, ClassNames& names)
      : classes_(classes),
        names_(names) {}

  /// All fields of a section with this class in one version, by full name.
  const FieldsByName& placed(std::string_view section, std::string_view name, int version) {
    const auto key = std::make_pair(std::string(name), version);
    const auto found = placed_.find(key);
    if (found != placed_.end()) {
      return found->second;
    }
    FieldsByName fields;
    add_below(section, name, version, 0, fields);
    return placed_.emplace(key, std::move(fields)).first->second;
  }

 private:
  const StatedClass* find(std::string_view name, int version) const {
    const auto found = std::find_if(classes_.begin(), classes_.end(), [&](const StatedClass& each) {
      return each.name == name && each.versions.holds(version);
    });
    return found == classes_.end() ? nullptr : &*found;
  }

  /// By own name; the class takes precedence over its parents.
  void add_stated(std::string_view name, int version, FieldsByName& fields) const {
    for (const StatedClass* cls = find(name, version); cls != nullptr;
         cls = find(cls->parent, version)) {
      for (const StatedField& field : cls->fields) {
        if (field.row.versions.holds(version)) {
          fields.emplace(field.row.name, &field);
        }
      }
    }
  }

  void add_below(std::string_view prefix,
                 std::string_view name,
                 int version,
                 int depth,
                 FieldsByName& fields) {
    FieldsByName own;
    add_stated(name, version, own);
    for (const auto& [field_name, field] : own) {
      const std::string_view full =
          *names_.insert(std::string(prefix) + "." + std::string(field_name)).first;
      fields.emplace(full, field);
      for (const std::string_view held : field->holds) {
        if (depth < kMostNesting) {
          add_below(full, held, version, depth + 1, fields);
        }
      }
    }
  }

  const std::vector<StatedClass>& classes_;
  ClassNames& names_;
  std::map<std::pair<std::string, int>, FieldsByName> placed_;
};

/// Merges per-version results into rows for version ranges. Versions come in order.
class Ranges {
 public:
  void add(std::string_view name, const StatedField* field, int version) {
    auto& rows = rows_[name];
    if (!rows.empty() && rows.back().first == field && rows.back().second.last + 1 == version) {
      rows.back().second.last = static_cast<std::uint8_t>(version);
    } else {
      const auto only = static_cast<std::uint8_t>(version);
      rows.emplace_back(field, VersionRange{.first = only, .last = only});
    }
  }

  std::vector<FieldRow> rows() const {
    std::vector<FieldRow> result;
    for (const auto& [name, ranges] : rows_) {
      for (const auto& [field, versions] : ranges) {
        FieldRow row = field->row;
        row.name = name;
        row.versions = versions;
        result.push_back(std::move(row));
      }
    }
    return result;
  }

 private:
  std::map<std::string_view, std::vector<std::pair<const StatedField*, VersionRange>>> rows_;
};

PlacedClass place_class(const StatedClass& cls, Placement& placement) {
  Ranges own;
  for (int version = cls.versions.first; version <= cls.versions.last; ++version) {
    const FieldsByName none;
    const FieldsByName& inherited =
        cls.parent.empty() ? none : placement.placed(cls.section, cls.parent, version);
    for (const auto& [name, field] : placement.placed(cls.section, cls.name, version)) {
      const auto above = inherited.find(name);
      if (above == inherited.end() || above->second != field) {
        own.add(name, field, version);
      }
    }
  }
  return {.stated = &cls, .fields = own.rows()};
}

std::vector<FieldRow> fields_of_others(const StatedSection& section,
                                       const std::vector<StatedClass>& classes,
                                       Placement& placement) {
  Ranges others;
  for (int version = section.versions.first; version <= section.versions.last; ++version) {
    FieldsByName found;
    for (const StatedClass& cls : classes) {
      if (cls.section == section.name && cls.versions.holds(version)) {
        const FieldsByName& own = placement.placed(section.name, cls.name, version);
        found.insert(own.begin(), own.end());
      }
    }
    const FieldsByName& known = placement.placed(section.name, section.class_name, version);
    for (const auto& [name, field] : found) {
      if (!known.contains(name)) {
        others.add(name, field, version);
      }
    }
  }
  std::vector<FieldRow> rows = others.rows();
  for (FieldRow& row : rows) {
    row.stated = FieldRow::Default::of_another_class;
    row.value = {};
  }
  return rows;
}

}  // namespace

Placed place_classes(const std::vector<StatedClass>& classes,
                     const std::vector<StatedSection>& sections,
                     ClassNames& names) {
  Placement placement(classes, names);
  Placed result;
  for (const StatedClass& cls : classes) {
    if (!cls.section.empty()) {
      result.classes.push_back(place_class(cls, placement));
    }
  }
  for (const StatedSection& section : sections) {
    result.others.push_back(fields_of_others(section, classes, placement));
  }
  return result;
}

namespace {

using Problems = std::vector<text::Diagnostic>;

template <class T>
std::string bytes_of(T value) {
  embedded::Writer write;
  write(value);
  return write.bytes();
}

/// The mapping of a table file; nowhere if the file does not parse.
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

/// Records which versions are covered and reports duplicates.
class Once {
 public:
  Once(std::string_view what, Problems& problems) : what_(what), problems_(problems) {}

  void add(std::string_view name, VersionRange versions, const yaml::Node& node) {
    for (int version = versions.first; version <= versions.last; ++version) {
      if (!seen_.insert({std::string(name), version}).second) {
        problems_.push_back(
            {.rule = std::string(kVocabularyRule),
             .mark = node.mark,
             .message = fmt::format("{} `{}` is defined twice for one version", what_, name),
             .help = "give them disjoint `since` and `until`"});
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
                    fmt::format("the flag sets `{}`, which is not a field in {}",
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
    in.problem(root.mark, "the table has no versions", "add `versions: [oldest, …, head]`");
    return {};
  }
  Once attributes("attribute", problems);
  const std::vector<std::string_view> same = words(in, "same");
  const std::string fields = bytes_of(attribute_rows(in, rows, attributes, problems));
  const std::string flags = bytes_of(flag_rows(in, rows, attributes, problems));
  in.finish();
  return bytes_of(FrameworkTable{
      .versions = rows.versions(), .attributes = fields, .flags = flags, .same = same});
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
      problems.push_back(
          {.rule = std::string(kVocabularyRule),
           .mark = {root.mark.file, root.mark.begin, root.mark.begin},
           .message = fmt::format("class `{}` is not described in every version that uses it{}",
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
    in.problem(root.mark, "the table has no versions", "add `versions: [oldest, …, head]`");
    return {};
  }
  const std::vector<StatedClass> classes = stated_classes(in, rows, problems);
  check_classes(classes, root, problems);
  FrameworkTable table{.versions = rows.versions(),
                       .sections = section_rows(in, rows, classes, root, problems),
                       .same = words(in, "same")};
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
