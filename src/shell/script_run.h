#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shell/expansion.h"
#include "shell/interpreter.h"
#include "shell/nested_script.h"
#include "shell/syntax.h"
#include "shell/test_expression.h"
#include "shell/variables.h"

namespace epwise::shell {

/// What `follow` (shell/interpreter.h) does, one script after another: control in
/// script_control.cc, single commands in script_commands.cc.
class Interpreter {
 public:
  explicit Interpreter(const Surroundings& surroundings)
      : surroundings_(surroundings),
        outer_(surroundings.outer),
        arguments_(surroundings.arguments) {
    for (const auto& [name, variable] : surroundings.presets) {
      variables_.set(name, variable);
    }
  }

  Trace run(const text::SourceFile& script);

 private:
  // ---- control

  void run_text(const Source& source);

  Truth run(const Command& command);

  Truth run_all(const std::vector<Command>& commands);

  Truth dispatch(const Command& command);

  /// In a shell of its own: what it sets is gone afterwards.
  Truth apart(const std::vector<Command>& commands);

  Truth chained(const Command& command, bool wants);

  /// Runs both sides of an open condition and joins what they leave.
  void maybe(const Truth& truth,
             const text::Mark& mark,
             const std::function<void()>& first,
             const std::function<void()>& second);

  void branch(const Command& command, std::size_t at);

  /// Options that a script reads in a loop over its arguments keep their defaults without any.
  void loop(const Command& command);

  void each(const Command& command);

  void choice(const Command& command);

  void choose(const Command& command, std::size_t at, const Field& subject);

  // ---- simple commands

  Expansion expanding();

  void remember(const Expansion& expansion);

  Truth simple(const Command& command);

  std::optional<Truth> builtin(const std::string& name, std::vector<Field>& words);

  void call(const Command& function, std::vector<Field> arguments);

  // ---- other scripts

  Truth include(const std::vector<Field>& words);

  std::shared_ptr<const text::SourceFile> open(const Field& path);

  void run_nested(const Source& source, std::vector<Field> outer);

  void external(const Command& command, std::vector<Field> words, Expansion& expansion);

  void enter(const NestedScript& nested, const std::vector<Field>& words);

  void record(std::vector<Field> words);

  const Surroundings& surroundings_;
  Variables variables_;
  std::vector<Field> outer_;
  std::vector<Field> arguments_;
  std::deque<Command> scripts_;  // functions point into them
  std::map<std::string, const Command*, std::less<>> functions_;
  std::map<std::string, Field, std::less<>> written_;  // here-documents that went to files
  Trace trace_;
  int depth_ = 0;
  int nested_ = 0;
  int calls_ = 0;
  int steps_ = 0;
  int conditions_ = 0;
  bool certain_ = true;
  bool elsewhere_ = false;
  bool done_ = false;
};

}  // namespace epwise::shell
