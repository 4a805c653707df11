#pragma once

#include <string_view>
#include <vector>

#include "recipe/vocabulary/table.h"
#include "text/diagnostic.h"
#include "yaml/node.h"
#include "yaml/reader.h"

/// Single rows of rules/vocabulary/*.yaml → rows of the compiled table. Texts are views into the
/// tree, which outlives the rows; problems are reported and the row filled as far as it goes.
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

  /// `since` and `until` of a row; without them `around`. A range that reaches further is a
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

/// A scalar as text; empty when it is absent or, after a report, no scalar.
std::string_view word(yaml::MapReader& in, std::string_view key);
std::string_view required_word(yaml::MapReader& in, std::string_view key);
std::vector<std::string_view> words(yaml::MapReader& in, std::string_view key);

}  // namespace epwise::recipe
