#include <algorithm>
#include <utility>

#include "shell/conditions.h"
#include "shell/parser.h"
#include "shell/script_run.h"

namespace epwise::shell {
namespace {

using Kind = Command::Kind;

constexpr int kMaxDepth = 64;
constexpr int kMostSteps = 20'000;
constexpr std::size_t kMostRounds = 128;

}  // namespace

Trace Interpreter::run(const text::SourceFile& script) {
  run_text(Source(script));
  return std::move(trace_);
}

void Interpreter::run_text(const Source& source) {
  scripts_.push_back(parse(source));
  run(scripts_.back());
}

Truth Interpreter::run(const Command& command) {
  if (done_ || depth_ >= kMaxDepth || ++steps_ > kMostSteps) {
    return {};
  }
  ++depth_;
  Truth truth = dispatch(command);
  --depth_;
  return command.negated && command.kind != Kind::loop ? truth.negated() : truth;
}

Truth Interpreter::run_all(const std::vector<Command>& commands) {
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
    case Kind::pipeline:
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
    case Kind::choice:
      choice(command);
      return {};
    case Kind::function:
      functions_[command.name] = &command;
      return Truth::of(true);
    case Kind::test:
    case Kind::arithmetic: {
      Expansion expansion = expanding();
      const Truth truth = truth_of(command, expansion);
      remember(expansion);
      return truth;
    }
  }
  return {};
}

Truth Interpreter::apart(const std::vector<Command>& commands) {
  const Variables before = variables_;
  const Truth truth = run_all(commands);
  variables_ = before;
  done_ = false;
  return truth;
}

Truth Interpreter::chained(const Command& command, bool wants) {
  const Truth first = run(command.children[0]);
  if (first.open()) {
    maybe(
        first, command.mark, [&] { run(command.children[1]); }, [] {});
    return {};
  }
  return first.yes() == wants ? run(command.children[1]) : first;
}

void Interpreter::maybe(const Truth& truth,
                        const text::Mark& mark,
                        const std::function<void()>& first,
                        const std::function<void()>& second) {
  const Variables before = variables_;
  const bool certain = std::exchange(certain_, false);
  first();
  const bool first_ends = std::exchange(done_, false);
  Variables left = std::move(variables_);
  variables_ = before;
  second();
  const bool second_ends = std::exchange(done_, false);
  certain_ = certain;
  if (first_ends != second_ends) {
    if (second_ends) {
      variables_ = std::move(left);
    }
    return;
  }
  Doubt doubt{conditions_ + 1, conditions_ + 2, truth.needs};
  conditions_ += 2;
  if (doubt.needs.empty()) {
    doubt.needs.push_back("the condition in line " + std::to_string(mark.start().line));
  }
  variables_ = Variables::merged(left, variables_, doubt);
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
    run(children[at + 1]);
  } else if (truth.no()) {
    branch(command, at + 2);
  } else if (++depth_ < kMaxDepth) {
    maybe(
        truth,
        children[at].children.empty() ? command.mark : children[at].children.front().mark,
        [&] { run(children[at + 1]); },
        [&] { branch(command, at + 2); });
    --depth_;
  } else {
    --depth_;
  }
}

void Interpreter::loop(const Command& command) {
  const Truth truth = run(command.children[0]);
  const bool runs = command.negated ? !truth.yes() : !truth.no();
  if (runs) {
    maybe(
        truth, command.mark, [&] { run(command.children[1]); }, [] {});
  }
}

void Interpreter::each(const Command& command) {
  Expansion expansion = expanding();
  const std::vector<Field> rounds = expansion.fields(command.words);
  remember(expansion);
  const bool known =
      std::all_of(rounds.begin(), rounds.end(), [](const Field& field) { return field.known(); });
  if (known && rounds.size() <= kMostRounds) {
    for (const Field& round : rounds) {
      variables_.assign(command.name, Variable::Kind::text, {round}, command.mark);
      run(command.children[0]);
    }
    return;
  }
  const auto body = [&] {
    variables_.assign(command.name,
                      Variable::Kind::text,
                      {unknown_field(command.mark, {"${" + command.name + "}"})},
                      command.mark);
    run(command.children[0]);
  };
  maybe({}, command.mark, body, [] {});
}

void Interpreter::choice(const Command& command) {
  Expansion expansion = expanding();
  const Field subject = expansion.field(command.words.front());
  remember(expansion);
  choose(command, 0, subject);
}

void Interpreter::choose(const Command& command, std::size_t at, const Field& subject) {
  if (at >= command.clauses.size() || depth_ >= kMaxDepth) {
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

}  // namespace epwise::shell
