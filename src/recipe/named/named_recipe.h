#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/source_file.h"
#include "recipe/named/table.h"

/// Megatron-Bridge's own recipes, by the name of their function and the release. The tables are
/// data (src/recipe/named/tables/), made by tests/oracle/recipe_table.py.
namespace epwise::recipe {

/// The recipes of all releases that have a table. Cheap to copy; the bytes outlive it.
class RecipeBook {
 public:
  /// The tables embedded by the build; empty in the programs that make tables.
  static const RecipeBook& embedded();

  /// Bytes that `compile_recipes` made.
  explicit RecipeBook(std::string_view bytes);

  /// Releases with a table, oldest first, `head` last.
  std::vector<std::string_view> releases() const;

  /// Sorted; empty if the release has no table.
  std::vector<std::string_view> names(std::string_view release) const;

  /// Null pointer if the release has no such recipe.
  const NamedRecipe* find(std::string_view release, std::string_view name) const;

  /// The recipe as YAML, every value of every section, as Megatron-Bridge's own dump of it.
  std::string text(const NamedRecipe& recipe) const;

  /// The same as a file named "NAME@RELEASE", as the base of overrides; null pointer if the release
  /// has no such recipe.
  std::shared_ptr<const text::SourceFile> file(std::string_view release,
                                               std::string_view name) const;

 private:
  const NamedRelease* table_of(std::string_view release) const;

  /// The lines of a section by key, those that it shares with another included.
  std::map<std::string_view, std::string_view> lines(const NamedSection& section) const;

  RecipeTables tables_;
};

/// A name as users write it: "qwen3_30b_a3b_pretrain_config@0.6.2" → the name and "0.6.2"; the
/// release is empty if the text does not say it. A Python path before the name is dropped.
struct RecipeName {
  std::string name;
  std::string release;
};

RecipeName parse_recipe_name(std::string_view text);

/// Whether a file name is one that RecipeBook::file gives: the text is in no file.
///   is_recipe_file("llama3_8b_pretrain_config@0.6.2") → true
bool is_recipe_file(std::string_view name);

/// Options of Megatron-Bridge's performance harness (scripts/performance) that select a recipe.
struct HarnessSelection {
  std::string model;                 // -mr qwen3_30b_a3b
  std::string task;                  // --task; pretrain unless given
  std::string gpu;                   // -g h100
  std::string precision;             // -c fp8_mx; bf16 unless given
  std::string variant;               // --config_variant; "" unless given
  std::optional<std::int64_t> gpus;  // -ng 16
};

/// The recipe that the harness of a release starts from; null pointer if it has none for the
/// selection. Releases with recipes per number of GPUs take the one for `-ng`, else the default of
/// that hardware and precision; older ones have one per variant, v2 before v1.
///   {qwen3_30b_a3b, pretrain, h100, bf16, "", 16} → qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config
const NamedRecipe* harness_recipe(const RecipeBook& book,
                                  std::string_view release,
                                  const HarnessSelection& selection);

/// What a performance recipe's name selects, in either style of name; nullopt for other names.
///   qwen3_30b_a3b_pretrain_16gpu_h100_fp8mx_config → {qwen3_30b_a3b, pretrain, h100, fp8_mx, "", 16}
std::optional<HarnessSelection> selection_of(std::string_view name);

/// The recipe of that name, or the one that the harness of this release takes for the same
/// selection, since names of performance recipes changed with 0.6.0; null pointer if there is none.
const NamedRecipe* counterpart(const RecipeBook& book,
                               std::string_view release,
                               std::string_view name);

}  // namespace epwise::recipe
