#include "shell/assignment.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace epwise::shell {
namespace {

using Kind = Variable::Kind;

/// What stands behind what was there.
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

void assign(const Assignment& assignment, Variables& variables, Expansion& expansion) {
  if (assignment.indexed) {
    std::vector<Field> unknown{unknown_field(assignment.mark, {"${" + assignment.name + "}"})};
    variables.assign(assignment.name, Kind::list, std::move(unknown), assignment.key);
    return;
  }
  std::vector<Field> fields;
  if (assignment.list) {
    fields = expansion.fields(assignment.values);
  } else {
    fields.push_back(expansion.field(assignment.values.front()));
  }
  const Variable* before = variables.find(assignment.name);
  const bool append = assignment.append && before != nullptr && !before->fields.empty();
  if (append) {
    fields = appended(before->fields, std::move(fields), assignment.list);
  }
  const bool list = assignment.list || (append && before->kind == Kind::list);
  variables.assign(
      assignment.name, list ? Kind::list : Kind::text, std::move(fields), assignment.key);
}

void declare(const Command& command,
             const std::vector<Field>& words,
             Variables& variables,
             Expansion& expansion) {
  const bool exports = words.front().text() == "export" ||
                       std::any_of(words.begin(), words.end(), [](const Field& word) {
                         const std::string text = word.text();
                         return text.starts_with("-") && text.find('x') != std::string::npos;
                       });
  for (const Assignment& assignment : command.assignments) {
    assign(assignment, variables, expansion);
    if (exports) {
      variables.mark_exported(assignment.name);
    }
  }
  for (std::size_t i = 1; i < words.size() && exports; ++i) {
    variables.mark_exported(words[i].text());
  }
}

void read_variables(const std::vector<Field>& words, Variables& variables) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string name = words[i].text();
    if (!name.starts_with("-")) {
      variables.assign(
          name, Kind::text, {unknown_field(words[i].mark, {"${" + name + "}"})}, words[i].mark);
    }
  }
}

void unset_variables(const std::vector<Field>& words, Variables& variables) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    variables.set(words[i].text(), {Kind::unset, true, {}, words[i].mark});
  }
}

}  // namespace epwise::shell
