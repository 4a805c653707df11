// What other versions and other classes know: for messages, so nothing here needs to be fast.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "data/archive.h"
#include "recipe/vocabulary/table.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

namespace {

template <class T>
T read_as(std::string_view bytes) {
  T value;
  data::Reader read(bytes);
  read(value);
  return value;
}

/// Which versions of one framework know a name.
class Known {
 public:
  explicit Known(std::size_t versions) : known_(versions, false) {}

  void add(VersionRange range) {
    for (std::size_t i = range.first; i <= range.last; ++i) {
      known_[i] = true;
    }
  }

  bool in(int version) const { return known_[static_cast<std::size_t>(version)]; }

  /// "since 0.18.2", "from 0.16.1 to 0.17.1 and only in head"; "" when no version does.
  std::string to_text(const std::vector<std::string_view>& versions) const {
    std::string text;
    for (std::size_t first = 0; first < known_.size(); ++first) {
      if (!known_[first]) {
        continue;
      }
      std::size_t last = first;
      while (last + 1 < known_.size() && known_[last + 1]) {
        ++last;
      }
      text += text.empty() ? "" : " and ";
      text += range_text(versions, first, last);
      first = last;
    }
    return text;
  }

 private:
  static std::string range_text(const std::vector<std::string_view>& versions,
                                std::size_t first,
                                std::size_t last) {
    if (first == 0) {
      return fmt::format("until {}", versions[last]);
    }
    if (first == last) {
      return fmt::format("only in {}", versions[first]);
    }
    if (last + 1 == versions.size()) {
      return fmt::format("since {}", versions[first]);
    }
    return fmt::format("from {} to {}", versions[first], versions[last]);
  }

  std::vector<bool> known_;
};

void add_fields(std::string_view group, std::string_view name, Known& known) {
  for (const FieldRow& row : read_as<std::vector<FieldRow>>(group)) {
    if (row.name == name || row.attribute == name ||
        std::find(row.aliases.begin(), row.aliases.end(), name) != row.aliases.end()) {
      known.add(row.versions);
    }
  }
}

bool has_field(const ClassRow& cls, std::string_view name, int version) {
  const auto rows = read_as<std::vector<FieldRow>>(cls.fields);
  return std::any_of(rows.begin(), rows.end(), [&](const FieldRow& row) {
    return row.name == name && row.versions.holds(version);
  });
}

}  // namespace

std::string Vocabulary::history(std::string_view name_or_flag) const {
  const auto table = read_as<FrameworkTable>(table_);
  Known known(table.versions.size());
  for (const SectionRow& section : table.sections) {
    if (section.name == name_or_flag) {
      known.add(section.versions);
    }
  }
  for (const ClassRow& cls : table.classes) {
    add_fields(cls.fields, name_or_flag, known);
    if (cls.name == name_or_flag) {
      known.add(cls.versions);
    }
  }
  if (!table.attributes.empty()) {
    add_fields(table.attributes, name_or_flag, known);
    for (const FlagRow& flag : read_as<std::vector<FlagRow>>(table.flags)) {
      if (std::find(flag.spellings.begin(), flag.spellings.end(), name_or_flag) !=
          flag.spellings.end()) {
        known.add(flag.versions);
      }
    }
  }
  const std::string text = known.in(version_index_) ? "" : known.to_text(table.versions);
  return text.empty() ? text : "known " + text;
}

std::vector<std::string_view> Vocabulary::classes_of(std::string_view section) const {
  std::vector<std::string_view> names;
  for (const ClassRow& cls : read_as<FrameworkTable>(table_).classes) {
    if (cls.section == section && cls.versions.holds(version_index_)) {
      names.push_back(cls.name);
    }
  }
  return names;
}

std::vector<std::string_view> Vocabulary::classes_with(std::string_view canonical) const {
  const auto table = read_as<FrameworkTable>(table_);
  const std::string_view section = canonical.substr(0, canonical.find('.'));
  std::vector<const ClassRow*> classes;
  for (const ClassRow& cls : table.classes) {
    if (cls.section == section && cls.versions.holds(version_index_) &&
        has_field(cls, canonical, version_index_)) {
      classes.push_back(&cls);
    }
  }
  std::vector<std::string_view> names;
  for (const ClassRow* const cls : classes) {
    if (std::none_of(classes.begin(), classes.end(), [&](const ClassRow* other) {
          return other->name == cls->parent;
        })) {
      names.push_back(cls->name.substr(cls->name.rfind('.') + 1));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace epwise::recipe
