#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::cli {

/// A value and where the user said it: {"h100", "--hw"}, {"h100", "EPWISE_HW"},
/// {"h100", ".epwise.yaml:3"}.
struct Setting {
  std::string value;
  std::string source;

  bool operator==(const Setting&) const = default;
};

/// What was said on one command line, environment variables included.
class Arguments {
 public:
  /// Whether a flag was given.
  bool flag(std::string_view option) const { return settings_.find(option) != settings_.end(); }

  /// The last value of an option; nullopt when it was not given.
  std::optional<Setting> one(std::string_view option) const;

  /// The last value of an option, or what stands for it when it was not given:
  ///   text_of("--format", "text") → "json"
  std::string text_of(std::string_view option, std::string_view otherwise = {}) const;

  /// All values of an option in order.
  std::vector<Setting> all(std::string_view option) const;

  void add(std::string_view option, Setting setting);

  std::vector<std::string> line;      // the whole command line, as it was given
  std::vector<std::string> operands;  // arguments that are no options
  std::vector<std::string> words;     // behind `--`
  bool has_words = false;             // a `--` was there

 private:
  std::map<std::string, std::vector<Setting>, std::less<>> settings_;
};

}  // namespace epwise::cli
