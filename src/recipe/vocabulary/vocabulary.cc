#include "recipe/vocabulary/vocabulary.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "base/embedded/archive.h"
#include "base/text/ascii.h"
#include "base/units/version.h"
#include "recipe/vocabulary/table.h"

namespace epwise::recipe {

namespace {

std::string_view of_framework(std::string_view table, Framework framework) {
  const auto both = embedded::read_as<VocabularyTable>(table);
  return framework == Framework::bridge ? both.bridge : both.mlm;
}

/// The rows of a group that apply to one version, sorted by name.
std::vector<FieldRow> rows_of(std::string_view group, int version) {
  auto rows = embedded::read_as<std::vector<FieldRow>>(group);
  std::erase_if(rows, [version](const FieldRow& row) { return !row.versions.holds(version); });
  return rows;
}

/// Both sorted by name; if both have a name, `over` wins.
std::vector<FieldRow> merged(std::vector<FieldRow> under, std::vector<FieldRow> over) {
  std::vector<FieldRow> result;
  result.reserve(under.size() + over.size());
  auto low = under.begin();
  for (FieldRow& row : over) {
    while (low != under.end() && low->name < row.name) {
      result.push_back(std::move(*low++));
    }
    if (low != under.end() && low->name == row.name) {
      ++low;
    }
    result.push_back(std::move(row));
  }
  std::move(low, under.end(), std::back_inserter(result));
  return result;
}

const ClassRow* find_class(const FrameworkTable& table,
                           std::string_view section,
                           std::string_view name,
                           int version) {
  const auto found =
      std::find_if(table.classes.begin(), table.classes.end(), [&](const ClassRow& each) {
        return each.versions.holds(version) && each.section == section && each.name == name;
      });
  return found == table.classes.end() ? nullptr : &*found;
}

/// Recipes of older releases name classes at their old location. Only for the framework's own: a
/// user's class of the same name has other defaults.
const ClassRow* find_moved_class(const FrameworkTable& table,
                                 std::string_view section,
                                 std::string_view target,
                                 int version) {
  const ClassRow* result = nullptr;
  if (!target.starts_with("megatron.bridge.")) {
    return nullptr;
  }
  for (const ClassRow& each : table.classes) {
    if (each.versions.holds(version) && each.section == section &&
        each.name.starts_with("megatron.bridge.") && last_part(each.name) == last_part(target)) {
      if (result != nullptr) {
        return nullptr;
      }
      result = &each;
    }
  }
  return result;
}

std::vector<FieldRow> fields_of_class(const FrameworkTable& table,
                                      const ClassRow* cls,
                                      int version) {
  std::vector<FieldRow> rows;
  while (cls != nullptr) {
    rows = merged(rows_of(cls->fields, version), std::move(rows));
    cls = find_class(table, cls->section, cls->parent, version);
  }
  return rows;
}

expr::Value default_of(const FieldRow& row) {
  switch (row.stated) {
    case FieldRow::Default::known:
      return row.value.value();
    case FieldRow::Default::computed:
      return expr::Value::unknown({std::string(row.name)});
    case FieldRow::Default::of_another_class:
      return expr::Value::unknown(
          {std::string(row.name.substr(0, row.name.find('.'))) + "._target_"});
    case FieldRow::Default::required:
      break;
  }
  return expr::Value::unset();
}

FieldSpec spec_of(FieldRow& row, Framework framework) {
  return {.name = row.name,
          .type = {.kind = row.kind, .optional = row.optional},
          .default_value = default_of(row),
          .has_default = row.stated != FieldRow::Default::required,
          .choices = std::move(row.choices),
          .attribute = framework == Framework::bridge ? row.name : row.attribute,
          .inverted = row.inverted};
}

/// "0.18" of "0.18.2rc1".
std::string_view series(std::string_view version) {
  const auto first = version.find('.');
  return version.substr(0, version.find_first_not_of("0123456789", first + 1));
}

struct Choice {
  int index = 0;
  bool exact = false;
};

Choice choose(const std::vector<std::string_view>& versions, std::string_view text) {
  const int newest = static_cast<int>(versions.size()) - 1;
  const auto wanted = units::Version::parse(text);
  if (!wanted) {
    return {.index = newest, .exact = false};
  }
  if (wanted->is_head()) {
    return {.index = newest, .exact = true};
  }
  int older = -1;
  int relative = -1;  // of the same series: the newest that is not newer, else the oldest
  for (int i = 0; i < newest; ++i) {
    const auto known = units::Version::parse(versions[static_cast<std::size_t>(i)]);
    assert(known && "the table has versions");
    if (*known == *wanted) {
      return {.index = i, .exact = true};
    }
    const bool before = *known < *wanted;
    if (series(known->text()) == series(text) && (relative < 0 || before)) {
      relative = i;
    }
    if (before) {
      older = i;
    }
  }
  if (relative >= 0) {
    return {.index = relative, .exact = false};
  }
  return {.index = older + 1 == newest ? newest : std::max(older, 0), .exact = false};
}

template <class Entry>
int position(const std::vector<std::pair<std::string_view, Entry>>& index, std::string_view key) {
  const auto found = std::lower_bound(
      index.begin(), index.end(), key, [](const auto& each, std::string_view text) {
        return each.first < text;
      });
  return found == index.end() || found->first != key ? -1 : found->second;
}

}  // namespace

expr::Value Literal::value() const {
  switch (kind) {
    case Kind::unset:
      break;
    case Kind::boolean:
      return expr::Value::of(boolean);
    case Kind::integer:
      return expr::Value::of(integer);
    case Kind::real:
      return expr::Value::of(real);
    case Kind::text:
      return expr::Value::of(text);
    case Kind::list: {
      expr::Value::List list;
      for (const Literal& item : items) {
        list.push_back(item.value());
      }
      return expr::Value::of(std::move(list));
    }
  }
  return expr::Value::unset();
}

struct Vocabulary::Copies {
  std::mutex mutex;
  std::map<Classes, std::shared_ptr<const NarrowedVocabulary>> known;
};

Vocabulary Vocabulary::load(Framework framework, std::string_view version, std::string_view table) {
  Vocabulary result;
  result.copies_ = std::make_shared<Copies>();
  result.framework_ = framework;
  result.table_ = of_framework(table, framework);
  const auto rows = embedded::read_as<FrameworkTable>(result.table_);
  const Choice choice = choose(rows.versions, version);
  result.version_index_ = choice.index;
  result.version_ = rows.versions[static_cast<std::size_t>(choice.index)];
  result.exact_ = choice.exact;
  result.of_release_ = choice.exact || !units::Version::parse(version) ||
                       std::ranges::find(rows.same, version) != rows.same.end();
  if (framework == Framework::bridge) {
    result.load_sections(rows);
  } else {
    result.load_arguments(rows);
  }
  result.index_names();
  return result;
}

std::vector<std::string_view> Vocabulary::versions(Framework framework, std::string_view table) {
  std::vector<std::string_view> versions;  // the first member of a FrameworkTable
  embedded::Reader reader(of_framework(table, framework));
  reader(versions);
  return versions;
}

void Vocabulary::load_sections(const FrameworkTable& table) {
  for (const SectionRow& section : table.sections) {
    if (!section.versions.holds(version_index_)) {
      continue;
    }
    sections_.push_back(section.name);
    fields_.push_back({.name = section.name,
                       .type = {.kind = expr::Kind::any, .optional = section.absent},
                       .default_value = expr::Value::unset(),
                       .has_default = section.absent,
                       .choices = {},
                       .attribute = section.name});
    if (section.class_name.empty()) {
      free_sections_.push_back(section.name);
      continue;
    }
    const ClassRow* const cls = find_class(table, section.name, section.class_name, version_index_);
    auto rows = merged(fields_of_class(table, cls, version_index_),
                       rows_of(section.others, version_index_));
    for (FieldRow& row : rows) {
      fields_.push_back(spec_of(row, framework_));
    }
  }
  assert(std::is_sorted(fields_.begin(), fields_.end(), [](const auto& a, const auto& b) {
    return a.name < b.name;
  }));
}

void Vocabulary::load_arguments(const FrameworkTable& table) {
  for (FieldRow& row : rows_of(table.attributes, version_index_)) {
    const int place = static_cast<int>(fields_.size());
    attributes_.emplace_back(row.attribute, place);
    for (const std::string_view alias : row.aliases) {
      aliases_.emplace_back(alias, place);
    }
    fields_.push_back(spec_of(row, framework_));
  }
  for (FlagRow& row : embedded::read_as<std::vector<FlagRow>>(table.flags)) {
    if (!row.versions.holds(version_index_)) {
      continue;
    }
    for (const std::string_view spelling : row.spellings) {
      spellings_.emplace_back(spelling, static_cast<int>(flags_.size()));
    }
    flags_.push_back({.spellings = std::move(row.spellings),
                      .attribute = row.attribute,
                      .action = row.action,
                      .values = row.values,
                      .count = row.count,
                      .type = row.type,
                      .choices = std::move(row.choices),
                      .constant = row.constant.value(),
                      .required = row.required});
  }
  std::sort(attributes_.begin(), attributes_.end());
  std::sort(aliases_.begin(), aliases_.end());
  std::sort(spellings_.begin(), spellings_.end());
}

bool Vocabulary::use_class(std::string_view section, std::string_view target) {
  const auto table = embedded::read_as<FrameworkTable>(table_);
  const ClassRow* cls = find_class(table, section, target, version_index_);
  if (cls == nullptr) {
    cls = find_moved_class(table, section, target, version_index_);
  }
  if (cls == nullptr) {
    return false;
  }
  const std::string prefix = std::string(section) + ".";
  const auto first = std::find_if(fields_.begin(), fields_.end(), [&](const FieldSpec& each) {
    return each.name.starts_with(prefix);
  });
  const auto last = std::find_if_not(
      first, fields_.end(), [&](const FieldSpec& each) { return each.name.starts_with(prefix); });
  std::vector<FieldSpec> fields;
  std::move(fields_.begin(), first, std::back_inserter(fields));
  for (FieldRow& row : fields_of_class(table, cls, version_index_)) {
    fields.push_back(spec_of(row, framework_));
  }
  std::move(last, fields_.end(), std::back_inserter(fields));
  fields_ = std::move(fields);
  by_name_ = nullptr;
  copies_ = nullptr;
  if (cls->refuses) {
    strict_sections_.emplace_back(section);
  }
  return true;
}

std::shared_ptr<const NarrowedVocabulary> Vocabulary::narrowed(const Classes& classes) const {
  constexpr std::size_t kMostCopies = 64;
  if (copies_ != nullptr) {
    const std::lock_guard<std::mutex> lock(copies_->mutex);
    if (const auto found = copies_->known.find(classes); found != copies_->known.end()) {
      return found->second;
    }
  }
  // Created outside the lock: two threads may both create one, and the first to finish wins.
  auto fresh = std::make_shared<NarrowedVocabulary>();
  fresh->vocabulary = *this;
  fresh->vocabulary.copies_ = nullptr;
  for (const auto& [section, target] : classes) {
    if (!fresh->vocabulary.use_class(section, target)) {
      fresh->unknown.push_back(section);
    }
  }
  fresh->vocabulary.index_names();
  if (copies_ == nullptr) {
    return fresh;
  }
  const std::lock_guard<std::mutex> lock(copies_->mutex);
  if (copies_->known.size() >= kMostCopies) {
    copies_->known.clear();
  }
  return copies_->known.try_emplace(classes, std::move(fresh)).first->second;
}

expr::Value Vocabulary::default_of(std::string_view canonical) const {
  const FieldSpec* spec = find(canonical);
  return spec != nullptr && spec->has_default ? spec->default_value : expr::Value::unset();
}

/// Rules ask for thousands of names: a hash table needs a third of the instructions of a search.
void Vocabulary::index_names() {
  std::unordered_map<std::string_view, int> index;
  index.reserve(fields_.size() + aliases_.size());
  for (std::size_t place = 0; place < fields_.size(); ++place) {
    index.emplace(fields_[place].name, static_cast<int>(place));
  }
  for (const auto& [alias, place] : aliases_) {
    index.emplace(alias, place);
  }
  by_name_ = std::make_shared<const std::unordered_map<std::string_view, int>>(std::move(index));
}

const FieldSpec* Vocabulary::find(std::string_view canonical) const {
  if (by_name_ != nullptr) {
    const auto found = by_name_->find(canonical);
    return found == by_name_->end() ? nullptr : &fields_[static_cast<std::size_t>(found->second)];
  }
  const auto found = std::lower_bound(
      fields_.begin(), fields_.end(), canonical, [](const FieldSpec& each, std::string_view name) {
        return each.name < name;
      });
  if (found != fields_.end() && found->name == canonical) {
    return &*found;
  }
  const int alias = position(aliases_, canonical);
  return alias < 0 ? nullptr : &fields_[static_cast<std::size_t>(alias)];
}

const FieldSpec* Vocabulary::find_attribute(std::string_view attribute) const {
  const int place = position(attributes_, attribute);
  return place < 0 ? nullptr : &fields_[static_cast<std::size_t>(place)];
}

bool Vocabulary::knows(std::string_view path) const {
  if (find(path) != nullptr || has_section(path)) {
    return true;
  }
  const auto dot = path.rfind('.');
  if (dot == std::string_view::npos) {
    return path.starts_with('_');
  }
  const std::string_view parent = path.substr(0, dot);
  if (path.substr(dot + 1).starts_with('_')) {
    return knows(parent);
  }
  if (has_section(parent)) {
    return text::is_one_of(parent, free_sections_);
  }
  const FieldSpec* const field = find(parent);
  if (field == nullptr) {
    return parent.find('.') != std::string_view::npos && knows(parent);
  }
  // A field with nested fields has a known class and is not a free-form mapping.
  const FieldSpec* const next = field + 1;
  const bool has_children = next != fields_.data() + fields_.size() &&
                            next->name.size() > parent.size() && next->name.starts_with(parent) &&
                            next->name[parent.size()] == '.';
  return field->type.kind == expr::Kind::any && !has_children;
}

std::vector<std::string_view> Vocabulary::names() const {
  std::vector<std::string_view> result;
  result.reserve(fields_.size());
  for (const FieldSpec& field : fields_) {
    result.push_back(field.name);
  }
  return result;
}

bool Vocabulary::has_section(std::string_view section) const {
  return std::binary_search(sections_.begin(), sections_.end(), section);
}

bool Vocabulary::refuses_keys(std::string_view section) const {
  return std::find(strict_sections_.begin(), strict_sections_.end(), section) !=
         strict_sections_.end();
}

const Flag* Vocabulary::flag(std::string_view spelling) const {
  const int place = position(spellings_, spelling);
  return place < 0 ? nullptr : &flags_[static_cast<std::size_t>(place)];
}

std::vector<std::string_view> Vocabulary::spellings_starting(std::string_view prefix) const {
  std::vector<std::string_view> result;
  for (auto each =
           std::lower_bound(spellings_.begin(), spellings_.end(), std::make_pair(prefix, 0));
       each != spellings_.end() && each->first.starts_with(prefix);
       ++each) {
    result.push_back(each->first);
  }
  return result;
}

}  // namespace epwise::recipe
