#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shell/field.h"
#include "text/mark.h"

namespace epwise::shell {

/// What a script made of a name. A name that no script touched has none.
struct Variable {
  enum class Kind : std::uint8_t { unset, text, list };
  Kind kind = Kind::unset;
  bool exported = false;
  std::vector<Field> fields = {};  // of a text: one
  text::Mark key = {};
};

/// Why it is open which of two branches runs: a number for what is there in one of them alone, and
/// the names that would settle it.
struct Doubt {
  int first = 0;
  int second = 0;
  std::vector<std::string> needs;
};

/// All variables of a shell at one moment.
class Variables {
 public:
  const Variable* find(std::string_view name) const;

  void set(const std::string& name, Variable variable);

  /// Sets a text or list, and leaves whether it is exported.
  void assign(const std::string& name,
              Variable::Kind kind,
              std::vector<Field> fields,
              const text::Mark& key);

  void mark_exported(const std::string& name);

  std::map<std::string, Variable> exported() const;

  /// What holds after one of two branches ran, nobody knows which. Where both agree on the
  /// beginning of a text or list, that much is sure; flags behind it are there under a condition;
  /// any other value is unknown.
  static Variables merged(const Variables& first, const Variables& second, const Doubt& doubt);

 private:
  std::map<std::string, Variable, std::less<>> all_;
};

}  // namespace epwise::shell
