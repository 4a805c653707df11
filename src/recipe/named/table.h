#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

/// Binary layout of the recipe tables: written by table_yaml.h, read by named_recipe.h. Texts are
/// views into the table; lines and sections are shared by all recipes of all releases.
namespace epwise::recipe {

/// The contents of one section of a configuration.
struct NamedSection {
  std::string_view name;    // "model"
  std::string_view scalar;  // "null", "bf16_mixed"; empty for a mapping
  /// A section that this one takes its other lines from: its index plus one; 0: none.
  std::uint16_t like = 0;
  std::vector<std::string_view> without;  // keys of that section that this one lacks
  /// Indices of RecipeTables::lines: "num_layers: 48"; "transformer.num_layers: 48" one level
  /// deeper.
  std::vector<std::uint16_t> lines;
};

/// One recipe function of one release.
struct NamedRecipe {
  std::string_view name;
  std::uint32_t gpus = 0;               // for which its name is; 0: its name does not say
  std::vector<std::uint16_t> sections;  // indices of RecipeTables::sections
};

struct NamedRelease {
  std::string_view version;
  std::vector<NamedRecipe> recipes;  // sorted by name
};

struct RecipeTables {
  std::vector<std::string_view> lines;
  std::vector<NamedSection> sections;
  std::vector<NamedRelease> releases;
};

template <class Archive>
void transfer(Archive& archive, NamedSection& section) {
  archive(section.name, section.scalar, section.like, section.without, section.lines);
}

template <class Archive>
void transfer(Archive& archive, NamedRecipe& recipe) {
  archive(recipe.name, recipe.gpus, recipe.sections);
}

template <class Archive>
void transfer(Archive& archive, NamedRelease& release) {
  archive(release.version, release.recipes);
}

template <class Archive>
void transfer(Archive& archive, RecipeTables& tables) {
  archive(tables.lines, tables.sections, tables.releases);
}

}  // namespace epwise::recipe
