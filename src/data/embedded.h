#pragma once

#include <span>
#include <string_view>

namespace epwise::data {

/// The rule table that the build compiled from rules/ (src/lint/rulec_main.cc).
std::string_view compiled_rules();

/// The vocabulary table that the build compiled from rules/vocabulary/*.yaml.
std::string_view compiled_vocabulary();

/// A file that the build compiled and embedded.
struct EmbeddedFile {
  std::string_view path;  // "h100.yaml"
  std::string_view bytes;
};

template <class Archive>
void transfer(Archive& archive, EmbeddedFile& file) {
  archive(file.path, file.bytes);
}

/// hwprofiles/*.yaml as hw/profile_archive.h packs them, sorted by path.
std::span<const EmbeddedFile> hardware_profiles();

/// recipe/trainers/*.yaml, as they stand, by name without ending.
std::span<const EmbeddedFile> trainer_tables();

/// review/knowledge/effects.yaml, as it stands.
std::string_view effects();

/// data/schemas/*.json, JSON Schemas of our own files and outputs, by name without ending.
std::span<const EmbeddedFile> schemas();

/// hwprofiles/costlaws/*.yaml as cost/table_entry.h packs them (src/cost/lawc_main.cc).
std::string_view compiled_laws();

/// hwprofiles/stepmodel/constants.yaml as sim/constants/constants.h packs it
/// (src/sim/constants/stepc_main.cc).
std::string_view compiled_step_model();

/// advise/knowledge/*.yaml as advise/moves.h packs them (src/advise/advicec_main.cc).
std::string_view compiled_advice();

}  // namespace epwise::data
