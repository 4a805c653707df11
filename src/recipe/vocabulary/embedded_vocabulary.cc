#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/embedded/archive.h"
#include "base/embedded/embedded.h"
#include "recipe/vocabulary/table.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

// What other versions and classes define: for messages, so only `history`, which a recipe with many
// unknown keys calls for each of them, needs to be fast.

namespace {

/// Which versions of one framework have a name.
class Known {
 public:
  explicit Known(std::size_t versions) : known_(versions, false) {}

  void add(VersionRange range) {
    for (std::size_t i = range.first; i <= range.last; ++i) {
      known_[i] = true;
    }
  }

  bool in(int version) const { return known_[static_cast<std::size_t>(version)]; }

  /// "since 0.18.2", "from 0.16.1 to 0.17.1 and only in head"; "" if none does.
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

/// All names of some version of one framework. The texts are in the table.
class NamesBefore {
 public:
  explicit NamesBefore(std::string_view bytes) {
    const auto table = embedded::read_as<FrameworkTable>(bytes);
    versions_ = table.versions;
    for (const SectionRow& section : table.sections) {
      add(section.name, section.versions);
    }
    classes_ = table.classes;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      for (const FieldRow& row : add_fields(classes_[i].fields)) {
        owners_[row.name].push_back({i, row.versions});
      }
      add(classes_[i].name, classes_[i].versions);
    }
    if (!table.attributes.empty()) {
      add_fields(table.attributes);
      for (const FlagRow& flag : embedded::read_as<std::vector<FlagRow>>(table.flags)) {
        for (const std::string_view spelling : flag.spellings) {
          add(spelling, flag.versions);
        }
      }
    }
  }

  /// "since 0.18.2"; empty if this version has the name, or none does.
  std::string history(std::string_view name, int version) const {
    const auto found = known_.find(name);
    return found == known_.end() || found->second.in(version) ? std::string()
                                                              : found->second.to_text(versions_);
  }

  /// The classes of a section with a field of this name at a version, in the order of the table.
  std::vector<const ClassRow*> classes_with(std::string_view field,
                                            std::string_view section,
                                            int version) const {
    std::vector<const ClassRow*> classes;
    const auto found = owners_.find(field);
    if (found == owners_.end()) {
      return classes;
    }
    for (const Owner& owner : found->second) {
      const ClassRow& cls = classes_[owner.cls];
      if (cls.section == section && cls.versions.holds(version) && owner.versions.holds(version)) {
        classes.push_back(&cls);
      }
    }
    return classes;
  }

 private:
  void add(std::string_view name, VersionRange versions) {
    known_.try_emplace(name, versions_.size()).first->second.add(versions);
  }

  std::vector<FieldRow> add_fields(std::string_view group) {
    auto rows = embedded::read_as<std::vector<FieldRow>>(group);
    for (const FieldRow& row : rows) {
      add(row.name, row.versions);
      add(row.attribute, row.versions);
      for (const std::string_view alias : row.aliases) {
        add(alias, row.versions);
      }
    }
    return rows;
  }

  /// A class that has a field, in some versions.
  struct Owner {
    std::size_t cls = 0;
    VersionRange versions;
  };

  std::vector<ClassRow> classes_;
  std::unordered_map<std::string_view, std::vector<Owner>> owners_;  // by field
  std::vector<std::string_view> versions_;
  std::unordered_map<std::string_view, Known> known_;
};

/// Cached for the embedded tables; a test's table may be destroyed.
std::shared_ptr<const NamesBefore> names_in(std::string_view table) {
  static std::mutex mutex;
  static std::map<const char*, std::shared_ptr<const NamesBefore>> kept;
  const std::string_view embedded = embedded::compiled_vocabulary();
  const std::less_equal<> not_behind;
  if (!not_behind(embedded.data(), table.data()) ||
      !not_behind(table.data() + table.size(), embedded.data() + embedded.size())) {
    return std::make_shared<const NamesBefore>(table);
  }
  const std::lock_guard lock(mutex);
  std::shared_ptr<const NamesBefore>& names = kept[table.data()];
  if (!names) {
    names = std::make_shared<const NamesBefore>(table);
  }
  return names;
}

}  // namespace

std::string Vocabulary::history(std::string_view name_or_flag) const {
  const std::string text = names_in(table_)->history(name_or_flag, version_index_);
  return text.empty() ? text : "known " + text;
}

std::vector<std::string_view> Vocabulary::classes_of(std::string_view section) const {
  std::vector<std::string_view> names;
  for (const ClassRow& cls : embedded::read_as<FrameworkTable>(table_).classes) {
    if (cls.section == section && cls.versions.holds(version_index_)) {
      names.push_back(cls.name);
    }
  }
  return names;
}

std::vector<std::string_view> Vocabulary::classes_with(std::string_view canonical) const {
  const std::shared_ptr<const NamesBefore> table = names_in(table_);
  const std::vector<const ClassRow*> classes =
      table->classes_with(canonical, canonical.substr(0, canonical.find('.')), version_index_);
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

// Separate from vocabulary.cc, so that the rule compiler, which creates the embedded table, links
// without it.

Vocabulary Vocabulary::load(Framework framework, std::string_view version) {
  return load(framework, version, embedded::compiled_vocabulary());
}

std::vector<std::string_view> Vocabulary::versions(Framework framework) {
  // Reading a table takes millions of instructions, and each lint run needs it several times.
  static const std::array<std::vector<std::string_view>, 2> all = {
      versions(Framework::bridge, embedded::compiled_vocabulary()),
      versions(Framework::mlm, embedded::compiled_vocabulary())};
  return all[framework == Framework::bridge ? 0 : 1];
}

}  // namespace epwise::recipe
