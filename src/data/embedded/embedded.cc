#include "data/embedded.h"

#include <array>
#include <vector>

#include "data/archive.h"

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
extern const char epwise_table_advice[];
extern const char epwise_table_advice_end[];
extern const char epwise_schema_baseline[];
extern const char epwise_schema_baseline_end[];
extern const char epwise_schema_config[];
extern const char epwise_schema_config_end[];
extern const char epwise_schema_lint[];
extern const char epwise_schema_lint_end[];
extern const char epwise_schema_profile[];
extern const char epwise_schema_profile_end[];
extern const char epwise_schema_receipt[];
extern const char epwise_schema_receipt_end[];
extern const char epwise_schema_rule[];
extern const char epwise_schema_rule_end[];
}

namespace epwise::data {

namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view compiled_rules() {
  return between(epwise_table_rules, epwise_table_rules_end);
}

std::string_view compiled_vocabulary() {
  return between(epwise_table_vocabulary, epwise_table_vocabulary_end);
}

std::span<const EmbeddedFile> hardware_profiles() {
  static const std::vector<EmbeddedFile> files = [] {
    std::vector<EmbeddedFile> all;
    Reader read(between(epwise_table_profiles, epwise_table_profiles_end));
    read(all);
    return all;
  }();
  return files;
}

std::string_view compiled_laws() {
  return between(epwise_table_laws, epwise_table_laws_end);
}

std::string_view compiled_step_model() {
  return between(epwise_table_step_model, epwise_table_step_model_end);
}

std::string_view compiled_advice() {
  return between(epwise_table_advice, epwise_table_advice_end);
}

std::span<const EmbeddedFile> schemas() {
  static const std::array<EmbeddedFile, 6> files = {{
      {"baseline", between(epwise_schema_baseline, epwise_schema_baseline_end)},
      {"config", between(epwise_schema_config, epwise_schema_config_end)},
      {"lint", between(epwise_schema_lint, epwise_schema_lint_end)},
      {"profile", between(epwise_schema_profile, epwise_schema_profile_end)},
      {"receipt", between(epwise_schema_receipt, epwise_schema_receipt_end)},
      {"rule", between(epwise_schema_rule, epwise_schema_rule_end)},
  }};
  return files;
}

}  // namespace epwise::data
