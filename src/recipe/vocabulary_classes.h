#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/vocabulary_table.h"

/// From classes as rules/vocabulary/bridge.yaml states them (fields by their own name, what a field
/// may hold by class) to classes as a section sees them (fields by their full name, those of held
/// classes below).
namespace epwise::recipe {

struct StatedField {
  FieldRow row;                         // name: the field's own
  std::vector<std::string_view> holds;  // classes whose fields stand below this one
};

struct StatedClass {
  std::string_view name;
  std::string_view section;  // empty: only held by fields
  std::string_view parent;   // empty: none
  VersionRange versions;
  std::vector<StatedField> fields;
};

/// Fields of one class in its section that its parent doesn't have or has otherwise.
struct PlacedClass {
  const StatedClass* stated = nullptr;
  std::vector<FieldRow> fields;  // full names, sorted
};

/// `names` keeps the composed names alive.
std::vector<PlacedClass> place_classes(const std::vector<StatedClass>& classes,
                                       std::set<std::string, std::less<>>& names);

/// Fields that only other classes of the section know than `default_class`, over all `versions`.
std::vector<FieldRow> fields_of_others(const std::vector<StatedClass>& classes,
                                       std::string_view section,
                                       std::string_view default_class,
                                       VersionRange versions,
                                       std::set<std::string, std::less<>>& names);

}  // namespace epwise::recipe
