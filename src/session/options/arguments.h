#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::session {

/// What the shell offers for completion.
enum class Completion : std::uint8_t { nothing, words, files, directories, profiles, rules };

/// One option of one command. The only description of it: the parser, the help texts, the
/// environment variables and the shell completions are generated from it.
struct Option {
  enum class Arity : std::uint8_t { flag, one, many };  // many: may be repeated

  std::string_view name;             // "--gpus"
  std::string_view short_name = {};  // "-j"; may be empty
  Arity arity = Arity::flag;
  std::string_view value = {};     // name of the value in help: "N"; empty for a flag
  std::string_view summary = {};   // one line without a full stop
  std::string_view variable = {};  // "EPWISE_GPUS": read if the option is not given; empty: none
  char separator = ',';            // separates the values of a `many` option in its variable
  std::vector<std::string_view> words = {};  // the only allowed values; empty: any
  Completion completion = Completion::nothing;
  /// For an option with an optional value: the value if given alone. Its value then only follows
  /// `=`, never as the next word.
  std::string_view implied = {};
  bool brief = false;  // also shown by -h
  /// Whether the value names a file that the command writes: not at all, as a whole, or after the
  /// first `=` ("json=report.json").
  enum class Writes : std::uint8_t { nothing, value, after_equals } writes = Writes::nothing;
};

/// A value and its source: {"h100", "--hw"}, {"h100", "EPWISE_HW"}, {"h100", ".epwise.yaml:3"}.
struct Setting {
  std::string value;
  std::string source;

  bool operator==(const Setting&) const = default;
};

/// The arguments of one command line, including environment variables.
class Arguments {
 public:
  /// Whether a flag was given.
  bool flag(std::string_view option) const { return settings_.find(option) != settings_.end(); }

  /// The last value of an option; nullopt when it was not given.
  std::optional<Setting> one(std::string_view option) const;

  /// The last value of an option, or a default if it was not given:
  ///   text_of("--format", "text") → "json"
  std::string text_of(std::string_view option, std::string_view otherwise = {}) const;

  /// All values of an option in order.
  std::vector<Setting> all(std::string_view option) const;

  void add(std::string_view option, Setting setting);

  std::vector<std::string> line;      // the whole command line, as it was given
  std::vector<std::string> operands;  // arguments that are not options
  std::vector<std::string> words;     // after `--`
  bool has_words = false;             // a `--` was there

 private:
  std::map<std::string, std::vector<Setting>, std::less<>> settings_;
};

}  // namespace epwise::session
