#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipe/shell/arithmetic.h"
#include "recipe/shell/field.h"
#include "recipe/shell/syntax.h"
#include "recipe/shell/variables.h"

namespace epwise::shell {

/// The value of a name.
struct Looked {
  enum class State : std::uint8_t {
    set,
    unset,    // set by the script or the caller
    unbound,  // not set anywhere
    unknown,  // set by the machine or scheduler
  };
  State state = State::unbound;
  bool list = false;
  std::vector<Field> fields = {};
  bool sparse = false;  // as of Variable
};

/// Expands words into fields, with the current variables.
///   ${TP:-4} → "4"; "${ARGS[@]}" → one field per element; $FLAGS → split at blanks
///
/// Each piece of a field is marked with its source: the element of the list, the literal in the
/// assignment, or the `$X` that expands to a single value.
class Expansion {
 public:
  /// A file that the script reads; null pointer: unknown.
  using Opener = std::function<std::shared_ptr<const text::SourceFile>(const Field& path)>;

  Expansion(Variables& variables,
            const std::vector<Field>& arguments,
            bool more_arguments,
            const Surroundings& surroundings,
            Opener open)
      : variables_(variables),
        arguments_(arguments),
        more_arguments_(more_arguments),
        surroundings_(surroundings),
        open_(std::move(open)) {}

  /// Words of a command or list.
  std::vector<Field> fields(const std::vector<Word>& words);
  std::vector<Field> fields(const Word& word);

  /// One field, never split: an assigned value, a word of `[[ ]]` or `case`.
  Field field(const Word& word);

  /// What a file or a process substitution, `< <(…)`, gives a command to read; nullopt if unknown.
  std::optional<Field> substituted(const Word& source);

  /// A pattern of `case` or `[[ == ]]`: quoted parts match literally.
  Field pattern(const Word& word);

  Looked look_up(const std::string& name) const;

  /// Names as an arithmetic expression sees them.
  std::optional<std::int64_t> number(std::string_view name) const;

  std::optional<std::int64_t> calculate(const std::string& text) const;

  /// The place of LIST[index], from the start for -1 too, and maybe beyond the elements; nullopt if it is
  /// not known which element has which place.
  std::optional<std::int64_t> place_in(const std::vector<Field>& elements,
                                       bool sparse,
                                       const std::string& index) const;

  /// N++, N=4: nullopt for an expression that assigns nothing, or more.
  std::optional<Assigned> calculate_assignment(const std::string& text) const;

  bool used_arguments() const { return used_arguments_; }

 private:
  void add(const Word& word, FieldBuilder& builder);
  void add_parameter(const Part& part, FieldBuilder& builder);
  void add_single(const Part& part, const Looked& looked, FieldBuilder& builder);
  void add_list(const Part& part,
                const Looked& looked,
                const std::string& index,
                FieldBuilder& builder);
  void add_known_list(const Part& part,
                      const Looked& looked,
                      const std::string& index,
                      FieldBuilder& builder);
  void add_default(const Part& part, const Looked& looked, FieldBuilder& builder);
  std::optional<std::string> changed(const Part& part, const std::string& text);
  std::optional<std::string> replaced_in(const Part& part, const std::string& text);
  /// The first and the last but one place of `:offset:length` among so many; nullopt if unknown.
  std::optional<std::pair<std::size_t, std::size_t>> cut(const Part& part, std::size_t size);
  void add_changed_list(const Part& part,
                        const Looked& looked,
                        const std::string& index,
                        FieldBuilder& builder);
  bool loosely_glued(const Part& part, const std::vector<Field>& fields, FieldBuilder& builder);
  void add_named(const Part& part, FieldBuilder& builder);
  void add_unknown(const Part& part,
                   std::vector<std::string> needs,
                   bool unbound,
                   FieldBuilder& builder);
  void add_value(const Part& part, const Field& value, FieldBuilder& builder);
  void add_arithmetic(const Part& part, FieldBuilder& builder);
  void add_command(const Part& part, FieldBuilder& builder);
  void add_output(const Part& part, Field output, FieldBuilder& builder);
  std::optional<Field> output_of(const Part& part);
  std::optional<Field> lines_of(const Part& part);
  std::optional<Field> lines_of(const Command& command, const Part& part);
  Field echoed(const Command& command, const Part& part);
  std::string separator() const;
  std::optional<std::string> computed_output(const std::string& name,
                                             const std::vector<std::string>& words) const;
  std::optional<Field> contents_of(const Word& path);
  std::string index_of(const Part& part);

  Variables& variables_;
  const std::vector<Field>& arguments_;
  bool more_arguments_;  // that the caller of the script may give
  const Surroundings& surroundings_;
  Opener open_;
  mutable bool used_arguments_ = false;
  int depth_ = 0;
  bool glued_ = false;  // the word has other parts than the one that is added
};

/// What `printf FORMAT WORD…` prints: %s, %d and escapes; nullopt for other formats.
std::optional<std::string> formatted(const std::vector<std::string>& words);

}  // namespace epwise::shell
