#include "recipe/named/table_yaml.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/embedded/archive.h"
#include "recipe/named/table.h"
#include "yaml/parse.h"

namespace epwise::recipe {

namespace {

constexpr std::size_t kMostNumbers = std::numeric_limits<std::uint16_t>::max();

/// The fields of a section as written, by name.
using Fields = std::map<std::string, std::string, std::less<>>;

/// The text of a value in its file, quotes included.
std::string_view written_text(const yaml::Node& value) {
  return value.mark.nowhere()
             ? std::string_view()
             : value.mark.file->bytes().substr(value.mark.begin, value.mark.end - value.mark.begin);
}

std::optional<std::size_t> index_of(const yaml::Node& value) {
  const bool digits = value.is_scalar() && !value.scalar.empty() && value.scalar.size() <= 6 &&
                      std::all_of(value.scalar.begin(), value.scalar.end(), [](char c) {
                        return c >= '0' && c <= '9';
                      });
  return digits ? std::optional<std::size_t>(std::stoul(value.scalar)) : std::nullopt;
}

class Compiler {
 public:
  explicit Compiler(std::vector<text::Diagnostic>& problems) : problems_(problems) {}

  void add(const text::SourceFile& file) {
    const yaml::Stream stream = yaml::parse(file);
    problems_.insert(problems_.end(), stream.diagnostics.begin(), stream.diagnostics.end());
    if (stream.documents.empty()) {
      return;
    }
    const yaml::Node& root = stream.documents.front().root;
    const yaml::Node* release = root.find("release");
    const yaml::Node* sections = root.find("sections");
    const yaml::Node* recipes = root.find("recipes");
    if (release == nullptr || sections == nullptr || recipes == nullptr) {
      report(root.mark, "a table has the keys release, sections and recipes");
      return;
    }
    std::map<std::string, std::vector<std::uint16_t>, std::less<>> numbers;
    for (const yaml::Entry& section : sections->entries) {
      numbers.emplace(section.key, add_section(section));
    }
    NamedRelease& row = tables_.releases.emplace_back();
    row.version = kept(release->scalar);
    for (const yaml::Entry& recipe : recipes->entries) {
      row.recipes.push_back(recipe_of(recipe, numbers));
    }
    std::sort(row.recipes.begin(), row.recipes.end(), [](const auto& a, const auto& b) {
      return a.name < b.name;
    });
  }

  std::string bytes() {
    if (tables_.lines.size() > kMostNumbers || tables_.sections.size() > kMostNumbers) {
      report({}, "too many different lines or sections for the format of the table");
    }
    embedded::Writer write;
    write(tables_);
    return write.bytes();
  }

 private:
  void report(const text::Mark& mark, std::string message) {
    problems_.push_back({"recipes/invalid", mark, std::move(message)});
  }

  std::string_view kept(std::string text) { return texts_.emplace_back(std::move(text)); }

  /// The indices in the table of all entries of a section.
  std::vector<std::uint16_t> add_section(const yaml::Entry& section) {
    std::vector<std::uint16_t> numbers;
    for (const yaml::Node& item : section.value.items) {
      NamedSection row;
      row.name = section.key;
      if (item.is_mapping() && !item.entries.empty()) {
        take_fields(item, numbers, row);
      } else {
        row.scalar = written_text(item);
      }
      numbers.push_back(number_of(std::move(row)));
    }
    return numbers;
  }

  void take_fields(const yaml::Node& item,
                   const std::vector<std::uint16_t>& earlier,
                   NamedSection& row) {
    if (const yaml::Node* like = item.find("_like")) {
      const std::optional<std::size_t> number = index_of(*like);
      if (!number || *number >= earlier.size()) {
        report(like->mark,
               fmt::format("`_like: {}` does not name an earlier entry of this section",
                           like->scalar));
        return;
      }
      row.like = static_cast<std::uint16_t>(earlier[*number] + 1);
    }
    if (const yaml::Node* without = item.find("_without")) {
      for (const yaml::Node& name : without->items) {
        row.without.push_back(kept(name.scalar));
      }
    }
    Fields fields;
    for (const yaml::Entry& entry : item.entries) {
      if (entry.key != "_like" && entry.key != "_without") {
        fields.insert_or_assign(entry.key, std::string(written_text(entry.value)));
      }
    }
    row.lines = lines_of(fields);
  }

  std::vector<std::uint16_t> lines_of(const Fields& fields) {
    std::vector<std::uint16_t> lines;
    for (const auto& field : fields) {
      std::string line = fmt::format("{}: {}", field.first, field.second);
      const auto found = line_numbers_.find(line);
      if (found != line_numbers_.end()) {
        lines.push_back(found->second);
        continue;
      }
      const auto number = static_cast<std::uint16_t>(tables_.lines.size());
      line_numbers_.emplace(line, number);
      tables_.lines.push_back(kept(std::move(line)));
      lines.push_back(number);
    }
    return lines;
  }

  std::uint16_t number_of(NamedSection row) {
    std::string key = fmt::format("{} {} {}", row.name, row.scalar, row.like);
    for (const std::string_view name : row.without) {
      key += fmt::format(" -{}", name);
    }
    for (const std::uint16_t line : row.lines) {
      key += fmt::format(" {}", line);
    }
    const auto found = section_numbers_.find(key);
    if (found != section_numbers_.end()) {
      return found->second;
    }
    const auto number = static_cast<std::uint16_t>(tables_.sections.size());
    section_numbers_.emplace(std::move(key), number);
    row.name = kept(std::string(row.name));
    row.scalar = kept(std::string(row.scalar));
    tables_.sections.push_back(std::move(row));
    return number;
  }

  NamedRecipe recipe_of(
      const yaml::Entry& recipe,
      const std::map<std::string, std::vector<std::uint16_t>, std::less<>>& numbers) {
    NamedRecipe row;
    row.name = kept(recipe.key);
    for (const yaml::Entry& entry : recipe.value.entries) {
      const std::optional<std::size_t> number = index_of(entry.value);
      if (entry.key == "gpus" && number) {
        row.gpus = static_cast<std::uint32_t>(*number);
        continue;
      }
      const auto section = numbers.find(entry.key);
      if (!number || section == numbers.end() || *number >= section->second.size()) {
        report(entry.key_mark, fmt::format("there is no such entry of section `{}`", entry.key));
        continue;
      }
      row.sections.push_back(section->second[*number]);
    }
    return row;
  }

  std::vector<text::Diagnostic>& problems_;
  RecipeTables tables_;
  std::deque<std::string> texts_;  // what the table's views point into
  std::map<std::string, std::uint16_t, std::less<>> line_numbers_;
  std::map<std::string, std::uint16_t, std::less<>> section_numbers_;
};

}  // namespace

std::string compile_recipes(const std::deque<text::SourceFile>& files,
                            std::vector<text::Diagnostic>& problems) {
  Compiler compiler(problems);
  for (const text::SourceFile& file : files) {
    compiler.add(file);
  }
  return compiler.bytes();
}

}  // namespace epwise::recipe
