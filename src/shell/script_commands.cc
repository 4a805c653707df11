#include <algorithm>
#include <iterator>
#include <utility>

#include "shell/assignment.h"
#include "shell/conditions.h"
#include "shell/script_run.h"

namespace epwise::shell {
namespace {

constexpr std::size_t kMostInvocations = 256;

/// Whether a command may be the launch itself, and no `pkill` or `mkdir` before it.
bool runs_python(const Invocation& invocation) {
  const std::string first = invocation.words.empty() ? "" : invocation.words.front().text();
  return first != "pkill" && first != "killall" &&
         std::ranges::any_of(invocation.words, [](const Field& word) {
           const std::string text = word.text();
           const std::string name = text.substr(text.rfind('/') + 1);
           return name.ends_with(".py") || name.starts_with("python") || name == "torchrun" ||
                  name == "megatron";
         });
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

/// Whether `cd` may go to a folder that is not one around the script. `cd "$(dirname "$0")/.."` and
/// relative names stay near.
bool leaves(const std::vector<Field>& words) {
  if (words.size() < 2) {
    return true;  // to $HOME
  }
  const std::string folder = words[1].text();
  const bool near = words[1].known() && !folder.starts_with('/');
  return !near && folder.find("dirname") == std::string::npos &&
         folder.find("BASH_SOURCE") == std::string::npos;
}

}  // namespace

Expansion Interpreter::expanding() {
  return {variables_, arguments_, surroundings_};
}

void Interpreter::remember(const Expansion& expansion) {
  trace_.uses_arguments = trace_.uses_arguments || expansion.used_arguments();
}

Truth Interpreter::simple(const Command& command) {
  Expansion expansion = expanding();
  std::vector<Field> words = expansion.fields(command.words);
  if (words.empty()) {
    for (const Assignment& assignment : command.assignments) {
      assign(assignment, variables_, expansion);
    }
    remember(expansion);
    return Truth::of(true);
  }
  remember(expansion);
  const std::string name = words.front().known() ? words.front().text() : std::string();
  if (declares(name)) {
    declare(command, words, variables_, expansion);
    remember(expansion);
    return Truth::of(true);
  }
  if (name == "read" && !command.input.empty() && reads_whole(words)) {
    variables_.assign(words.back().text(),
                      Variable::Kind::text,
                      {expansion.field(command.input.front())},
                      words.back().mark);
    remember(expansion);
    return Truth{};
  }
  if (const auto truth = builtin(name, words)) {
    return *truth;
  }
  const auto function = functions_.find(name);
  if (function != functions_.end()) {
    call(*function->second, {words.begin() + 1, words.end()});
    return {};
  }
  external(command, std::move(words), expansion);
  return {};
}

std::optional<Truth> Interpreter::builtin(const std::string& name, std::vector<Field>& words) {
  if (name == "[" || name == "test") {
    std::vector<Field> inside(words.begin() + 1, words.end());
    if (name == "[" && !inside.empty()) {
      inside.pop_back();
    }
    return evaluate_test(inside, false);
  }
  if (name == "false") {
    return Truth::of(false);
  }
  if (name == "exit") {
    // One that surely stands before every launch is for a call without arguments.
    const bool fails = words.size() > 1 && words[1].known() && words[1].text() != "0";
    const bool started =
        fails ? std::ranges::any_of(trace_.invocations, runs_python) : !trace_.invocations.empty();
    done_ = !certain_ || started;
    return Truth::of(true);
  }
  if (name == "return") {
    done_ = calls_ > 0;
    return Truth::of(true);
  }
  if (name == "shift") {
    arguments_.erase(arguments_.begin(), arguments_.begin() + (arguments_.empty() ? 0 : 1));
    return Truth::of(true);
  }
  if (name == "unset") {
    unset_variables(words, variables_);
    return Truth::of(true);
  }
  if (name == "source" || name == ".") {
    return include(words);
  }
  if (name == "eval" && words.size() > 1) {
    words.erase(words.begin());
    run_nested(joined(words), {});
    return Truth{};
  }
  if (name == "read" || name == "mapfile" || name == "readarray") {
    read_variables(words, variables_);
    return Truth{};
  }
  if (name == "cd" || name == "pushd") {
    elsewhere_ = elsewhere_ || leaves(words);
  }
  return succeeds(name) ? std::optional<Truth>(Truth::of(true)) : std::nullopt;
}

void Interpreter::call(const Command& function, std::vector<Field> arguments) {
  std::swap(arguments_, arguments);
  ++calls_;
  run_all(function.children);
  --calls_;
  done_ = false;
  std::swap(arguments_, arguments);
}

Truth Interpreter::include(const std::vector<Field>& words) {
  const auto file = words.size() > 1 ? open(words[1]) : nullptr;
  if (file != nullptr) {
    run_nested(Source(*file), {});
  }
  return Truth::of(true);
}

std::shared_ptr<const text::SourceFile> Interpreter::open(const Field& path) {
  constexpr std::size_t kMostFiles = 16;
  if (!surroundings_.open || !path.known() || trace_.files.size() >= kMostFiles) {
    return nullptr;
  }
  auto file = surroundings_.open(path.text());
  if (file != nullptr) {
    trace_.files.push_back(file);
  }
  return file;
}

void Interpreter::run_nested(const Source& source, std::vector<Field> outer) {
  constexpr int kMostNested = 8;
  if (nested_ >= kMostNested) {
    return;
  }
  ++nested_;
  const std::size_t before = outer_.size();
  std::move(outer.begin(), outer.end(), std::back_inserter(outer_));
  run_text(source);
  outer_.resize(before);
  --nested_;
}

void Interpreter::external(const Command& command, std::vector<Field> words, Expansion& expansion) {
  const Variables before = variables_;
  for (const Assignment& assignment : command.assignments) {
    assign(assignment, variables_, expansion);
    variables_.mark_exported(assignment.name);
  }
  std::optional<Field> input;
  if (!command.input.empty()) {
    input = expansion.field(command.input.front());
  }
  remember(expansion);
  const bool writes =
      words.size() == 1 && words.front().text() == "cat" && input && !command.output.empty();
  if (writes) {
    written_.insert_or_assign(expansion.field(command.output.front()).text(), *input);
  } else if (const auto nested = nested_script(words, input)) {
    enter(*nested, words);
  } else {
    record(std::move(words));
  }
  variables_ = before;
}

void Interpreter::enter(const NestedScript& nested, const std::vector<Field>& words) {
  std::vector<Field> outer(words.begin(),
                           words.begin() + static_cast<std::ptrdiff_t>(nested.first));
  if (!nested.path) {
    const Variables before = variables_;
    if (nested.remote) {
      variables_ = {};
    }
    run_nested(nested.source, std::move(outer));
    variables_ = before;
    return;
  }
  const auto own = written_.find(words[*nested.path].text());
  const auto file = own == written_.end() ? open(words[*nested.path]) : nullptr;
  if (file == nullptr && own == written_.end()) {
    record(words);
    return;
  }
  std::vector<Field> arguments(words.begin() + static_cast<std::ptrdiff_t>(*nested.path) + 1,
                               words.end());
  const Variables all = variables_;
  variables_ = {};
  for (const auto& [name, variable] : all.exported()) {
    variables_.set(name, variable);
  }
  std::swap(arguments_, arguments);
  if (file == nullptr) {
    run_nested(joined({own->second}), std::move(outer));
  } else {
    for (Field& directive : directives(*file)) {
      outer.push_back(std::move(directive));
    }
    run_nested(Source(*file), std::move(outer));
  }
  std::swap(arguments_, arguments);
  variables_ = all;
  done_ = false;
}

void Interpreter::record(std::vector<Field> words) {
  if (trace_.invocations.size() >= kMostInvocations) {
    return;
  }
  Invocation invocation;
  invocation.words = outer_;
  std::move(words.begin(), words.end(), std::back_inserter(invocation.words));
  invocation.environment = variables_.exported();
  invocation.certain = certain_;
  invocation.elsewhere = elsewhere_;
  trace_.invocations.push_back(std::move(invocation));
}

}  // namespace epwise::shell
