#pragma once

#include <span>
#include <string_view>

namespace epwise::embedded {

/// The rule table compiled by the build from rules/ (src/lint/rulec_main.cc).
std::string_view compiled_rules();

/// The vocabulary table compiled by the build from rules/vocabulary/*.yaml.
std::string_view compiled_vocabulary();

/// A file compiled and embedded by the build.
struct EmbeddedFile {
  std::string_view path;  // "h100.yaml"
  std::string_view bytes;
};

template <class Archive>
void transfer(Archive& archive, EmbeddedFile& file) {
  archive(file.path, file.bytes);
}

/// hwprofiles/*.yaml as hw/profile.h packs them, sorted by path.
std::span<const EmbeddedFile> hardware_profiles();

/// recipe/trainers/*.yaml, unchanged, by name without extension.
std::span<const EmbeddedFile> trainer_tables();

/// recipe/trainers/verl_keys.yaml and slime_flags.yaml, unchanged.
std::string_view verl_keys();
std::string_view slime_flags();

/// recipe/models/*.yaml, unchanged, by name without extension.
std::span<const EmbeddedFile> model_tables();

/// commands/support/support.yaml, unchanged.
std::string_view support();

/// commands/diff/knowledge/effects.yaml, unchanged.
std::string_view effects();

/// commands/explore/page/, unchanged: "explore.html", "explore.css", "explore.js".
std::span<const EmbeddedFile> explore_page();

/// data/schemas/*.json, JSON Schemas of our own files and outputs, by name without extension.
std::span<const EmbeddedFile> schemas();

/// hwprofiles/costlaws/*.yaml as perf/cost/table.h packs them (src/perf/cost/lawc_main.cc).
std::string_view compiled_laws();

/// hwprofiles/stepmodel/constants.yaml as perf/sim/constants/constants.h packs it
/// (src/perf/sim/constants/stepc_main.cc).
std::string_view compiled_step_model();

/// recipe/named/tables/*.yaml as packed by recipe/named/table_yaml.h
/// (src/recipe/named/recipec_main.cc).
std::string_view compiled_recipes();

/// advise/knowledge/*.yaml as packed by advise/moves.h (src/advise/advicec_main.cc).
std::string_view compiled_advice();

}  // namespace epwise::embedded
