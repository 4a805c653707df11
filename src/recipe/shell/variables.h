#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "recipe/shell/field.h"

namespace epwise::shell {

/// The value that a script gave to a name; absent for names not touched by a script.
struct Variable {
  enum class Kind : std::uint8_t { unset, text, list };
  Kind kind = Kind::unset;
  bool exported = false;
  std::vector<Field> fields = {};  // of a text: one
  text::Mark key = {};
  bool sparse = false;  // a list whose elements have other places than their order says
};

/// Why it is undecided which of two branches runs: a number for what exists in only one of them,
/// and the names that would decide it.
struct Doubt {
  int first = 0;
  int second = 0;
  std::vector<std::string> needs;
};

/// Whether two values are equal and known, wherever they were written.
bool equal_text(const Variable& a, const Variable& b);

/// As Variables::merged, of one.
Variable merged(const Variable& a, const Variable& b, const Doubt& doubt);

/// All variables of a shell at one moment.
class Variables {
 public:
  /// Of a reference: the variable that it names.
  const Variable* find(std::string_view name) const;

  /// Of a reference: it is none any more.
  void set(const std::string& name, Variable variable);

  /// `declare -n name=target`: from here on, who reads or assigns one has the other.
  void refer(const std::string& name, const std::string& target);

  /// Sets a text or list without changing whether it is exported.
  void assign(const std::string& name,
              Variable::Kind kind,
              std::vector<Field> fields,
              const text::Mark& key);

  /// From here on, any number of words that are not known: a list that `mapfile` reads.
  void forget(std::string_view name);

  void mark_exported(const std::string& name);

  void mark_sparse(const std::string& name);

  std::map<std::string, Variable> exported() const;

  /// A file that the script sources and that is not here: a list that nothing sets may come from it.
  void note_unread(std::string path) { unread_ = std::move(path); }

  const std::string& unread() const { return unread_; }

  /// The state after one of two branches ran, if it is unknown which. If both agree on the
  /// beginning of a text or list, that part is certain; flags after it are conditional; any other
  /// value is unknown.
  static Variables merged(const Variables& first, const Variables& second, const Doubt& doubt);

  /// How many names have other values in `second`.
  static std::size_t differing(const Variables& first, const Variables& second);

 private:
  /// Calls `visit` with the two values of each name of either; an empty one for a name of the other.
  static void compare(
      const Variables& first,
      const Variables& second,
      const std::function<void(const std::string&, const Variable&, const Variable&)>& visit);

  /// The name behind a reference, of a reference to another one too.
  std::string_view behind(std::string_view name) const;

  std::map<std::string, Variable, std::less<>> all_;
  std::map<std::string, std::string, std::less<>> references_;
  std::string unread_;
};

/// The environment of a script.
struct Surroundings {
  std::string path;  // the script's name as given: $0
  /// Known values of the caller's environment; nullopt: unset on purpose. All other names count as
  /// unset for `${X:-default}` and `-z`, and as unknown if used without a default.
  std::map<std::string, std::optional<std::string>, std::less<>> environment;
  std::map<std::string, Variable> presets;  // set by the scheduler before the script runs
  std::vector<Field> arguments;             // $1, $2, …
  bool more_arguments = false;              // its caller may give others: "$@" is not known
  std::vector<Field> outer;  // the command that starts the script: sbatch and its options
  /// Another file that the script reads; null pointer: unknown.
  std::function<std::shared_ptr<const text::SourceFile>(const std::string& path)> open;
};

}  // namespace epwise::shell
