#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "expr/value.h"
#include "recipe/vocabulary/vocabulary.h"

/// Binary layout of the compiled vocabulary: written by vocabulary_yaml.h and read by vocabulary.h.
///
/// A framework's rows are in groups, each a separate byte string, so that a look-up for one version
/// reads only the groups that it needs: one for all attributes of Megatron-LM, one for each class
/// of Megatron-Bridge. Texts are views into the table.
namespace epwise::recipe {

/// Versions by their index in FrameworkTable::versions, both ends included.
struct VersionRange {
  std::uint8_t first = 0;
  std::uint8_t last = 0;

  bool holds(int version) const { return first <= version && version <= last; }

  bool operator==(const VersionRange&) const = default;
};

/// A default or constant.
struct Literal {
  enum class Kind : std::uint8_t { unset, boolean, integer, real, text, list };
  Kind kind = Kind::unset;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text = {};
  std::vector<Literal> items = {};

  expr::Value value() const;
};

struct FieldRow {
  enum class Default : std::uint8_t { known, computed, required, of_another_class };
  std::string_view name = {};       // canonical
  std::string_view attribute = {};  // mlm
  VersionRange versions = {};
  expr::Kind kind = expr::Kind::any;
  bool optional = false;
  bool inverted = false;
  Default stated = Default::known;
  Literal value = {};
  std::vector<std::string_view> choices = {};
  std::vector<std::string_view> aliases = {};  // mlm: further canonical names with the same meaning
};

struct FlagRow {
  VersionRange versions = {};
  std::vector<std::string_view> spellings = {};
  std::string_view attribute = {};
  Flag::Action action = Flag::Action::store;
  Flag::Values values = Flag::Values::one;
  std::int32_t count = 0;
  std::string_view type = {};
  std::vector<std::string_view> choices = {};
  Literal constant = {};
  bool required = false;
};

/// The fields of a section. Also includes the fields of the class `parent`, unless overridden here;
/// empty for none. A class appears once for each range of versions in which its parent is the same.
struct ClassRow {
  std::string_view name = {};
  std::string_view section = {};
  std::string_view parent = {};
  VersionRange versions = {};
  std::string_view fields = {};  // std::vector<FieldRow>, sorted by name
  bool refuses = false;          // other keys stop the launch
};

struct SectionRow {
  std::string_view name = {};
  VersionRange versions = {};
  std::string_view class_name = {};  // without `_target_`; empty: any keys
  bool absent = false;               // null unless the recipe has it
  std::string_view others = {};      // std::vector<FieldRow>: fields that only other classes define
};

struct FrameworkTable {
  std::vector<std::string_view> versions = {};  // oldest first; the last one is "head"
  std::vector<SectionRow> sections = {};        // sorted by name
  std::vector<ClassRow> classes = {};
  std::string_view attributes = {};  // mlm: std::vector<FieldRow>, sorted by name
  std::string_view flags = {};       // mlm: std::vector<FlagRow>, sorted by first spelling
  // releases whose fields, flags and defaults are those of the table that answers for them
  std::vector<std::string_view> same = {};
};

/// The whole table: a FrameworkTable for each framework, as bytes.
struct VocabularyTable {
  std::string_view bridge = {};
  std::string_view mlm = {};
};

template <class Archive>
void transfer(Archive& archive, VersionRange& range) {
  archive(range.first, range.last);
}

template <class Archive>
void transfer(Archive& archive, Literal& literal) {
  archive(literal.kind);
  switch (literal.kind) {
    case Literal::Kind::unset:
      break;
    case Literal::Kind::boolean:
      archive(literal.boolean);
      break;
    case Literal::Kind::integer:
      archive(literal.integer);
      break;
    case Literal::Kind::real:
      archive(literal.real);
      break;
    case Literal::Kind::text:
      archive(literal.text);
      break;
    case Literal::Kind::list:
      archive(literal.items);
      break;
  }
}

template <class Archive>
void transfer(Archive& archive, FieldRow& row) {
  archive(row.name,
          row.attribute,
          row.versions,
          row.kind,
          row.optional,
          row.inverted,
          row.stated,
          row.value,
          row.choices,
          row.aliases);
}

template <class Archive>
void transfer(Archive& archive, FlagRow& row) {
  archive(row.versions,
          row.spellings,
          row.attribute,
          row.action,
          row.values,
          row.count,
          row.type,
          row.choices,
          row.constant,
          row.required);
}

template <class Archive>
void transfer(Archive& archive, ClassRow& row) {
  archive(row.name, row.section, row.parent, row.versions, row.fields, row.refuses);
}

template <class Archive>
void transfer(Archive& archive, SectionRow& row) {
  archive(row.name, row.versions, row.class_name, row.absent, row.others);
}

template <class Archive>
void transfer(Archive& archive, FrameworkTable& table) {
  archive(table.versions, table.sections, table.classes, table.attributes, table.flags, table.same);
}

template <class Archive>
void transfer(Archive& archive, VocabularyTable& table) {
  archive(table.bridge, table.mlm);
}

}  // namespace epwise::recipe
