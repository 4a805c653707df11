#include "base/embedded/embedded.h"

#include <array>
#include <vector>

#include "base/embedded/archive.h"

extern "C" {
extern const char epwise_table_rules[];
extern const char epwise_table_rules_end[];
extern const char epwise_table_vocabulary[];
extern const char epwise_table_vocabulary_end[];
extern const char epwise_table_profiles[];
extern const char epwise_table_profiles_end[];
extern const char epwise_table_laws[];
extern const char epwise_table_laws_end[];
extern const char epwise_table_step_model[];
extern const char epwise_table_step_model_end[];
extern const char epwise_table_recipes[];
extern const char epwise_table_recipes_end[];
extern const char epwise_table_advice[];
extern const char epwise_table_advice_end[];
extern const char epwise_trainer_core[];
extern const char epwise_trainer_core_end[];
extern const char epwise_trainer_nemo[];
extern const char epwise_trainer_nemo_end[];
extern const char epwise_trainer_nemo_rl[];
extern const char epwise_trainer_nemo_rl_end[];
extern const char epwise_trainer_roll[];
extern const char epwise_trainer_roll_end[];
extern const char epwise_trainer_slime[];
extern const char epwise_trainer_slime_end[];
extern const char epwise_slime_flags[];
extern const char epwise_slime_flags_end[];
extern const char epwise_verl_keys[];
extern const char epwise_verl_keys_end[];
extern const char epwise_trainer_swift[];
extern const char epwise_trainer_swift_end[];
extern const char epwise_trainer_verl[];
extern const char epwise_trainer_verl_end[];
extern const char epwise_model_config_names[];
extern const char epwise_model_config_names_end[];
extern const char epwise_model_vision_encoders[];
extern const char epwise_model_vision_encoders_end[];
extern const char epwise_model_public_models[];
extern const char epwise_model_public_models_end[];
extern const char epwise_support[];
extern const char epwise_support_end[];
extern const char epwise_effects[];
extern const char epwise_effects_end[];
extern const char epwise_explore_html[];
extern const char epwise_explore_html_end[];
extern const char epwise_explore_css[];
extern const char epwise_explore_css_end[];
extern const char epwise_explore_js[];
extern const char epwise_explore_js_end[];
extern const char epwise_table_schemas[];
extern const char epwise_table_schemas_end[];
}

namespace epwise::embedded {

namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::vector<EmbeddedFile> unpacked(std::string_view table) {
  std::vector<EmbeddedFile> all;
  Reader read(table);
  read(all);
  return all;
}

}  // namespace

std::string_view compiled_rules() {
  return between(epwise_table_rules, epwise_table_rules_end);
}

std::string_view compiled_vocabulary() {
  return between(epwise_table_vocabulary, epwise_table_vocabulary_end);
}

std::span<const EmbeddedFile> hardware_profiles() {
  static const std::vector<EmbeddedFile> files =
      unpacked(between(epwise_table_profiles, epwise_table_profiles_end));
  return files;
}

std::string_view compiled_laws() {
  return between(epwise_table_laws, epwise_table_laws_end);
}

std::string_view compiled_step_model() {
  return between(epwise_table_step_model, epwise_table_step_model_end);
}

std::string_view compiled_recipes() {
  return between(epwise_table_recipes, epwise_table_recipes_end);
}

std::string_view compiled_advice() {
  return between(epwise_table_advice, epwise_table_advice_end);
}

std::string_view verl_keys() {
  return between(epwise_verl_keys, epwise_verl_keys_end);
}

std::string_view slime_flags() {
  return between(epwise_slime_flags, epwise_slime_flags_end);
}

std::span<const EmbeddedFile> trainer_tables() {
  static const std::array<EmbeddedFile, 7> files = {{
      {"core", between(epwise_trainer_core, epwise_trainer_core_end)},
      {"nemo", between(epwise_trainer_nemo, epwise_trainer_nemo_end)},
      {"nemo_rl", between(epwise_trainer_nemo_rl, epwise_trainer_nemo_rl_end)},
      {"roll", between(epwise_trainer_roll, epwise_trainer_roll_end)},
      {"slime", between(epwise_trainer_slime, epwise_trainer_slime_end)},
      {"swift", between(epwise_trainer_swift, epwise_trainer_swift_end)},
      {"verl", between(epwise_trainer_verl, epwise_trainer_verl_end)},
  }};
  return files;
}

std::span<const EmbeddedFile> model_tables() {
  static const std::array<EmbeddedFile, 3> files = {{
      {"config_names", between(epwise_model_config_names, epwise_model_config_names_end)},
      {"public_models", between(epwise_model_public_models, epwise_model_public_models_end)},
      {"vision_encoders", between(epwise_model_vision_encoders, epwise_model_vision_encoders_end)},
  }};
  return files;
}

std::string_view support() {
  return between(epwise_support, epwise_support_end);
}

std::string_view effects() {
  return between(epwise_effects, epwise_effects_end);
}

std::span<const EmbeddedFile> explore_page() {
  static const std::array<EmbeddedFile, 3> files = {{
      {"explore.html", between(epwise_explore_html, epwise_explore_html_end)},
      {"explore.css", between(epwise_explore_css, epwise_explore_css_end)},
      {"explore.js", between(epwise_explore_js, epwise_explore_js_end)},
  }};
  return files;
}

std::span<const EmbeddedFile> schemas() {
  static const std::vector<EmbeddedFile> files =
      unpacked(between(epwise_table_schemas, epwise_table_schemas_end));
  return files;
}

}  // namespace epwise::embedded
