#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/vocabulary/table.h"

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
  bool refuses = false;  // keys that are no fields end the launch
};

/// Fields of one class in its section that its parent doesn't have or has otherwise.
struct PlacedClass {
  const StatedClass* stated = nullptr;
  std::vector<FieldRow> fields;  // full names, sorted
};

/// A section with the class that it has without `_target_` (may be empty).
struct StatedSection {
  std::string_view name;
  std::string_view class_name;
  VersionRange versions;
};

struct Placed {
  std::vector<PlacedClass> classes;
  std::vector<std::vector<FieldRow>> others;  // by section: what only other classes of it know
};

/// `names` keeps the composed names alive.
Placed place_classes(const std::vector<StatedClass>& classes,
                     const std::vector<StatedSection>& sections,
                     std::set<std::string, std::less<>>& names);

}  // namespace epwise::recipe
