// What the compilers of tables link in place of the tables, which are empty then: a program brings
// a module's whole batch of sources along. Weak, so that a compiler can hand one out that it has
// just made.

#include "base/embedded/embedded.h"

namespace epwise::embedded {

[[gnu::weak]] std::string_view compiled_rules() {
  return {};
}

[[gnu::weak]] std::string_view compiled_vocabulary() {
  return {};
}

[[gnu::weak]] std::span<const EmbeddedFile> hardware_profiles() {
  return {};
}

[[gnu::weak]] std::string_view verl_keys() {
  return {};
}

[[gnu::weak]] std::string_view slime_flags() {
  return {};
}

[[gnu::weak]] std::span<const EmbeddedFile> trainer_tables() {
  return {};
}

[[gnu::weak]] std::span<const EmbeddedFile> model_tables() {
  return {};
}

[[gnu::weak]] std::string_view support() {
  return {};
}

[[gnu::weak]] std::string_view effects() {
  return {};
}

[[gnu::weak]] std::span<const EmbeddedFile> explore_page() {
  return {};
}

[[gnu::weak]] std::span<const EmbeddedFile> schemas() {
  return {};
}

[[gnu::weak]] std::string_view compiled_laws() {
  return {};
}

[[gnu::weak]] std::string_view compiled_step_model() {
  return {};
}

[[gnu::weak]] std::string_view compiled_recipes() {
  return {};
}

[[gnu::weak]] std::string_view compiled_advice() {
  return {};
}

}  // namespace epwise::embedded
