#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "yaml/node.h"

namespace epwise::yaml {

/// Reads our own YAML files (rules, profiles, tables, .epwise.yaml) key by key and collects all
/// problems instead of stopping at the first; `finish()` reports keys that were not read, with
/// suggestions.
///
///   MapReader in(node, "rule", problems);
///   auto code = in.required_text("code");
///   auto since = in.text("since");
///   in.finish();          // "unknown key `sevirity` in rule, did you mean `severity`?"
///
/// Diagnostics carry the rule id given at construction ("config/invalid" by default).
class MapReader {
 public:
  MapReader(const Node& node,
            std::string what,
            std::vector<text::Diagnostic>& problems,
            std::string rule = "config/invalid");

  const Node* node(std::string_view key);  // any value; null pointer if absent
  const Node* required(std::string_view key);
  const Node* mapping(std::string_view key);  // reports an error for any other value
  const Node* sequence(std::string_view key);
  std::optional<std::string> text(std::string_view key);
  std::string required_text(std::string_view key);  // "" after reporting
  std::optional<double> number(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  /// A sequence of scalars, or one scalar as a list of one.
  std::vector<std::string> texts(std::string_view key);

  void problem(const text::Mark& mark, std::string message, std::string help = {});
  void finish();

 private:
  const Node& node_;
  std::string what_;
  std::vector<text::Diagnostic>& problems_;
  std::string rule_;
  std::vector<std::string> asked_;
};

/// Calls `take` for every item of the sequence `key`, the only key of a file's mapping, and collects
/// the problems of the file; `what` names the mapping in messages.
///   read_rows(file, "models", "models", problems, [&](const Node& row) { … });
void read_rows(const text::SourceFile& file,
               std::string_view what,
               std::string_view key,
               std::vector<text::Diagnostic>& problems,
               const std::function<void(const Node& row)>& take);

}  // namespace epwise::yaml
