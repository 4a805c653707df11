#include "recipe/shell/interpreter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "recipe/shell/conditions.h"
#include "recipe/shell/expansion.h"
#include "recipe/shell/nested_script.h"
#include "recipe/shell/parser.h"
#include "recipe/shell/syntax.h"
#include "recipe/shell/variables.h"
#include "recipe/shell/words.h"

namespace epwise::shell {

/// What a script has set so far, and what an undecided branch may change.
struct ScriptState {
  Variables variables;
  std::vector<Field> arguments;
  bool more_arguments = false;  // as of Surroundings
  // By name: what the variables that the called function declares were before.
  std::map<std::string, Variable> kept;
  // By name: the definitions that may hold; null pointer: there may be none.
  std::map<std::string, std::vector<const Command*>, std::less<>> functions;
  std::map<std::string, Field, std::less<>> written;  // here-documents written to files
  bool elsewhere = false;
};

/// The state after one of two branches ran, if it is unknown which.
ScriptState merged(const ScriptState& first, const ScriptState& second, const Doubt& doubt);

/// What `break`, `continue`, `return` and `exit` leave.
struct Frame {
  enum class Kind : std::uint8_t { loop, call, subshell, process };

  /// The states in which it may have been left already.
  struct Left {
    ScriptState state;
    std::vector<std::string> needs;  // names that would decide whether it was
  };

  Kind kind = Kind::loop;
  std::optional<Left> left = {};
  std::optional<Left> round = {};  // of a loop: its round alone
  bool exited = false;             // of a shell: it may have ended
};

/// A frame, from the outermost, or only the round of a loop.
struct Place {
  std::size_t frame = 0;
  bool round = false;

  bool operator==(const Place&) const = default;

  /// Whether it is left before the other one is.
  bool inside(const Place& other) const {
    return frame > other.frame || (frame == other.frame && round && !other.round);
  }
};

/// What `follow` (recipe/shell/interpreter.h) does.
class Interpreter {
 public:
  explicit Interpreter(const Surroundings& surroundings)
      : surroundings_(surroundings),
        outer_(surroundings.outer) {
    state_.arguments = surroundings.arguments;
    state_.more_arguments = surroundings.more_arguments;
    for (const auto& [name, variable] : surroundings.presets) {
      state_.variables.set(name, variable);
    }
  }

  Trace run(const text::SourceFile& script);

  Trace run(const std::vector<Field>& words);

 private:
  // ---- control

  void run_text(const Source& source, Unclosed* unclosed = nullptr);

  Truth run(const Command& command);

  Truth run_all(std::span<const Command> commands);

  Truth dispatch(const Command& command);

  /// In a subshell: its assignments are discarded afterwards.
  Truth apart(std::span<const Command> commands);

  Truth chained(const Command& command, bool wants);

  /// Runs both sides of an undecided condition and joins the results. The state of a side that ends
  /// a round, loop, function or script waits there.
  void maybe(const Truth& truth,
             const text::Mark& mark,
             const std::function<void()>& first,
             const std::function<void()>& second);

  Doubt doubt(std::vector<std::string> needs);

  /// Keeps a state for where `place` ends.
  void keep(const Place& place, ScriptState state, const std::vector<std::string>& needs);

  /// Joins the states that were kept with the one in which `place` ends.
  void release(const Place& place, std::optional<Frame::Left> kept);

  /// Runs the body in a frame, and returns whether it ended that.
  bool within(Frame::Kind kind, const std::function<void()>& body);

  /// Whether nothing that is undecided led here, apart from an `exit` that was not reached.
  bool decided() const;

  /// The innermost frame that the command ends; nullopt: there is none.
  std::optional<Place> place_of(const std::string& name, const std::vector<Field>& words) const;

  std::optional<Place> innermost_shell() const;

  /// Something was not followed: what comes after it is not known.
  void give_up(std::string_view limit);

  /// `exit`: one that certainly precedes every launch is for a call without arguments.
  void leave(const std::vector<Field>& words);

  void branch(const Command& command, std::size_t at);

  /// Runs what a condition that holds guards. Where the script gives up there, a launch that gets
  /// past it has other values: those of the variables that the condition looks at are unknown.
  Truth guarded(const Command& condition, const Command& body);

  /// Options that a script parses in a loop over its arguments keep their defaults if there are
  /// none.
  void loop(const Command& command);

  void rounds(const Command& command);

  /// An unknown number of rounds: the first is recorded, and further ones show what they change.
  void any_rounds(const Truth& truth, const text::Mark& mark, const std::function<void()>& body);

  /// As many rounds as a condition holds, if each time it is known whether; false, and nothing has
  /// changed, otherwise. `after` runs behind each round.
  bool follow_rounds(const std::function<Truth()>& condition,
                     const Command& body,
                     const std::function<void()>& after);

  void one_round(const Command& body);

  /// A loop over arguments that ends when none is left; false: it is not known how it goes on.
  bool follow_arguments(const std::function<Truth()>& condition, const Command& body);

  void counted(const Command& command);

  /// `while read X; do …; done <<EOF`: a round for each line, if all are known; false otherwise.
  bool follow_lines(const Command& command);

  void each(const Command& command);

  void choice(const Command& command);

  void choose(const Command& command, std::size_t at, const Field& subject);

  // ---- simple commands

  Expansion expanding();

  void remember(const Expansion& expansion);

  Truth simple(const Command& command);

  /// exit, return, break, continue; false for any other command.
  bool ends_something(const std::string& name, const std::vector<Field>& words);

  /// unset, let, printf -v, read, mapfile; nullopt for any other command.
  std::optional<Truth> changes_variables(const std::string& name, const std::vector<Field>& words);

  std::optional<Truth> builtin(const std::string& name, std::vector<Field>& words);

  Truth shift(const std::vector<Field>& words);

  /// What the command reads, if that is known.
  std::optional<Field> input_of(const Command& command, Expansion& expansion);

  bool read_words(const Command& command, const std::vector<Field>& words, Expansion& expansion);

  void call(const Command& function, std::vector<Field> arguments);

  /// One of the definitions from `at` on, or the program of that name.
  void call_any(const std::vector<const Command*>& definitions,
                std::size_t at,
                const Command& command,
                const std::vector<Field>& words);

  void keep_outer(const std::vector<std::string>& names);

  // ---- other scripts

  Truth include(const std::vector<Field>& words);

  std::shared_ptr<const text::SourceFile> open(const Field& path);

  void run_nested(const Source& source, std::vector<Field> outer);

  void external(const Command& command, std::vector<Field> words, Expansion& expansion);

  void in_own_shell(const std::vector<Field>& words);

  void start(std::vector<Field> words, const std::optional<Field>& input);

  void enter(const NestedScript& nested, const std::vector<Field>& words);

  void restore(const ScriptState& before);

  void record(std::vector<Field> words);

  const Surroundings& surroundings_;
  ScriptState state_;
  std::vector<Field> outer_;
  std::deque<Command> scripts_;  // functions point into them
  std::vector<Frame> frames_;
  std::size_t left_bytes_ = kMostScriptBytes;
  std::map<std::string, std::shared_ptr<const text::SourceFile>, std::less<>> opened_;
  Trace trace_;
  int depth_ = 0;
  int nested_ = 0;
  std::vector<std::string> following_;  // the texts of nested scripts, from the outermost
  int calls_ = 0;
  int steps_ = 0;
  int conditions_ = 0;
  int programs_ = 0;
  int tools_ = 0;
  int failures_ = 0;  // of exits that precede every launch, and count for a call without arguments
  std::vector<std::string> read_;  // by loops over lines, and by xargs: "${job}"
  bool certain_ = true;
  bool silent_ = false;        // a round of which nothing is recorded
  std::optional<Place> ends_;  // what is ended; no command runs before that is left
};

/// NAME=…, NAME+=…, NAME=(…)
void assign(const Assignment& assignment, Variables& variables, Expansion& expansion);

/// export, declare, local, readonly, typeset: `words` are its words without assignments.
void declare(const Command& command,
             const std::vector<Field>& words,
             Variables& variables,
             Expansion& expansion);

/// What `((…))` or `let` assigns: `N=4`, `N+=M*2`, `N++`; unknown in longer expressions. Whether the
/// result is not 0; nullopt: nothing is assigned.
std::optional<Truth> assign_arithmetic(const Field& expression,
                                       Variables& variables,
                                       Expansion& expansion);

/// The names that `declare`, `local` or `typeset` creates in a function.
std::vector<std::string> names_declared(const Command& command, const std::vector<Field>& words);

/// mapfile -t NAME, with a known input; false for other forms.
bool read_lines(const Field& input, const std::vector<Field>& words, Variables& variables);

/// read NAME…, mapfile NAME: their text is unknown.
void read_variables(const std::vector<Field>& words, Variables& variables);

void unset_variables(const std::vector<Field>& words, Variables& variables, Expansion& expansion);

/// printf -v NAME FORMAT WORD…
void print_to_variable(const std::vector<Field>& words, Variables& variables);

namespace {

constexpr int kMostInvocations = 256;  // and as many of tools

/// Programs that start no other ones, and that scripts call while they wait.
bool is_tool(std::string_view name) {
  constexpr std::array<std::string_view, 26> kNames = {
      "nvidia-smi", "grep", "kill", "pkill", "pgrep", "curl",     "ps",     "awk",  "sed",
      "cat",        "ls",   "rm",   "cp",    "mv",    "date",     "wait",   "tail", "head",
      "tee",        "sort", "wc",   "tr",    "cut",   "hostname", "squeue", "nc"};
  return text::is_one_of(base_name(name), kNames);
}

/// Whether a command may be the launch itself, rather than a `pkill` or `mkdir` before it.
bool runs_python(const Invocation& invocation) {
  const std::string first = invocation.words.empty() ? "" : invocation.words.front().text();
  return first != "pkill" && first != "killall" &&
         std::ranges::any_of(invocation.words, [](const Field& word) {
           const std::string text = word.text();
           const std::string_view name = base_name(text);
           return name.ends_with(".py") || name.starts_with("python") || name == "torchrun" ||
                  name == "megatron";
         });
}

/// "actor.optim.lr=1e-6", "+a.b=1": a word of Hydra's command line, and the name of no program.
bool is_dotted_setting(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of("+~"), word.size()));
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view key = word.substr(0, equals);
  return equals < word.size() && key.find('.') != std::string_view::npos && !key.starts_with('.') &&
         std::ranges::all_of(
             key, [](char c) { return text::is_letter_or_digit(c) || c == '_' || c == '.'; });
}

/// read -r -d '' X: all of the input goes to one variable.
bool reads_whole(const std::vector<Field>& words) {
  const auto ends_at_nothing = [&words](std::size_t at) {
    const std::string text = words[at].text();
    return text.starts_with('-') && !text.starts_with("--") && text.ends_with('d') &&
           at + 2 < words.size() && words[at + 1].text().empty();
  };
  for (std::size_t i = 1; i + 2 < words.size(); ++i) {
    if (ends_at_nothing(i)) {
      return i + 3 == words.size();
    }
  }
  return false;
}

/// Whether `cd` may change to a directory that is not near the script. `cd "$(dirname "$0")/.."`
/// and relative names stay near.
bool leaves(const std::vector<Field>& words) {
  if (words.size() < 2) {
    return true;  // to $HOME
  }
  const std::string folder = words[1].text();
  const bool near = words[1].known() && !folder.starts_with('/');
  return !near && folder.find("dirname") == std::string::npos &&
         folder.find("BASH_SOURCE") == std::string::npos;
}

/// Evaluates the words between `[` and `]`, or after `test`.
std::vector<Field> tested_words(const std::vector<Field>& words) {
  std::vector<Field> inside(words.begin() + 1, words.end());
  if (words.front().text() == "[" && !inside.empty()) {
    inside.pop_back();
  }
  return inside;
}

}  // namespace

namespace {

/// Whether the command creates variables of the function that runs it: local, or declare without -g.
bool is_local(const std::vector<Field>& words) {
  const std::string name = words.front().text();
  const bool declares_here = name == "local" || name == "declare" || name == "typeset";
  return declares_here && std::none_of(words.begin() + 1, words.end(), [](const Field& word) {
           const std::string text = word.text();
           return text.starts_with('-') && text.find('g') != std::string::npos;
         });
}

}  // namespace

Expansion Interpreter::expanding() {
  return {state_.variables,
          state_.arguments,
          state_.more_arguments,
          surroundings_,
          [this](const Field& path) { return open(path); }};
}

void Interpreter::remember(const Expansion& expansion) {
  trace_.uses_arguments = trace_.uses_arguments || expansion.used_arguments();
}

Truth Interpreter::simple(const Command& command) {
  Expansion expansion = expanding();
  std::vector<Field> words = expansion.fields(command.words);
  if (words.empty()) {
    for (const Assignment& assignment : command.assignments) {
      assign(assignment, state_.variables, expansion);
    }
    remember(expansion);
    return Truth::of(true);
  }
  remember(expansion);
  const std::string name = words.front().known() ? words.front().text() : std::string();
  if (declares(name)) {
    if (calls_ > 0 && is_local(words)) {
      keep_outer(names_declared(command, words));
    }
    declare(command, words, state_.variables, expansion);
    remember(expansion);
    return Truth::of(true);
  }
  if (name == "read" && !command.input.empty() && reads_whole(words)) {
    state_.variables.assign(words.back().text(),
                            Variable::Kind::text,
                            {expansion.field(command.input.front())},
                            words.back().mark);
    remember(expansion);
    return Truth{};
  }
  if (name == "read" && !command.input.empty() && read_words(command, words, expansion)) {
    remember(expansion);
    return Truth::of(true);
  }
  if (name == "mapfile" || name == "readarray") {
    const std::optional<Field> input = input_of(command, expansion);
    remember(expansion);
    if (input && read_lines(*input, words, state_.variables)) {
      return Truth::of(true);
    }
  }
  if (const auto truth = builtin(name, words)) {
    return *truth;
  }
  const auto function = state_.functions.find(name);
  if (function != state_.functions.end()) {
    const std::vector<const Command*> definitions = function->second;
    call_any(definitions, 0, command, words);
    return {};
  }
  external(command, std::move(words), expansion);
  return {};
}

namespace {

/// `conda run -n x torchrun …`: what comes after it is the launch.
bool runs_another(const std::string& name, const std::vector<Field>& words) {
  return name == "conda" &&
         std::ranges::any_of(words, [](const Field& word) { return word.text() == "run"; });
}

}  // namespace

void Interpreter::leave(const std::vector<Field>& words) {
  const bool fails = words.size() > 1 && words[1].known() && words[1].text() != "0";
  const bool started =
      fails ? std::ranges::any_of(trace_.invocations, runs_python) : !trace_.invocations.empty();
  const bool ends = !decided() || started;
  ends_ = ends ? place_of("exit", words) : ends_;
  failures_ += fails && !ends ? 1 : 0;
}

std::optional<Place> Interpreter::innermost_shell() const {
  const auto shell = std::find_if(frames_.rbegin(), frames_.rend(), [](const Frame& frame) {
    return frame.kind == Frame::Kind::process || frame.kind == Frame::Kind::subshell;
  });
  return shell == frames_.rend()
             ? std::nullopt
             : std::optional(Place{static_cast<std::size_t>(frames_.rend() - shell) - 1});
}

std::optional<Place> Interpreter::place_of(const std::string& name,
                                           const std::vector<Field>& words) const {
  using enum Frame::Kind;
  if (name == "exit") {
    return innermost_shell();
  }
  const bool loops = name == "break" || name == "continue";
  const std::string text = loops && words.size() > 1 ? words[1].text() : "1";
  std::size_t count = text.size() == 1 && text::is_digit(text[0])
                          ? static_cast<std::size_t>(text[0] - '0')
                          : std::size_t{1};
  std::optional<Place> found;
  std::optional<Place> shell;  // a subshell inside of what is to be left ends instead
  for (std::size_t i = frames_.size(); i > 0 && count > 0; --i) {
    const Frame::Kind kind = frames_[i - 1].kind;
    if (kind == process || (kind == call && loops)) {
      return found;
    }
    if (kind == subshell) {
      shell = shell ? shell : Place{i - 1};
    } else if (kind == (loops ? loop : call)) {
      found = shell ? *shell : Place{i - 1, name == "continue"};
      --count;
    }
  }
  return found;
}

bool Interpreter::decided() const {
  return certain_ && std::ranges::none_of(frames_, [](const Frame& frame) {
           return frame.left.has_value() || frame.round.has_value();
         });
}

bool Interpreter::ends_something(const std::string& name, const std::vector<Field>& words) {
  if (name == "exit") {
    leave(words);
  } else if (name == "return" || name == "break" || name == "continue") {
    ends_ = place_of(name, words);
  } else {
    return false;
  }
  return true;
}

std::optional<Truth> Interpreter::changes_variables(const std::string& name,
                                                    const std::vector<Field>& words) {
  Expansion expansion = expanding();
  if (name == "unset") {
    unset_variables(words, state_.variables, expansion);
    return Truth::of(true);
  }
  if (name == "let") {
    std::optional<Truth> last;
    for (std::size_t i = 1; i < words.size(); ++i) {
      last = assign_arithmetic(words[i], state_.variables, expansion);
    }
    return last.value_or(Truth{});
  }
  if (name == "printf" && words.size() > 2 && words[1].text() == "-v") {
    print_to_variable(words, state_.variables);
    return Truth::of(true);
  }
  if (name == "read" || name == "mapfile" || name == "readarray") {
    read_variables(words, state_.variables);
    return Truth{};
  }
  return std::nullopt;
}

std::optional<Truth> Interpreter::builtin(const std::string& name, std::vector<Field>& words) {
  if (name == "[" || name == "test") {
    return evaluate_test(tested_words(words), expanding(), false);
  }
  if (name == "false") {
    return Truth::of(false);
  }
  if (ends_something(name, words)) {
    return Truth::of(true);
  }
  if (name == "shift") {
    return shift(words);
  }
  if (name == "set" && words.size() > 1 && words[1].text() == "--") {
    state_.arguments.assign(words.begin() + 2, words.end());
    state_.more_arguments = take_open_arguments(state_.arguments);
    return Truth::of(true);
  }
  if (auto truth = changes_variables(name, words)) {
    return truth;
  }
  if (name == "source" || name == ".") {
    return include(words);
  }
  if (name == "eval" && words.size() > 1) {
    words.erase(words.begin());
    take_open_arguments(words);
    run_nested(joined(words), {});
    return Truth{};
  }
  if (name == "cd" || name == "pushd") {
    state_.elsewhere = state_.elsewhere || leaves(words);
  }
  return succeeds(name) && !runs_another(name, words) ? std::optional<Truth>(Truth::of(true))
                                                      : std::nullopt;
}

namespace {

/// The names behind `read` and whether they are one list; nothing for options with another meaning.
struct ReadNames {
  bool list = false;
  std::vector<std::string> names = {};
};

std::optional<ReadNames> names_to_read(const std::vector<Field>& words) {
  ReadNames result;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string text = words[i].text();
    if (!text.starts_with('-')) {
      result.names.push_back(text);
    } else if (text == "-a" || text == "-ra") {
      result.list = true;
    } else if (text != "-r") {
      return std::nullopt;
    }
  }
  const bool usable = !result.names.empty() && (!result.list || result.names.size() == 1);
  return usable ? std::optional(std::move(result)) : std::nullopt;
}

/// The character in front of `read` as IFS=c, a blank without one, the end of the line for an empty
/// one; nothing for other separators.
std::optional<char> separator_of(const Command& command, Expansion& expansion) {
  char separator = ' ';
  for (const Assignment& assignment : command.assignments) {
    if (assignment.name != "IFS" || assignment.values.size() != 1) {
      return std::nullopt;
    }
    const Field value = expansion.field(assignment.values.front());
    if (!value.known() || value.text().size() > 1) {
      return std::nullopt;
    }
    separator = value.text().empty() ? '\n' : value.text().front();
  }
  return separator;
}

/// What follows the first words of a line, without blanks around it.
std::string rest_of(std::string_view line, std::size_t words) {
  constexpr std::string_view kBlanks = " \t\n";
  line = text::trimmed(line, kBlanks);
  for (std::size_t i = 0; i < words; ++i) {
    line.remove_prefix(std::min(line.find_first_of(kBlanks), line.size()));
    line = text::trimmed(line, kBlanks);
  }
  return std::string(line);
}

/// The texts between separators that are not blanks; one at the end makes no further text.
std::vector<Field> divided_at(char separator, const Field& line) {
  std::string text = line.text();
  text.resize(text.ends_with('\n') ? text.size() - 1 : text.size());
  std::vector<std::string> texts = split_at(separator, text);
  if (texts.back().empty()) {
    texts.pop_back();
  }
  std::vector<Field> result;
  for (std::string& each : texts) {
    result.push_back(field_of(std::move(each), line.mark));
  }
  return result;
}

/// The line as one word, without the newline at its end.
std::vector<Field> whole_line(const Field& line) {
  std::string text = line.text();
  text.resize(text.ends_with('\n') ? text.size() - 1 : text.size());
  Field field = field_of(std::move(text), line.mark);
  field.pieces.front().quoted = false;
  return {std::move(field)};
}

std::vector<Field> split_at_blanks(const Field& line) {
  FieldBuilder builder(true);
  for (Piece piece : line.pieces) {
    piece.quoted = false;
    builder.place(std::move(piece), false);
  }
  return builder.finish(line.mark);
}

}  // namespace

std::optional<Field> Interpreter::input_of(const Command& command, Expansion& expansion) {
  if (!command.input.empty()) {
    return expansion.field(command.input.front());
  }
  if (command.source.empty()) {
    return std::nullopt;
  }
  if (std::optional<Field> lines = expansion.substituted(command.source.front())) {
    return lines;
  }
  const auto own = state_.written.find(expansion.field(command.source.front()).text());
  return own == state_.written.end() ? std::nullopt : std::optional(own->second);
}

/// `read -r -a LIST <<< "a b"`, `IFS=, read A B <<< "a,b"`: one line, split into words; false if the
/// text or its separators are not known well enough.
bool Interpreter::read_words(const Command& command,
                             const std::vector<Field>& words,
                             Expansion& expansion) {
  std::optional<ReadNames> into = names_to_read(words);
  const std::optional<char> separator = separator_of(command, expansion);
  const Field line = expansion.field(command.input.front());
  const std::string text = line.text();
  if (!into || !separator || (*separator != ' ' && !line.known()) ||
      text.find('\n') < text.size() - 1) {
    return false;
  }
  std::vector<Field> found = *separator == '\n'  ? whole_line(line)
                             : *separator == ' ' ? split_at_blanks(line)
                                                 : divided_at(*separator, line);
  const text::Mark& mark = words.back().mark;
  if (into->list) {
    state_.variables.assign(into->names.front(), Variable::Kind::list, std::move(found), mark);
    return true;
  }
  if (!line.known()) {
    return false;
  }
  if (found.size() > into->names.size() && *separator != ' ') {
    return false;
  }
  if (found.size() > into->names.size()) {  // the last name takes the rest
    Field rest = field_of(rest_of(text, into->names.size() - 1), line.mark);
    rest.pieces.front().quoted = false;
    found.resize(into->names.size() - 1);
    found.push_back(std::move(rest));
  }
  found.resize(into->names.size(), field_of("", mark));
  for (std::size_t i = 0; i < found.size(); ++i) {
    state_.variables.assign(into->names[i], Variable::Kind::text, {found[i]}, mark);
  }
  return true;
}

/// Without enough arguments, nothing is shifted.
Truth Interpreter::shift(const std::vector<Field>& words) {
  const std::string text = words.size() > 1 && words[1].known() ? words[1].text() : "1";
  const std::size_t count = text.size() == 1 && text::is_digit(text[0])
                                ? static_cast<std::size_t>(text[0] - '0')
                                : state_.arguments.size() + 1;
  const auto shifted = state_.arguments.begin() +
                       static_cast<std::ptrdiff_t>(std::min(count, state_.arguments.size()));
  if (!all_present({state_.arguments.begin(), shifted})) {
    state_.arguments = {unknown_elements(words.front().mark, "@")};
    return {};
  }
  if (count > state_.arguments.size()) {
    return Truth::of(false);
  }
  state_.arguments.erase(state_.arguments.begin(),
                         state_.arguments.begin() + static_cast<std::ptrdiff_t>(count));
  return Truth::of(true);
}

void Interpreter::call(const Command& function, std::vector<Field> arguments) {
  const auto restored = [](ScriptState& state) {
    for (auto& [name, variable] : state.kept) {
      state.variables.set(name, std::move(variable));
    }
    state.kept.clear();
  };
  const bool more_before = state_.more_arguments;
  state_.more_arguments = take_open_arguments(arguments);
  std::swap(state_.arguments, arguments);
  std::map<std::string, Variable> kept;
  std::swap(state_.kept, kept);
  ++calls_;
  within(Frame::Kind::call, [&] {
    run_all(function.children);
    restored(state_);
    if (auto& left = frames_.back().left) {
      restored(left->state);
    }
  });
  --calls_;
  std::swap(state_.kept, kept);
  std::swap(state_.arguments, arguments);
  state_.more_arguments = more_before;
}

void Interpreter::call_any(const std::vector<const Command*>& definitions,
                           std::size_t at,
                           const Command& command,
                           const std::vector<Field>& words) {
  const auto one = [&] {
    if (definitions[at] != nullptr) {
      call(*definitions[at], {words.begin() + 1, words.end()});
    } else {
      Expansion expansion = expanding();
      external(command, words, expansion);
    }
  };
  if (at + 1 == definitions.size()) {
    one();
  } else {
    maybe({}, command.mark, one, [&] { call_any(definitions, at + 1, command, words); });
  }
}

/// What the names were outside of the function that is called.
void Interpreter::keep_outer(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Variable* before = state_.variables.find(name);
    state_.kept.emplace(
        name, before != nullptr ? *before : Variable{Variable::Kind::unset, true, {}, {}});
  }
}

namespace {

/// "${SCRIPT_DIR}/models/moe.sh" → "models/moe.sh"
std::string unread_name(std::string_view path) {
  const std::size_t unknown = path.rfind('}');
  const std::size_t slash = unknown == std::string_view::npos ? unknown : path.find('/', unknown);
  path.remove_prefix(slash == std::string_view::npos ? 0 : slash + 1);
  path.remove_prefix(path.starts_with("./") ? 2 : 0);
  return std::string(path);
}

}  // namespace

Truth Interpreter::include(const std::vector<Field>& words) {
  const auto file = words.size() > 1 ? open(words[1]) : nullptr;
  if (file != nullptr) {
    within(Frame::Kind::call, [&] { run_nested(Source(*file), {}); });
  } else if (words.size() > 1 && !words[1].text().ends_with("/activate")) {
    state_.variables.note_unread(unread_name(words[1].text()));
  }
  return Truth::of(true);
}

std::shared_ptr<const text::SourceFile> Interpreter::open(const Field& path) {
  constexpr std::size_t kMostFiles = 16;
  if (!surroundings_.open || !path.known()) {
    return nullptr;
  }
  const auto before = opened_.find(path.text());
  if (before != opened_.end()) {
    return before->second;
  }
  if (trace_.files.size() >= kMostFiles) {
    give_up(fmt::format("files after the first {}", kMostFiles));
    return nullptr;
  }
  auto file = surroundings_.open(path.text());
  const bool large = file != nullptr && file->bytes().size() > left_bytes_;
  opened_.emplace(path.text(), large ? nullptr : file);
  if (file != nullptr && !large) {
    left_bytes_ -= file->bytes().size();
    trace_.files.push_back(file);
    return file;
  }
  if (trace_.unread.size() < kMostFiles) {
    trace_.unread.push_back({path, large});
  }
  return nullptr;
}

void Interpreter::run_nested(const Source& source, std::vector<Field> outer) {
  constexpr int kMostNested = 8;
  const bool again = std::ranges::count(following_, source.text()) > 1;
  if (nested_ >= kMostNested) {
    if (!again) {  // one that starts itself goes on as before
      give_up(fmt::format("scripts that others start more than {} deep", kMostNested));
    }
    return;
  }
  following_.push_back(source.text());
  ++nested_;
  const std::size_t before = outer_.size();
  std::move(outer.begin(), outer.end(), std::back_inserter(outer_));
  run_text(source);
  outer_.resize(before);
  --nested_;
  following_.pop_back();
}

namespace {

constexpr std::string_view kXargsInput = "the input of xargs";

constexpr std::string_view kParallelInput = "the input of parallel";

/// The word with `by` in each place that xargs or parallel fills: -I {}. Null pointer: with unknown
/// text.
Field with_holes(const Field& word,
                 const std::string& hole,
                 std::string_view input,
                 const Field* by = nullptr) {
  Field result;
  result.mark = word.mark;
  for (const Piece& piece : word.pieces) {
    std::size_t done = 0;
    for (std::size_t at = piece.text.find(hole); at != std::string::npos;
         at = piece.text.find(hole, done)) {
      if (at > done) {
        result.pieces.push_back(part_of(piece, done, at));
      }
      done = at + hole.size();
      if (by != nullptr) {
        std::ranges::copy(by->pieces, std::back_inserter(result.pieces));
        continue;
      }
      Piece open = part_of(piece, at, done);
      open.verbatim = false;
      open.needs = {std::string(input)};
      result.pieces.push_back(std::move(open));
    }
    if (done == 0 || done < piece.text.size()) {
      result.pieces.push_back(part_of(piece, done, piece.text.size()));
    }
  }
  return result;
}

/// Where the command behind the options of xargs begins, and the text that it replaces; "": none.
struct XargsCommand {
  std::size_t at = 1;
  std::string hole = {};
};

XargsCommand xargs_command(const std::vector<Field>& words) {
  constexpr std::string_view kWithValue = "adEILnPs";
  XargsCommand result;
  for (; result.at < words.size() && words[result.at].text().starts_with('-'); ++result.at) {
    const std::string option = words[result.at].text();
    const bool apart = option.size() == 2 && kWithValue.find(option[1]) != std::string_view::npos;
    const bool replaces = option.starts_with("-I") || option.starts_with("-i");
    if (replaces) {
      result.hole = option.size() > 2 ? option.substr(2) : "{}";
    }
    if (apart && result.at + 1 < words.size()) {
      ++result.at;
      result.hole = replaces ? words[result.at].text() : result.hole;
    }
  }
  return result;
}

/// The command that xargs starts, with unknown words where it puts what it reads; nullopt for any
/// other command.
std::optional<std::vector<Field>> filled_by_xargs(const std::vector<Field>& words) {
  const std::string name = words.front().known() ? words.front().text() : std::string();
  if (base_name(name) != "xargs") {
    return std::nullopt;
  }
  const XargsCommand found = xargs_command(words);
  std::vector<Field> command(words.begin() + static_cast<std::ptrdiff_t>(found.at), words.end());
  if (!found.hole.empty()) {
    std::ranges::transform(command, command.begin(), [&](const Field& word) {
      return with_holes(word, found.hole, kXargsInput);
    });
  } else if (!command.empty()) {
    command.push_back(unknown_field(words.front().mark, {std::string(kXargsInput)}));
    command.back().pieces.front().quoted = false;  // any number of words
  }
  return command;
}

/// Where the command after the options of parallel begins; `simple`: they do not change what it runs.
std::size_t command_of_parallel(const std::vector<Field>& words, bool& simple) {
  constexpr std::string_view kWithValue = "jSaNnPIC";
  constexpr std::array<std::string_view, 11> kSimple = {"--jobs",
                                                        "--delay",
                                                        "--timeout",
                                                        "--lb",
                                                        "--line-buffer",
                                                        "-k",
                                                        "--keep-order",
                                                        "--ungroup",
                                                        "-u",
                                                        "--bar",
                                                        "--tag"};
  std::size_t at = 1;
  for (; at < words.size() && words[at].text().starts_with('-'); ++at) {
    const std::string option = words[at].text();
    const bool apart =
        (option.size() == 2 && kWithValue.find(option[1]) != std::string_view::npos) ||
        option == "--jobs" || option == "--delay" || option == "--timeout";
    simple = simple && (option.starts_with("-j") || text::is_one_of(option, kSimple));
    at += apart ? 1 : 0;
  }
  return at;
}

/// The commands of `parallel COMMAND ::: a b c`, one for each input; of other forms, one with unknown
/// text where parallel puts what it reads. Nullopt for any other program.
std::optional<std::vector<std::vector<Field>>> filled_by_parallel(const std::vector<Field>& words) {
  const std::string name = words.front().known() ? words.front().text() : std::string();
  if (base_name(name) != "parallel") {
    return std::nullopt;
  }
  bool simple = true;
  const std::size_t at = command_of_parallel(words, simple);
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size()));
  const auto end = std::find_if(
      begin, words.end(), [](const Field& word) { return word.text().starts_with(":::"); });
  const std::vector<Field> command(begin, end);
  std::vector<Field> inputs(end == words.end() ? end : std::next(end), words.end());
  const auto has = [](const std::vector<Field>& all, std::string_view sign) {
    return std::ranges::any_of(
        all, [sign](const Field& word) { return word.text().find(sign) != std::string::npos; });
  };
  // {.}, {1} and further lists of inputs are not followed
  const bool holes = has(command, "{}");
  simple = simple && end != words.end() && end->text() == ":::" && !has(inputs, ":::") &&
           all_present(inputs) && !command.empty();
  for (std::string_view sign : {"{.}", "{/}", "{//}", "{#}", "{%}", "{1}", "{2}", "{3}"}) {
    simple = simple && !has(command, sign);
  }
  if (!simple) {
    inputs.assign(1, unknown_field(words.front().mark, {std::string(kParallelInput)}));
  }
  std::vector<std::vector<Field>> all;
  for (const Field& input : inputs) {
    std::vector<Field>& one = all.emplace_back();
    for (const Field& word : command) {
      one.push_back(with_holes(word, "{}", kParallelInput, simple ? &input : nullptr));
    }
    if (!holes) {
      one.push_back(input);
      one.back().pieces.front().quoted = simple;
    }
  }
  return all;
}

/// The name of the program, or of what a shell or a launcher starts; null pointer if there is none.
const Field* command_word(const std::vector<Field>& words) {
  constexpr std::array<std::string_view, 10> kStarters = {
      "bash", "sh", "srun", "mpirun", "torchrun", "python", "python3", "env", "nohup", "sbatch"};
  const std::string first = words.front().text();
  const std::string_view name = base_name(first);
  if (std::ranges::find(kStarters, name) == kStarters.end()) {
    return &words.front();
  }
  const auto next = std::find_if(words.begin() + 1, words.end(), [](const Field& word) {
    return !word.known() || !word.text().starts_with('-');
  });
  return next == words.end() ? nullptr : &*next;
}

bool needs_any(const Field& word, const std::vector<std::string>& names) {
  return std::ranges::any_of(word.needs(), [&](const std::string& need) {
    return std::ranges::find(names, need) != names.end();
  });
}

}  // namespace

void Interpreter::external(const Command& command, std::vector<Field> words, Expansion& expansion) {
  std::map<std::string, std::optional<Variable>> before;
  for (const Assignment& assignment : command.assignments) {
    const Variable* old = state_.variables.find(assignment.name);
    before.emplace(assignment.name, old != nullptr ? std::optional(*old) : std::nullopt);
    assign(assignment, state_.variables, expansion);
    state_.variables.mark_exported(assignment.name);
  }
  const std::optional<Field> input = input_of(command, expansion);
  remember(expansion);
  const bool writes =
      words.size() == 1 && words.front().text() == "cat" && input && !command.output.empty();
  if (writes) {
    state_.written.insert_or_assign(expansion.field(command.output.front()).text(), *input);
  } else if (auto filled = filled_by_xargs(words)) {
    read_.emplace_back(kXargsInput);
    start(std::move(*filled), std::nullopt);
    read_.pop_back();
  } else if (auto commands = filled_by_parallel(words)) {
    read_.emplace_back(kParallelInput);
    for (const std::vector<Field>& each : *commands) {
      in_own_shell(each);
    }
    read_.pop_back();
  } else {
    start(std::move(words), input);
  }
  for (auto& [name, old] : before) {
    if (old) {
      state_.variables.set(name, *std::move(old));
    } else {
      state_.variables.forget(name);
    }
  }
}

/// A shell of its own runs what the words are together.
void Interpreter::in_own_shell(const std::vector<Field>& words) {
  const ScriptState before = state_;
  const int calls = std::exchange(calls_, 0);
  within(Frame::Kind::process, [&] { run_nested(joined(words), {}); });
  calls_ = calls;
  restore(before);
}

void Interpreter::start(std::vector<Field> words, const std::optional<Field>& input) {
  if (const auto nested = nested_script(words, input)) {
    enter(*nested, words);
  } else if (!words.empty()) {
    record(std::move(words));
  }
}

namespace {

/// The `#SBATCH` lines of a script that sbatch starts, in front of sbatch's own options: those win.
/// For any other program they are comments.
void add_directives(const text::SourceFile& script, std::vector<Field>& words) {
  const auto last = std::find_if(words.rbegin(), words.rend(), submits);
  if (last != words.rend()) {
    std::vector<Field> lines = directives(script);
    words.insert(
        last.base(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  }
}

}  // namespace

void Interpreter::enter(const NestedScript& nested, const std::vector<Field>& words) {
  std::vector<Field> outer(words.begin(),
                           words.begin() + static_cast<std::ptrdiff_t>(nested.first));
  const auto own =
      nested.path ? state_.written.find(words[*nested.path].text()) : state_.written.end();
  const bool is_own = own != state_.written.end();
  const auto file = nested.path && !is_own ? open(words[*nested.path]) : nullptr;
  if (nested.path && !is_own && file == nullptr) {
    record(words);
    return;
  }
  Source source = nested.source;
  const ScriptState before = state_;
  if (nested.path) {
    state_.variables = {};
    for (const auto& [name, variable] : surroundings_.presets) {  // the scheduler exports them
      state_.variables.set(name, variable);
    }
    for (const auto& [name, variable] : before.variables.exported()) {
      state_.variables.set(name, variable);
    }
    state_.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(*nested.path) + 1,
                            words.end());
    state_.more_arguments = take_open_arguments(state_.arguments);
    source = is_own ? joined({own->second}) : Source(*file);
    if (file != nullptr) {
      add_directives(*file, outer);
    }
  } else if (nested.remote) {
    state_.variables = {};
  }
  const int calls = std::exchange(calls_, 0);
  within(Frame::Kind::process, [&] { run_nested(source, std::move(outer)); });
  calls_ = calls;
  restore(before);
}

/// After another shell: what it wrote to files is there.
void Interpreter::restore(const ScriptState& before) {
  auto written = std::move(state_.written);
  state_ = before;
  state_.written = std::move(written);
}

void Interpreter::record(std::vector<Field> words) {
  if (silent_) {
    return;
  }
  const std::string first = words.front().known() ? words.front().text() : std::string();
  const bool tool = outer_.empty() && is_tool(first);
  if (++(tool ? tools_ : programs_) > kMostInvocations) {
    if (!tool) {
      give_up(fmt::format("programs after the first {}", kMostInvocations));
    }
    return;
  }
  const bool option = first.size() > 2 && first.starts_with("--") && text::is_letter(first[2]);
  if ((option || is_dotted_setting(first)) && !trace_.invocations.empty() &&
      runs_python(trace_.invocations.back())) {
    trace_.cut_off.push_back(words.front());
    return;
  }
  const Field* command = command_word(words);
  if (command != nullptr && trace_.unknown_commands.empty() && needs_any(*command, read_)) {
    trace_.unknown_commands.push_back(*command);
  }
  Invocation invocation;
  invocation.words = outer_;
  invocation.nested_from = outer_.size();
  std::move(words.begin(), words.end(), std::back_inserter(invocation.words));
  invocation.environment = state_.variables.exported();
  invocation.certain = decided() && std::ranges::none_of(frames_, &Frame::exited);
  invocation.elsewhere = state_.elsewhere;
  trace_.invocations.push_back(std::move(invocation));
}

namespace {

using Kind = Command::Kind;

constexpr int kMaxControlDepth = 64;
constexpr int kMostSteps = 100'000;
constexpr std::size_t kMostRounds = 128;
constexpr std::size_t kSomeRounds = 4;

std::string too_deep() {
  return fmt::format("commands nested more than {} deep", kMaxControlDepth);
}

}  // namespace

Trace Interpreter::run(const text::SourceFile& script) {
  left_bytes_ -= std::min(left_bytes_, script.bytes().size());
  within(Frame::Kind::process, [&] { run_text(Source(script), &trace_.unclosed); });
  return std::move(trace_);
}

Trace Interpreter::run(const std::vector<Field>& words) {
  if (!words.empty()) {
    if (const auto nested = nested_script(words, std::nullopt)) {
      enter(*nested, words);
    } else {
      record(words);
    }
  }
  return std::move(trace_);
}

void Interpreter::run_text(const Source& source, Unclosed* unclosed) {
  scripts_.push_back(parse(source, unclosed));
  run(scripts_.back());
}

Truth Interpreter::run(const Command& command) {
  if (ends_ || !trace_.beyond.empty()) {
    return {};
  }
  if (depth_ >= kMaxControlDepth || ++steps_ > kMostSteps) {
    give_up(depth_ >= kMaxControlDepth ? too_deep()
                                       : fmt::format("commands after the first {}", kMostSteps));
    return {};
  }
  ++depth_;
  Truth truth = dispatch(command);
  --depth_;
  return command.negated && command.kind != Kind::loop ? truth.negated() : truth;
}

Truth Interpreter::run_all(std::span<const Command> commands) {
  Truth last = Truth::of(true);
  for (const Command& command : commands) {
    last = run(command);
  }
  return last;
}

Truth Interpreter::dispatch(const Command& command) {
  switch (command.kind) {
    case Kind::simple:
      return simple(command);
    case Kind::sequence:
      return run_all(command.children);
    case Kind::pipeline: {
      Truth last = Truth::of(true);
      for (const Command& child : command.children) {
        last = apart({&child, 1});
      }
      return last;
    }
    case Kind::subshell:
      return apart(command.children);
    case Kind::both:
      return chained(command, true);
    case Kind::either:
      return chained(command, false);
    case Kind::branch:
      branch(command, 0);
      return {};
    case Kind::loop:
      loop(command);
      return {};
    case Kind::each:
      each(command);
      return {};
    case Kind::counted:
      counted(command);
      return {};
    case Kind::choice:
      choice(command);
      return {};
    case Kind::function:
      state_.functions[command.name] = {&command};
      return Truth::of(true);
    case Kind::test:
    case Kind::arithmetic: {
      Expansion expansion = expanding();
      std::optional<Truth> truth;
      if (command.kind == Kind::arithmetic && !command.words.empty()) {
        truth =
            assign_arithmetic(expansion.field(command.words.front()), state_.variables, expansion);
      }
      truth = truth ? truth : truth_of(command, expansion);
      remember(expansion);
      return *truth;
    }
  }
  return {};
}

Truth Interpreter::apart(std::span<const Command> commands) {
  const ScriptState before = state_;
  Truth truth;
  const bool ends = within(Frame::Kind::subshell, [&] { truth = run_all(commands); });
  restore(before);
  return ends ? Truth{} : truth;
}

Truth Interpreter::chained(const Command& command, bool wants) {
  const Truth first = run(command.children[0]);
  if (first.open()) {
    maybe(
        first, command.mark, [&] { run(command.children[1]); }, [] {});
    return {};
  }
  return first.yes() == wants ? guarded(command.children[0], command.children[1]) : first;
}

namespace {

Variable unknown_variable(const std::string& name) {
  return {Variable::Kind::text, false, {unknown_value({}, name)}, {}};
}

Variable argument_list(const ScriptState& state) {
  return {Variable::Kind::list, false, state.arguments, {}};
}

using Functions = decltype(ScriptState::functions);

void add_definitions(const Functions& first, Functions& result) {
  const std::vector<const Command*> none = {nullptr};
  for (auto& [name, definitions] : result) {
    const auto other = first.find(name);
    for (const Command* each : other == first.end() ? none : other->second) {
      if (std::ranges::find(definitions, each) == definitions.end()) {
        definitions.push_back(each);
      }
    }
  }
  for (auto [name, definitions] : first) {
    if (!result.contains(name)) {
      definitions.push_back(nullptr);
      result.emplace(name, std::move(definitions));
    }
  }
}

/// How many variables have other values in the second state.
std::size_t differences(const ScriptState& first, const ScriptState& second) {
  const bool equal = equal_text(argument_list(first), argument_list(second));
  return Variables::differing(first.variables, second.variables) + (equal ? 0 : 1);
}

}  // namespace

ScriptState merged(const ScriptState& first, const ScriptState& second, const Doubt& doubt) {
  ScriptState result = second;
  result.variables = Variables::merged(first.variables, second.variables, doubt);
  result.arguments = merged(argument_list(first), argument_list(second), doubt).fields;
  for (const auto& [name, variable] : first.kept) {
    const auto [own, fresh] = result.kept.emplace(name, variable);
    own->second = fresh ? unknown_variable(name) : merged(variable, own->second, doubt);
  }
  for (auto& [name, variable] : result.kept) {
    variable = first.kept.contains(name) ? std::move(variable) : unknown_variable(name);
  }
  add_definitions(first.functions, result.functions);
  for (const auto& [name, text] : first.written) {
    const auto own = result.written.find(name);
    if (own == result.written.end() || own->second.text() != text.text()) {
      result.written.insert_or_assign(name, unknown_field(text.mark, doubt.needs));
    }
  }
  result.more_arguments = first.more_arguments || second.more_arguments;
  result.elsewhere = first.elsewhere || second.elsewhere;
  return result;
}

Doubt Interpreter::doubt(std::vector<std::string> needs) {
  conditions_ += 2;
  return {conditions_ - 1, conditions_, std::move(needs)};
}

void Interpreter::keep(const Place& place,
                       ScriptState state,
                       const std::vector<std::string>& needs) {
  Frame& frame = frames_[place.frame];
  if (frame.kind == Frame::Kind::subshell || frame.kind == Frame::Kind::process) {
    frame.exited = true;  // what it has set is lost
    return;
  }
  std::optional<Frame::Left>& kept = place.round ? frame.round : frame.left;
  if (kept) {
    kept->state = merged(kept->state, state, doubt(needs));
    add_needs(needs, kept->needs);
  } else {
    kept = Frame::Left{std::move(state), needs};
  }
}

void Interpreter::release(const Place& place, std::optional<Frame::Left> kept) {
  if (ends_ == place) {
    ends_.reset();
  }
  if (!kept) {
    return;
  }
  if (!ends_) {
    state_ = merged(kept->state, state_, doubt(kept->needs));
    return;
  }
  keep(*ends_, std::exchange(state_, std::move(kept->state)), kept->needs);
  ends_.reset();
}

bool Interpreter::within(Frame::Kind kind, const std::function<void()>& body) {
  const Place place{frames_.size()};
  frames_.push_back({kind});
  body();
  std::optional<Frame::Left> left = std::move(frames_.back().left);
  const bool ends = ends_ == place || left || frames_.back().exited;
  frames_.pop_back();
  release(place, std::move(left));
  return ends;
}

void Interpreter::give_up(std::string_view limit) {
  if (trace_.beyond.empty()) {
    trace_.beyond = limit;
  }
}

void Interpreter::maybe(const Truth& truth,
                        const text::Mark& mark,
                        const std::function<void()>& first,
                        const std::function<void()>& second) {
  if (ends_) {
    return;
  }
  std::vector<std::string> needs = truth.needs;
  if (needs.empty()) {
    needs.push_back("the condition in line " + std::to_string(mark.start().line));
  }
  const ScriptState before = state_;
  const bool certain = std::exchange(certain_, false);
  first();
  const std::optional<Place> first_ends = std::exchange(ends_, std::nullopt);
  ScriptState left = std::exchange(state_, before);
  second();
  certain_ = certain;
  if (first_ends == ends_) {
    state_ = merged(left, state_, doubt(needs));
    return;
  }
  // What is left later waits; what is left first goes on.
  const bool first_goes_on = !first_ends || (ends_ && first_ends->inside(*ends_));
  if (first_goes_on) {
    keep(*ends_, std::exchange(state_, std::move(left)), needs);
    ends_ = first_ends;
    return;
  }
  keep(*first_ends, std::move(left), needs);
}

namespace {

void add_names(const Word& word, std::set<std::string>& names) {
  for (const Part& part : word.parts) {
    if (part.kind == Part::Kind::parameter) {
      names.insert(part.text);
    }
    for (const Word& operand : part.operand) {
      add_names(operand, names);
    }
  }
}

/// Names of the variables that a command's words and those of its parts contain.
void add_names(const Command& command, std::set<std::string>& names) {
  for (const Word& word : command.words) {
    add_names(word, names);
  }
  for (const Command& child : command.children) {
    add_names(child, names);
  }
}

}  // namespace

Truth Interpreter::guarded(const Command& condition, const Command& body) {
  const int before = failures_;
  Truth truth = run(body);
  if (failures_ == before) {
    return truth;
  }
  std::set<std::string> names;
  add_names(condition, names);
  for (const std::string& name : names) {
    const Variable* variable = state_.variables.find(name);
    if (variable != nullptr && variable->kind == Variable::Kind::text) {
      const text::Mark key = variable->key;
      state_.variables.assign(
          name, Variable::Kind::text, {unknown_value(variable->fields.front().mark, name)}, key);
    }
  }
  return truth;
}

void Interpreter::branch(const Command& command, std::size_t at) {
  const auto& children = command.children;
  if (at >= children.size()) {
    return;
  }
  if (at + 1 == children.size()) {
    run(children[at]);
    return;
  }
  const Truth truth = run(children[at]);
  if (truth.yes()) {
    guarded(children[at], children[at + 1]);
  } else if (truth.no()) {
    branch(command, at + 2);
  } else if (++depth_ < kMaxControlDepth) {
    maybe(
        truth,
        children[at].children.empty() ? command.mark : children[at].children.front().mark,
        [&] { run(children[at + 1]); },
        [&] { branch(command, at + 2); });
    --depth_;
  } else {
    --depth_;
    give_up(too_deep());
  }
}

namespace {

/// Whether a command or one inside it is `shift`.
bool shifts(const Command& command) {
  const auto any = [](const std::vector<Command>& commands) {
    return std::ranges::any_of(commands, shifts);
  };
  const auto literal = [](const Word& word) {
    return word.parts.size() == 1 && word.parts.front().kind == Part::Kind::text &&
           word.parts.front().text == "shift";
  };
  return (!command.words.empty() && literal(command.words.front())) || any(command.children) ||
         std::ranges::any_of(command.clauses,
                             [&](const Clause& clause) { return any(clause.body); });
}

}  // namespace

namespace {

/// The `read` that is the whole condition of a loop; null pointer for any other condition.
const Command* reading_command(const Command& condition) {
  const Command* all = &condition;
  while (all->kind == Kind::sequence && all->children.size() == 1) {
    all = &all->children.front();
  }
  const bool reads =
      all->kind == Kind::simple && !all->words.empty() && all->words.front().plain() == "read";
  const bool lines = std::ranges::none_of(
      all->words, [](const Word& word) { return word.plain().starts_with("-d"); });
  return reads && lines ? all : nullptr;
}

}  // namespace

bool Interpreter::follow_lines(const Command& command) {
  const Command* read = reading_command(command.children[0]);
  if (read == nullptr || command.negated || !read->input.empty() || !read->source.empty()) {
    return false;
  }
  Expansion expansion = expanding();
  const std::optional<Field> input = input_of(command, expansion);
  remember(expansion);
  const std::string text = input ? input->text() : std::string();
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (!input || !input->known() || lines > kMostRounds) {
    return false;
  }
  const auto take = [&](std::size_t begin, std::size_t end) {
    Command next = *read;
    next.input.push_back(literal_word(text.substr(begin, end - begin), input->mark));
    run(next);
  };
  std::size_t at = 0;
  while (at < text.size() && !ends_) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos && command.input.empty()) {
      break;  // `read` fails, but for a text after <<<
    }
    take(at, std::min(end, text.size()));
    one_round(command.children[1]);
    at = std::min(end, text.size()) + 1;
  }
  take(std::min(at, text.size()), text.size());  // what the last one reads
  return true;
}

/// A body once; what only ends the round is over then.
void Interpreter::one_round(const Command& body) {
  const std::size_t frame = frames_.size() - 1;
  run(body);
  release({frame, true}, std::exchange(frames_[frame].round, std::nullopt));
}

void Interpreter::any_rounds(const Truth& truth,
                             const text::Mark& mark,
                             const std::function<void()>& body) {
  constexpr int kMostPasses = 6;
  const ScriptState before = state_;
  maybe(truth, mark, body, [] {});
  const bool silent = std::exchange(silent_, true);
  std::size_t changed = 0;
  for (int pass = 0; pass < kMostPasses && !ends_ && trace_.beyond.empty(); ++pass) {
    const std::size_t now = differences(before, state_);
    if (now == changed) {
      break;  // further rounds change nothing else
    }
    changed = now;
    maybe(truth, mark, body, [] {});
    if (pass + 1 == kMostPasses && differences(before, state_) != changed) {
      give_up("a loop of unknown rounds that changes too much");
    }
  }
  silent_ = silent;
}

bool Interpreter::follow_rounds(const std::function<Truth()>& condition,
                                const Command& body,
                                const std::function<void()>& after) {
  const ScriptState before = state_;
  const std::vector<Frame> frames = frames_;
  const std::size_t started = trace_.invocations.size();
  const std::pair<int, int> counted = {programs_, tools_};
  std::optional<ScriptState> earlier;
  const bool gave_up = !trace_.beyond.empty();
  for (std::size_t round = 0; round < kMostRounds && !ends_ && trace_.beyond.empty(); ++round) {
    const Truth truth = condition();
    if (truth.open()) {
      break;
    }
    if (truth.no()) {
      return true;
    }
    one_round(body);
    if (ends_) {
      return true;
    }
    after();
    if (earlier && differences(*earlier, state_) == 0) {
      break;  // nothing ends it
    }
    earlier = round == kSomeRounds ? std::optional(state_) : std::nullopt;
  }
  if (gave_up || steps_ > kMostSteps) {
    return true;
  }
  trace_.beyond.clear();  // one round may be within the limits
  state_ = before;
  frames_ = frames;
  trace_.invocations.resize(started);
  std::tie(programs_, tools_) = counted;
  return false;
}

void Interpreter::loop(const Command& command) {
  const std::size_t before = read_.size();
  if (const Command* read = reading_command(command.children[0])) {
    for (const Word& word : read->words) {
      read_.push_back("${" + word.plain() + "}");
    }
  }
  within(Frame::Kind::loop, [&] {
    if (!follow_lines(command)) {
      rounds(command);
    }
  });
  read_.resize(before);
}

bool Interpreter::follow_arguments(const std::function<Truth()>& condition, const Command& body) {
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const Truth truth = condition();
    if (!truth.yes()) {
      return truth.no();
    }
    const std::size_t before = state_.arguments.size();
    one_round(body);
    if (ends_) {
      return true;
    }
    if (state_.arguments.size() >= before) {
      return all_present(state_.arguments);
    }
  }
  return false;
}

void Interpreter::rounds(const Command& command) {
  // A loop over the arguments ends when none is left; of one whose condition is not known each time,
  // one round is followed.
  const bool over_arguments = !command.negated && shifts(command.children[1]);
  const auto goes_on = [&] {
    const Truth each = run(command.children[0]);
    return command.negated ? each.negated() : each;
  };
  const bool followed = over_arguments ? follow_arguments(goes_on, command.children[1])
                                       : follow_rounds(goes_on, command.children[1], [] {});
  if (followed) {
    return;
  }
  any_rounds(goes_on(), command.mark, [&] {
    one_round(command.children[1]);
    goes_on();
  });
}

void Interpreter::counted(const Command& command) {
  const auto evaluated = [&](std::size_t section) -> Truth {
    Expansion expansion = expanding();
    const Field head = expansion.field(command.words.front());
    remember(expansion);
    // first; condition; step
    const std::vector<std::string> sections = split_at(';', head.text());
    if (!head.known() || sections.size() != 3) {
      return {Truth::Kind::unknown, head.needs()};
    }
    const std::string& text = sections[section];
    if (text.find_first_not_of(" \t\n") == std::string::npos) {
      return Truth::of(true);
    }
    if (const auto truth =
            assign_arithmetic(field_of(text, command.mark), state_.variables, expansion)) {
      return *truth;
    }
    const auto value = expansion.calculate(text);
    return value ? Truth::of(*value != 0) : Truth{};
  };
  evaluated(0);
  within(Frame::Kind::loop, [&] {
    const bool followed =
        follow_rounds([&] { return evaluated(1); }, command.children[0], [&] { evaluated(2); });
    if (!followed) {
      any_rounds(evaluated(1), command.mark, [&] {
        one_round(command.children[0]);
        if (!ends_) {
          evaluated(2);
          evaluated(1);
        }
      });
    }
  });
}

void Interpreter::each(const Command& command) {
  Expansion expansion = expanding();
  std::vector<Field> rounds = expansion.fields(command.words);
  take_open_arguments(rounds);  // a loop over arguments leaves defaults as they are
  remember(expansion);
  const auto one = [&](const Field& value) {
    state_.variables.assign(command.name, Variable::Kind::text, {value}, command.mark);
    one_round(command.children[0]);
  };
  within(Frame::Kind::loop, [&] {
    if (!std::ranges::all_of(rounds, &Field::known) || rounds.size() > kMostRounds) {
      any_rounds({}, command.mark, [&] { one(unknown_value(command.mark, command.name)); });
      return;
    }
    for (std::size_t i = 0; i < rounds.size() && !ends_; ++i) {
      one(rounds[i]);
    }
  });
}

void Interpreter::choice(const Command& command) {
  Expansion expansion = expanding();
  const Field subject = expansion.field(command.words.front());
  remember(expansion);
  choose(command, 0, subject);
}

void Interpreter::choose(const Command& command, std::size_t at, const Field& subject) {
  if (at >= command.clauses.size()) {
    return;
  }
  if (depth_ >= kMaxControlDepth) {
    give_up(too_deep());
    return;
  }
  const Clause& clause = command.clauses[at];
  Expansion expansion = expanding();
  const Truth truth = matches(clause, subject, expansion);
  if (truth.yes()) {
    run_all(clause.body);
  } else if (truth.no()) {
    choose(command, at + 1, subject);
  } else {
    ++depth_;
    maybe(
        truth,
        command.mark,
        [&] { run_all(clause.body); },
        [&] { choose(command, at + 1, subject); });
    --depth_;
  }
}

Trace follow(const text::SourceFile& script, const Surroundings& surroundings) {
  return Interpreter(surroundings).run(script);
}

Trace follow(const std::vector<Field>& words, const Surroundings& surroundings) {
  return Interpreter(surroundings).run(words);
}

namespace {

using VariableKind = Variable::Kind;

/// The value appended to the previous one.
std::vector<Field> appended(std::vector<Field> before, std::vector<Field> more, bool list) {
  if (list) {
    std::move(more.begin(), more.end(), std::back_inserter(before));
  } else {
    std::vector<Piece>& pieces = more.front().pieces;
    std::move(pieces.begin(), pieces.end(), std::back_inserter(before.front().pieces));
  }
  return before;
}

}  // namespace

namespace {

/// The place of an element that is there, or of the next one: -1 is the last; nullopt for other
/// places, and where it is not known which elements there are.
std::optional<std::size_t> list_place(const std::string& index,
                                      const Variable& list,
                                      const Expansion& expansion) {
  const auto place = expansion.place_in(list.fields, list.sparse, index);
  const auto size = static_cast<std::int64_t>(list.fields.size());
  const bool known =
      list.kind == VariableKind::list && std::ranges::all_of(list.fields, &Field::known);
  return known && place && *place >= 0 && *place <= size
             ? std::optional(static_cast<std::size_t>(*place))
             : std::nullopt;
}

/// NAME[index]=word: unknown where the list would have gaps, and of NAME[index]+=word.
void assign_element(const Assignment& assignment, Variables& variables, Expansion& expansion) {
  const Variable* before = variables.find(assignment.name);
  const Field index = expansion.field(assignment.index.front());
  const bool plain = index.known() && !assignment.append && !assignment.list;
  const auto place =
      before != nullptr && plain ? list_place(index.text(), *before, expansion) : std::nullopt;
  std::vector<Field> fields{unknown_elements(assignment.mark, assignment.name)};
  if (place) {
    Field value = expansion.field(assignment.values.front());
    before = variables.find(assignment.name);  // ${X:=1} assigns
    fields = before->fields;
    fields.resize(std::max(fields.size(), *place + 1));
    fields[*place] = std::move(value);
  }
  variables.assign(assignment.name, VariableKind::list, std::move(fields), assignment.key);
}

}  // namespace

void assign(const Assignment& assignment, Variables& variables, Expansion& expansion) {
  if (!assignment.index.empty()) {
    assign_element(assignment, variables, expansion);
    return;
  }
  std::vector<Field> fields;
  if (assignment.list) {
    fields = expansion.fields(assignment.values);
    const auto is_keyed = [](const Field& field) {
      return field.text().starts_with('[') && field.text().find("]=") != std::string::npos;
    };
    if (std::ranges::any_of(fields, is_keyed)) {  // declare -A x=([key]=value)
      fields = {unknown_value(assignment.mark, assignment.name)};
    }
  } else {
    fields.push_back(expansion.field(assignment.values.front()));
  }
  const Variable* before = variables.find(assignment.name);
  const bool append = assignment.append && before != nullptr && !before->fields.empty();
  if (append) {
    fields = appended(before->fields, std::move(fields), assignment.list);
  }
  const bool list = assignment.list || (append && before->kind == VariableKind::list);
  const bool sparse = append && before->sparse;
  variables.assign(assignment.name,
                   list ? VariableKind::list : VariableKind::text,
                   std::move(fields),
                   assignment.key);
  if (sparse) {
    variables.mark_sparse(assignment.name);
  }
}

namespace {

/// declare -n NAME=OTHER
void refer(const Assignment& assignment, Variables& variables, Expansion& expansion) {
  const Field target =
      assignment.values.empty() ? Field() : expansion.field(assignment.values.front());
  const std::string name = target.text();
  if (target.known() && !name.empty() && name_length(name, 0) == name.size()) {
    variables.refer(assignment.name, name);
  } else {
    variables.set(assignment.name,
                  {VariableKind::text,
                   false,
                   {unknown_value(assignment.mark, assignment.name)},
                   assignment.key});
  }
}

}  // namespace

void declare(const Command& command,
             const std::vector<Field>& words,
             Variables& variables,
             Expansion& expansion) {
  const bool exports = words.front().text() == "export" ||
                       std::any_of(words.begin(), words.end(), [](const Field& word) {
                         const std::string text = word.text();
                         return text.starts_with("-") && text.find('x') != std::string::npos;
                       });
  const bool refers = std::any_of(words.begin() + 1, words.end(), [](const Field& word) {
    const std::string text = word.text();
    return text.size() > 1 && text[0] == '-' && text[1] != '-' &&
           text.find('n') != std::string::npos;
  });
  for (const Assignment& assignment : command.assignments) {
    if (refers && words.front().text() != "export") {
      refer(assignment, variables, expansion);
      continue;
    }
    assign(assignment, variables, expansion);
    if (exports) {
      variables.mark_exported(assignment.name);
    }
  }
  for (std::size_t i = 1; i < words.size() && exports; ++i) {
    variables.mark_exported(words[i].text());
  }
}

std::vector<std::string> names_declared(const Command& command, const std::vector<Field>& words) {
  std::vector<std::string> names;
  for (const Assignment& assignment : command.assignments) {
    names.push_back(assignment.name);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].text().starts_with("-")) {
      names.push_back(words[i].text());
    }
  }
  return names;
}

namespace {

/// Whether `text` goes on at `at` with a sign that assigns to the name before it.
bool assigns(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(std::min(text.find_first_not_of(' ', at), text.size()));
  constexpr std::array<std::string_view, 7> kSigns = {"++", "--", "+=", "-=", "*=", "/=", "%="};
  const bool plain = rest.starts_with('=') && !rest.starts_with("==");
  return plain || std::any_of(kSigns.begin(), kSigns.end(), [rest](std::string_view sign) {
           return rest.starts_with(sign);
         });
}

}  // namespace

std::optional<Truth> assign_arithmetic(const Field& expression,
                                       Variables& variables,
                                       Expansion& expansion) {
  const std::string text = expression.text();
  const auto assigned = expression.known() ? expansion.calculate_assignment(text) : std::nullopt;
  if (assigned) {
    Field value = assigned->now ? field_of(std::to_string(*assigned->now), expression.mark)
                                : unknown_value(expression.mark, assigned->name);
    variables.assign(assigned->name, VariableKind::text, {std::move(value)}, expression.mark);
    return assigned->result ? Truth::of(*assigned->result != 0) : Truth{};
  }
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = name_length(text, at);
    const std::string name = text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
    if (length == 0 || !assigns(text, at)) {
      continue;
    }
    any = true;
    variables.assign(
        name, VariableKind::text, {unknown_value(expression.mark, name)}, expression.mark);
  }
  return any ? std::optional(Truth{}) : std::nullopt;
}

bool read_lines(const Field& input, const std::vector<Field>& words, Variables& variables) {
  if (!input.known() || words.size() != 3 || words[1].text() != "-t" || !words[2].known()) {
    return false;
  }
  std::vector<Field> lines = divided_at('\n', input);
  if (lines.empty()) {
    lines.push_back(field_of("", input.mark));  // <<< "" is an empty line
  }
  variables.assign(words[2].text(), VariableKind::list, std::move(lines), words[2].mark);
  return true;
}

void read_variables(const std::vector<Field>& words, Variables& variables) {
  const bool lines = words.front().text() == "mapfile" || words.front().text() == "readarray";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string name = words[i].text();
    if (name.starts_with("-")) {
      continue;
    }
    if (lines) {
      variables.assign(
          name, Variable::Kind::list, {unknown_elements(words[i].mark, name)}, words[i].mark);
      continue;
    }
    variables.assign(name, VariableKind::text, {unknown_value(words[i].mark, name)}, words[i].mark);
  }
}

namespace {

/// unset 'L[1]'
void unset_element(const Field& word,
                   const std::string& name,
                   Variables& variables,
                   Expansion& expansion) {
  const Variable* list = variables.find(name);
  const std::string text = word.text();
  if (list == nullptr || list->kind != VariableKind::list) {
    return;
  }
  const std::string index = text.substr(name.size() + 1, text.size() - name.size() - 2);
  const auto place = list_place(index, *list, expansion);
  std::vector<Field> fields = list->fields;
  const text::Mark key = list->key;
  if (!place) {
    fields = {unknown_elements(word.mark, name)};
  } else if (*place < fields.size()) {
    fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(*place));
  }
  const bool sparse = place && *place < fields.size();
  variables.assign(name, VariableKind::list, std::move(fields), key);
  if (sparse) {
    variables.mark_sparse(name);
  }
}

}  // namespace

void unset_variables(const std::vector<Field>& words, Variables& variables, Expansion& expansion) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string text = words[i].text();
    const std::size_t length = name_length(text, 0);
    if (words[i].known() && length > 0 && text.substr(length).starts_with('[') &&
        text.ends_with(']')) {
      unset_element(words[i], text.substr(0, length), variables, expansion);
    } else if (!text.starts_with('-')) {
      variables.set(text, {VariableKind::unset, true, {}, words[i].mark});
    }
  }
}

void print_to_variable(const std::vector<Field>& words, Variables& variables) {
  std::vector<std::string> texts;
  std::transform(words.begin() + 3, words.end(), std::back_inserter(texts), [](const Field& word) {
    return word.text();
  });
  const bool known = words.size() > 3 && std::ranges::all_of(words, &Field::known);
  const auto text = known ? formatted(texts) : std::nullopt;
  const std::string name = words[2].text();
  Field value = text ? field_of(*text, words[2].mark) : unknown_value(words[2].mark, name);
  variables.assign(name, VariableKind::text, {std::move(value)}, words[2].mark);
}

}  // namespace epwise::shell
