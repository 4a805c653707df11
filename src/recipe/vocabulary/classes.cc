#include "recipe/vocabulary/classes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace epwise::recipe {

namespace {

using Names = std::set<std::string, std::less<>>;
using FieldsByName = std::map<std::string_view, const StatedField*>;

/// Classes do not nest deeper than this in any known version
/// (comm_overlap.tp_comm_overlap_cfg.x.y).
constexpr int kMostNesting = 4;

class Placement {
 public:
  Placement(const std::vector<StatedClass>& classes, Names& names)
      : classes_(classes),
        names_(names) {}

  /// Everything that a section of this class knows in one version, by full name.
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

  /// By own name; what the class says counts before what its parents say.
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
  Names& names_;
  std::map<std::pair<std::string, int>, FieldsByName> placed_;
};

/// Collects what holds version by version into rows that hold for ranges. Versions come in order.
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
                     Names& names) {
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

}  // namespace epwise::recipe
