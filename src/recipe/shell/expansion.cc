#include "recipe/shell/expansion.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/ascii.h"
#include "recipe/shell/arithmetic.h"
#include "recipe/shell/parser.h"
#include "recipe/shell/pattern.h"
#include "recipe/shell/words.h"

namespace epwise::shell {

/// The directory of a command substitution, if it is the script's own or a parent of it:
///   dirname "$0"                                    with scripts/run.sh → "scripts"
///   cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd                       → "scripts/.."
std::optional<std::string> own_folder(std::string_view command, std::string_view script);

/// The directory of a path, "." where it has none.
std::string folder_of(std::string_view path);

/// Whether a job's scheduler or launcher sets this name, so that its default is not meaningful:
/// SLURM_NNODES, RANK, …
bool is_set_by_scheduler(std::string_view name);

namespace {

using State = Looked::State;

constexpr int kMaxExpansionDepth = 24;
constexpr std::size_t kMostFields = 20'000;

bool has_blank(const Field& field) {
  return std::any_of(field.pieces.begin(), field.pieces.end(), [](const Piece& piece) {
    return !piece.unknown() && std::any_of(piece.text.begin(), piece.text.end(), is_blank);
  });
}

bool is_flag(const Field& field) {
  return !field.pieces.empty() && field.pieces.front().text.starts_with('-');
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string need_of(const std::string& name) {
  return "${" + name + "}";
}

/// The elements of a list: words of their own, or joined by blanks between quotes.
void add_elements(const Part& part,
                  const std::vector<Field>& elements,
                  const std::string& index,
                  FieldBuilder& builder) {
  const bool apart = part.quoted && index == "@";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0 && (apart || !part.quoted)) {
      builder.end();
    } else if (i > 0) {
      Piece blank;
      blank.text = " ";
      blank.mark = part.mark;
      blank.quoted = true;
      builder.add(std::move(blank));
    }
    for (const Piece& piece : elements[i].pieces) {
      builder.place(piece, part.quoted);
    }
  }
}

}  // namespace

std::vector<Field> Expansion::fields(const std::vector<Word>& words) {
  std::vector<Field> all;
  for (const Word& word : words) {
    for (Field& field : fields(word)) {
      if (all.size() < kMostFields) {
        all.push_back(std::move(field));
      }
    }
  }
  return all;
}

std::vector<Field> Expansion::fields(const Word& word) {
  FieldBuilder builder(true);
  add(word, builder);
  return builder.finish(word.mark);
}

Field Expansion::field(const Word& word) {
  FieldBuilder builder(false);
  add(word, builder);
  std::vector<Field> all = builder.finish(word.mark);
  if (all.empty()) {
    return field_of("", word.mark);
  }
  Field result = std::move(all.front());
  for (std::size_t i = 1; i < all.size(); ++i) {
    Piece blank;
    blank.text = " ";
    blank.mark = all[i].mark;
    result.pieces.push_back(std::move(blank));
    std::move(all[i].pieces.begin(), all[i].pieces.end(), std::back_inserter(result.pieces));
  }
  return result;
}

Field Expansion::pattern(const Word& word) {
  Field result = field(word);
  for (Piece& piece : result.pieces) {
    piece.text = piece.quoted ? escaped(piece.text) : piece.text;
  }
  return result;
}

void Expansion::add(const Word& word, FieldBuilder& builder) {
  if (++depth_ > kMaxExpansionDepth) {
    --depth_;
    return;
  }
  for (const Part& part : word.parts) {
    switch (part.kind) {
      case Part::Kind::text: {
        Piece piece;
        piece.text = part.text;
        piece.mark = part.mark;
        piece.verbatim = part.verbatim;
        piece.quoted = part.quoted;
        piece.condition = part.condition;
        piece.needs = part.needs;
        builder.add(std::move(piece));
        break;
      }
      case Part::Kind::parameter:
        add_parameter(part, builder);
        break;
      case Part::Kind::arithmetic:
        add_arithmetic(part, builder);
        break;
      case Part::Kind::command:
        add_command(part, builder);
        break;
    }
  }
  --depth_;
}

Looked Expansion::look_up(const std::string& name) const {
  if (const Variable* variable = variables_.find(name)) {
    const bool set = variable->kind != Variable::Kind::unset;
    return {
        set ? State::set : State::unset, variable->kind == Variable::Kind::list, variable->fields};
  }
  if (name == "@" || name == "*") {
    used_arguments_ = true;
    return {State::set, true, arguments_};
  }
  if (name == "#") {
    return {State::set, false, {field_of(std::to_string(arguments_.size()))}};
  }
  if (name == "0" || name == "BASH_SOURCE") {
    return {State::set, false, {field_of(surroundings_.path)}};
  }
  if (is_number(name)) {
    used_arguments_ = true;
    const std::size_t place = name.size() > 4 ? 0 : static_cast<std::size_t>(std::stoul(name));
    if (place == 0 || place > arguments_.size()) {
      return {};
    }
    return {State::set, false, {arguments_[place - 1]}};
  }
  const auto bound = surroundings_.environment.find(name);
  if (bound == surroundings_.environment.end()) {
    const bool special = name_length(name, 0) == 0;  // $?, $$
    const bool unknown = special || is_set_by_scheduler(name);
    return {unknown ? State::unknown : State::unbound};
  }
  if (!bound->second) {
    return {State::unset};
  }
  Field value = field_of(*bound->second);
  value.pieces.front().caller = true;
  return {State::set, false, {std::move(value)}};
}

std::string Expansion::index_of(const Part& part) {
  if (part.index.empty()) {
    return part.text == "@" || part.text == "*" ? part.text : std::string();
  }
  const Field index = field(part.index.front());
  return index.known() ? index.text() : "?";
}

void Expansion::add_parameter(const Part& part, FieldBuilder& builder) {
  const Looked looked = look_up(part.text);
  const std::string index = index_of(part);
  if (index == "@" || index == "*") {
    add_list(part, looked, index, builder);
    return;
  }
  if (!index.empty() && looked.list) {
    const auto place = calculate(index);
    Looked one{State::unset};
    if (!place) {
      one.state = State::unknown;
    } else if (*place >= 0 && static_cast<std::size_t>(*place) < looked.fields.size()) {
      one = {State::set, false, {looked.fields[static_cast<std::size_t>(*place)]}};
    }
    add_single(part, one, builder);
    return;
  }
  if (looked.list && looked.fields.size() > 1) {
    add_single(part, {State::set, false, {looked.fields.front()}}, builder);
    return;
  }
  const bool empty_list = looked.list && looked.fields.empty();
  add_single(part, empty_list ? Looked{State::unset} : looked, builder);
}

void Expansion::add_list(const Part& part,
                         const Looked& looked,
                         const std::string& index,
                         FieldBuilder& builder) {
  if (part.operation == "#") {
    Field count = field_of(std::to_string(looked.fields.size()), part.mark);
    const bool sure = std::all_of(looked.fields.begin(),
                                  looked.fields.end(),
                                  [](const Field& each) { return each.condition() == 0; });
    if (sure && looked.state == State::set) {
      add_value(part, count, builder);
    } else {
      add_unknown(part, {need_of(part.text)}, false, builder);
    }
    return;
  }
  if (looked.state == State::unbound || looked.state == State::unknown) {
    if (!part.operand.empty()) {
      add_default(part, looked, builder);
    } else {
      const bool elsewhere = looked.state == State::unbound && !variables_.unread().empty();
      add_unknown(part, {elsewhere ? variables_.unread() : need_of(part.text)}, true, builder);
    }
    return;
  }
  if (looked.fields.empty() && part.operation.ends_with('-')) {
    add_default(part, looked, builder);
    return;
  }
  add_elements(part, looked.fields, index, builder);
}

void Expansion::add_single(const Part& part, const Looked& looked, FieldBuilder& builder) {
  if (part.operation.empty()) {
    if (looked.state == State::set && !looked.fields.empty()) {
      add_value(part, looked.fields.front(), builder);
    } else if (looked.state == State::unset) {
      add_value(part, field_of("", part.mark), builder);
    } else {
      add_unknown(part, {need_of(part.text)}, looked.state == State::unbound, builder);
    }
    return;
  }
  const bool may_be_unset =
      std::string_view("-=+?").find(part.operation.back()) != std::string_view::npos;
  if (may_be_unset && !part.operand.empty()) {
    add_default(part, looked, builder);
    return;
  }
  if (looked.state != State::set || looked.fields.empty() || !looked.fields.front().known()) {
    add_unknown(part, {need_of(part.text)}, false, builder);
    return;
  }
  add_changed(part, looked.fields.front(), builder);
}

void Expansion::add_default(const Part& part, const Looked& looked, FieldBuilder& builder) {
  const char kind = part.operation.back();
  const bool colon = part.operation.front() == ':';
  if (looked.state == State::unknown) {
    add_unknown(part, {need_of(part.text)}, false, builder);
    return;
  }
  const bool listed = looked.state == State::set && !looked.fields.empty();
  const bool empty = listed && looked.fields.size() == 1 && looked.fields.front().known() &&
                     looked.fields.front().text().empty();
  const bool counts = listed && !(colon && empty);
  if (kind == '+') {
    if (counts && looked.fields.front().known()) {
      add_value(part, field(part.operand.front()), builder);
    } else if (counts) {
      add_unknown(part, looked.fields.front().needs(), false, builder);
    } else {
      add_value(part, field_of("", part.mark), builder);
    }
    return;
  }
  if (counts) {
    add_value(part, looked.fields.front(), builder);
    return;
  }
  if (kind == '?') {
    add_unknown(part, {need_of(part.text)}, true, builder);
    return;
  }
  Field value = field(part.operand.front());
  if (kind == '=' && !is_number(part.text)) {
    variables_.assign(part.text, Variable::Kind::text, {value}, part.mark);
  }
  add_value(part, value, builder);
}

/// ${#x}, ${x%pattern}, ${x/old/new}
void Expansion::add_changed(const Part& part, const Field& value, FieldBuilder& builder) {
  const std::string text = value.text();
  if (part.operand.empty()) {
    if (part.operation == "#") {
      add_value(part, field_of(std::to_string(text.size()), part.mark), builder);
    } else {
      add_unknown(part, {need_of(part.text)}, false, builder);
    }
    return;
  }
  const char kind = part.operation.front();
  if (kind != '#' && kind != '%') {
    add_unknown(part, {need_of(part.text)}, false, builder);
    return;
  }
  const Field what = pattern(part.operand.front());
  if (!what.known() || text.size() > 4096) {
    add_unknown(part, {need_of(part.text)}, false, builder);
    return;
  }
  add_value(part, field_of(without(text, part.operation, what.text()), part.mark), builder);
}

void Expansion::add_unknown(const Part& part,
                            std::vector<std::string> needs,
                            bool unbound,
                            FieldBuilder& builder) {
  Piece piece;
  piece.text = written_at(part.mark);
  piece.mark = part.mark;
  piece.quoted = part.quoted;
  piece.unbound = unbound;
  piece.before_srun = part.before_srun;
  piece.condition = part.condition;
  piece.needs = std::move(needs);
  add_needs(part.needs, piece.needs);
  builder.add(std::move(piece));
}

/// A single value is marked where it is used, a text of several words where it was written.
void Expansion::add_value(const Part& part, const Field& value, FieldBuilder& builder) {
  const bool here = !has_blank(value) && !is_flag(value);
  for (Piece piece : value.pieces) {
    if (here) {
      piece.definition = piece.definition.nowhere() ? piece.mark : piece.definition;
      piece.mark = part.mark;
      piece.verbatim = false;
      piece.text = piece.unknown() ? written_at(part.mark) : piece.text;
    }
    if (piece.condition == 0 && part.condition != 0) {
      piece.condition = part.condition;
      add_needs(part.needs, piece.needs);
    }
    if (part.quoted || !builder.splits() || piece.unknown()) {
      piece.quoted = part.quoted || !piece.unknown();  // what is unknown may be several words
      builder.add(std::move(piece));
    } else {
      builder.split(piece);
    }
  }
}

void Expansion::add_arithmetic(const Part& part, FieldBuilder& builder) {
  const Field text = field(part.operand.front());
  std::vector<std::string> needs = text.needs();
  if (text.known()) {
    if (const auto value = calculate(text.text())) {
      add_value(part, field_of(std::to_string(*value), part.mark), builder);
      return;
    }
  }
  if (needs.empty()) {
    needs.push_back(written_at(part.mark));
  }
  add_unknown(part, std::move(needs), false, builder);
}

void Expansion::add_command(const Part& part, FieldBuilder& builder) {
  if (const auto folder = own_folder(part.text, surroundings_.path)) {
    add_value(part, field_of(*folder, part.mark), builder);
    return;
  }
  if (std::optional<Field> output = output_of(part)) {
    add_output(part, *std::move(output), builder);
    return;
  }
  add_unknown(part, {written_at(part.mark)}, false, builder);
}

namespace {

/// The command of a substitution, if it is a single one: `cat FILE`, `< FILE` as cat, `echo WORDS`.
std::optional<Command> printing_command(const Part& part) {
  std::string_view text = text::trimmed_start(part.text, " \t\n");
  const bool reads = text.starts_with('<') && !text.starts_with("<<") && !text.starts_with("<(");
  if (!reads && !text.starts_with("cat") && !text.starts_with("echo")) {
    return std::nullopt;
  }
  text.remove_prefix(reads ? 1 : 0);
  Source source;
  if (reads) {
    Source::Piece before;
    before.mark = part.mark;
    before.verbatim = false;
    source.add("cat ", std::move(before));
  }
  Source::Piece place;
  place.mark = part.mark;
  place.verbatim = part.verbatim;
  if (part.verbatim) {  // up to the closing parenthesis
    place.mark.end -= std::min<std::uint32_t>(1, place.mark.end);
    place.mark.begin = place.mark.end - static_cast<std::uint32_t>(text.size());
  }
  source.add(text, std::move(place));
  Command command = parse(source);
  while (command.kind == Command::Kind::sequence && command.children.size() == 1) {
    Command only = std::move(command.children.front());
    command = std::move(only);
  }
  const bool single = command.kind == Command::Kind::simple && !command.words.empty() &&
                      command.assignments.empty() && command.output.empty();
  return single ? std::optional(std::move(command)) : std::nullopt;
}

/// As a command substitution drops them.
void drop_last_newlines(Field& field) {
  while (!field.pieces.empty() && !field.pieces.back().unknown()) {
    Piece& last = field.pieces.back();
    while (last.text.ends_with('\n')) {
      last.text.pop_back();
      last.mark.end -= last.verbatim ? 1U : 0U;
    }
    if (!last.text.empty()) {
      return;
    }
    field.pieces.pop_back();
  }
}

}  // namespace

std::optional<Field> Expansion::contents_of(const Word& path) {
  const auto file = open_ ? open_(field(path)) : nullptr;
  if (file == nullptr) {
    return std::nullopt;
  }
  const text::Mark all{file.get(), 0, static_cast<std::uint32_t>(file->bytes().size())};
  Field contents = field_of(std::string(file->bytes()), all);
  contents.pieces.front().verbatim = true;
  return contents;
}

/// What a substituted cat or echo prints; nullopt for any other command.
std::optional<Field> Expansion::output_of(const Part& part) {
  const std::optional<Command> command = printing_command(part);
  if (!command) {
    return std::nullopt;
  }
  const std::string name = command->words.front().plain();
  std::optional<Field> output;
  if (name == "cat" && command->words.size() == 1 && !command->input.empty()) {
    output = field(command->input.front());
  } else if (name == "cat" && command->words.size() == 2) {
    output = contents_of(command->words.back());
  } else if (name == "echo" && command->input.empty()) {
    output.emplace();
    output->mark = part.mark;
    for (std::size_t i = 1; i < command->words.size(); ++i) {
      const std::string option = command->words[i].plain();
      if (i == 1 && (option == "-n" || option == "-e")) {
        continue;
      }
      for (Field& word : fields(command->words[i])) {
        if (!output->pieces.empty()) {
          output->pieces.push_back(field_of(" ", part.mark).pieces.front());
        }
        std::ranges::move(word.pieces, std::back_inserter(output->pieces));
      }
    }
  }
  if (output) {
    drop_last_newlines(*output);
  }
  return output;
}

void Expansion::add_output(const Part& part, Field output, FieldBuilder& builder) {
  for (Piece& piece : output.pieces) {
    piece.quoted = part.quoted;
    builder.place(std::move(piece), part.quoted);
  }
}

std::optional<std::int64_t> Expansion::number(std::string_view name) const {
  const Looked looked = look_up(std::string(name));
  if (looked.state == State::unset) {
    return 0;
  }
  if (looked.state != State::set || looked.fields.empty() || !looked.fields.front().known()) {
    return std::nullopt;
  }
  return whole_number(looked.fields.front().text());
}

std::optional<std::int64_t> Expansion::calculate(const std::string& text) const {
  return evaluate_arithmetic(text, [this](std::string_view name) { return number(name); });
}

namespace {

int count(std::string_view text, std::string_view what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size())) {
    ++found;
  }
  return found;
}

}  // namespace

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::optional<std::string> own_folder(std::string_view command, std::string_view script) {
  const bool own = command.find("$0") != std::string_view::npos ||
                   command.find("${0}") != std::string_view::npos ||
                   command.find("BASH_SOURCE") != std::string_view::npos;
  const int folders = count(command, "dirname");
  constexpr int kMost = 4;
  if (!own || folders == 0 || folders > kMost || command.find('|') != std::string_view::npos) {
    return std::nullopt;
  }
  std::string result = folder_of(script);
  for (int i = 1; i < folders + count(command, "/.."); ++i) {
    result += "/..";
  }
  return result;
}

bool is_set_by_scheduler(std::string_view name) {
  constexpr std::array<std::string_view, 7> kPrefixes = {
      "SLURM_", "PET_", "MLP_", "OMPI_", "PMI_", "PMIX_", "ARNOLD_"};
  constexpr std::array<std::string_view, 5> kNames = {
      "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK"};
  return std::any_of(kPrefixes.begin(),
                     kPrefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace epwise::shell
