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

/// Whether the value may be that of a variable that is empty or not set.
bool may_be_absent(const Field& field) {
  const auto known = [](const Piece& piece) {
    return piece.condition == 0 && piece.needs.empty() && !piece.text.empty();
  };
  return std::ranges::none_of(field.pieces, known) &&
         std::ranges::any_of(field.pieces, [](const Piece& piece) { return piece.condition != 0; });
}

bool is_flag(const Field& field) {
  return !field.pieces.empty() && field.pieces.front().text.starts_with('-');
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// What joins two elements: unknown next to one that may be absent, or several.
Piece joint(std::string text, const text::Mark& mark, const Field& before, const Field& after) {
  Piece piece;
  piece.text = std::move(text);
  piece.mark = mark;
  piece.quoted = true;
  for (const Field* each : {&before, &after}) {
    if (!all_present({*each})) {
      add_needs(each->needs(), piece.needs);
    }
  }
  return piece;
}

/// The elements of a list: words of their own, or joined between quotes.
void add_elements(const Part& part,
                  const std::vector<Field>& elements,
                  const std::string& index,
                  const std::string& separator,
                  FieldBuilder& builder) {
  const bool apart = part.quoted && index == "@";
  if (elements.empty() && part.quoted && !apart) {
    builder.add(field_of("", part.mark).pieces.front());
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0 && (apart || !part.quoted)) {
      builder.end();
    } else if (i > 0) {
      builder.add(joint(separator, part.mark, elements[i - 1], elements[i]));
    }
    for (Piece piece : elements[i].pieces) {
      piece.quoted = piece.quoted || (part.quoted && !apart);
      builder.place(std::move(piece), part.quoted);
    }
  }
}

/// What the text between braces stands for: "a,b", "1..4"; nothing for other texts.
std::vector<std::string> alternatives(std::string_view inside) {
  constexpr std::int64_t kMost = 256;
  std::vector<std::string> result;
  const std::size_t dots = inside.find("..");
  if (dots != std::string_view::npos) {
    const auto first = whole_number(inside.substr(0, dots));
    const auto last = whole_number(inside.substr(dots + 2));
    const auto is_small = [](std::int64_t n) { return n > -kMost && n < kMost * kMost; };
    // Zeros in front keep a width: not followed.
    const bool plain = first && last && std::to_string(*first) == inside.substr(0, dots) &&
                       std::to_string(*last) == inside.substr(dots + 2) && is_small(*first) &&
                       is_small(*last) && std::max(*first - *last, *last - *first) < kMost;
    for (std::int64_t n = 0; plain && n <= std::max(*first - *last, *last - *first); ++n) {
      result.push_back(std::to_string(*first < *last ? *first + n : *first - n));
    }
    return result;
  }
  if (inside.find(',') == std::string_view::npos) {
    return result;
  }
  return split_at(',', inside);
}

/// The word with [open, close] of its part `i` replaced.
Word with_alternative(
    const Word& word, std::size_t i, std::size_t open, std::size_t close, std::string text) {
  const Part& part = word.parts[i];
  Part middle = part_of(part, open, close + 1);
  middle.verbatim = false;
  middle.text = std::move(text);
  const std::array<Part, 3> parts = {
      part_of(part, 0, open), std::move(middle), part_of(part, close + 1, part.text.size())};
  Word result = word;
  result.parts.erase(result.parts.begin() + static_cast<std::ptrdiff_t>(i));
  auto place = result.parts.begin() + static_cast<std::ptrdiff_t>(i);
  for (const Part& each : parts) {
    if (!each.text.empty()) {
      place = std::next(result.parts.insert(place, each));
    }
  }
  return result;
}

/// The words for which the first braces stand; empty: there are none.
std::vector<Word> words_of_first_braces(const Word& word) {
  std::vector<Word> made;
  for (std::size_t i = 0; i < word.parts.size() && made.empty(); ++i) {
    const Part& part = word.parts[i];
    const bool plain = part.kind == Part::Kind::text && !part.quoted;
    const std::size_t open = plain ? part.text.find('{') : std::string::npos;
    const std::size_t close = open == std::string::npos ? open : part.text.find('}', open);
    if (close == std::string::npos) {
      continue;
    }
    const std::string inside = part.text.substr(open + 1, close - open - 1);
    for (std::string& each : alternatives(inside)) {
      made.push_back(with_alternative(word, i, open, close, std::move(each)));
    }
  }
  return made;
}

/// `{1..3}` and `a{x,y}b` as the words for which they stand, if the braces hold plain text only.
std::vector<Word> words_in_braces(const Word& word) {
  constexpr std::size_t kMost = 256;
  std::vector<Word> all = {word};
  for (std::size_t done = 0; done < all.size() && all.size() < kMost;) {
    const std::vector<Word> made = words_of_first_braces(all[done]);
    if (made.empty()) {
      ++done;
      continue;
    }
    const auto place = all.erase(all.begin() + static_cast<std::ptrdiff_t>(done));
    all.insert(place, made.begin(), made.end());
  }
  return all;
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
  const bool braces = std::ranges::any_of(word.parts, [](const Part& part) {
    return part.kind == Part::Kind::text && !part.quoted &&
           part.text.find('{') != std::string::npos;
  });
  if (!braces) {
    add(word, builder);
    return builder.finish(word.mark);
  }
  for (const Word& each : words_in_braces(word)) {
    add(each, builder);
    builder.end();
  }
  return builder.finish(word.mark);
}

Field Expansion::field(const Word& word) {
  FieldBuilder builder(false);
  add(word, builder);
  std::vector<Field> all = builder.finish(word.mark);
  if (all.empty()) {
    return field_of("", word.mark);
  }
  Field result = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    Piece blank = joint(" ", all[i].mark, all[i - 1], all[i]);
    blank.quoted = false;
    result.pieces.push_back(std::move(blank));
    std::ranges::copy(all[i].pieces, std::back_inserter(result.pieces));
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
  const bool glued = std::exchange(glued_, word.parts.size() > 1);
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
  glued_ = glued;
  --depth_;
}

Looked Expansion::look_up(const std::string& name) const {
  if (const Variable* variable = variables_.find(name)) {
    const bool set = variable->kind != Variable::Kind::unset;
    return {set ? State::set : State::unset,
            variable->kind == Variable::Kind::list,
            variable->fields,
            variable->sparse};
  }
  if (name == "@" || name == "*") {
    used_arguments_ = true;
    return {State::set, true, arguments_};
  }
  if (name == "#") {
    const bool sure = all_present(arguments_);
    return {
        sure ? State::set : State::unknown, false, {field_of(std::to_string(arguments_.size()))}};
  }
  if (name == "0" || name == "BASH_SOURCE") {
    return {State::set, false, {field_of(surroundings_.path)}};
  }
  if (is_number(name)) {
    used_arguments_ = true;
    const std::size_t place = name.size() > 4 ? 0 : static_cast<std::size_t>(std::stoul(name));
    const auto before =
        arguments_.begin() + static_cast<std::ptrdiff_t>(std::min(place, arguments_.size()));
    if (!all_present({arguments_.begin(), before})) {
      return {State::unknown};
    }
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
  if (part.operation.starts_with('!') && part.index.empty()) {
    add_named(part, builder);
    return;
  }
  const Looked looked = look_up(part.text);
  const std::string index = index_of(part);
  if (index == "@" || index == "*") {
    add_list(part, looked, index, builder);
    return;
  }
  if (!index.empty() && looked.list) {
    const auto place = place_in(looked.fields, looked.sparse, index);
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
    if (all_present(looked.fields) && looked.state == State::set) {
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
  add_known_list(part, looked, index, builder);
  if (more_arguments_ && (part.text == "@" || part.text == "*")) {
    if (!looked.fields.empty()) {
      builder.end();
    }
    builder.add(open_arguments(part.mark).pieces.front());
  }
}

void Expansion::add_known_list(const Part& part,
                               const Looked& looked,
                               const std::string& index,
                               FieldBuilder& builder) {
  // `+` is for lists that a script may not fill: "${X[@]+"${X[@]}"}".
  const bool plain =
      part.operation.empty() || part.operation.ends_with('-') || part.operation.ends_with('+');
  const bool all_unknown = looked.fields.size() == 1 && !all_present(looked.fields) &&
                           looked.fields.front().pieces.size() == 1 &&
                           looked.fields.front().pieces.front().unknown();
  if (!plain) {
    add_changed_list(part, looked, index, builder);
  } else if (all_unknown) {
    Part any = part;
    any.quoted = part.quoted && index == "*";
    add_unknown(any, looked.fields.front().needs(), false, builder);
  } else if (!loosely_glued(part, looked.fields, builder)) {
    add_elements(part, looked.fields, index, separator(), builder);
  }
}

/// Where it is not known how many words the fields are, it is not known either which of them the rest
/// of the word is a part of: all of it is any number of words then.
bool Expansion::loosely_glued(const Part& part,
                              const std::vector<Field>& fields,
                              FieldBuilder& builder) {
  if (!glued_ || all_present(fields)) {
    return false;
  }
  std::vector<std::string> needs;
  for (const Field& field : fields) {
    add_needs(field.needs(), needs);
  }
  Part any = part;
  any.quoted = false;
  add_unknown(any, std::move(needs), false, builder);
  return true;
}

/// What "${L[*]}" has between elements: the first character of IFS.
std::string Expansion::separator() const {
  const Variable* set = variables_.find("IFS");
  const bool known =
      set != nullptr && set->kind == Variable::Kind::text && set->fields.front().known();
  return known ? set->fields.front().text().substr(0, 1) : " ";
}

/// ${L[@]:1:2}, ${L[@]%.*}, ${!L[@]}: unknown if an element is.
void Expansion::add_changed_list(const Part& part,
                                 const Looked& looked,
                                 const std::string& index,
                                 FieldBuilder& builder) {
  const bool cuts = part.operation == ":";
  const bool counts = part.operation == "!";
  // "${@:0}" begins with the script's name.
  const bool arguments = part.text == "@" || part.text == "*";
  std::vector<Field> elements = looked.fields;
  bool sure = std::ranges::all_of(elements, &Field::known) && !(looked.sparse && (cuts || counts));
  if (sure && cuts) {
    if (arguments) {
      elements.insert(elements.begin(), field_of(surroundings_.path, part.mark));
    }
    const auto range = cut(part, elements.size());
    sure = range.has_value();
    if (range) {
      elements = {elements.begin() + static_cast<std::ptrdiff_t>(range->first),
                  elements.begin() + static_cast<std::ptrdiff_t>(range->second)};
    }
  } else if (sure) {
    for (std::size_t i = 0; i < elements.size() && sure; ++i) {
      const auto text = counts ? std::to_string(i) : changed(part, elements[i].text());
      sure = text.has_value();
      elements[i] = field_of(text.value_or(""), part.mark);
    }
  }
  if (sure) {
    add_elements(part, elements, index, separator(), builder);
  } else {
    Part any = part;
    any.quoted = part.quoted && index == "*";  // else any number of words
    add_unknown(any, {need_of(part.text)}, false, builder);
  }
}

/// ${!NAME}: the variable that NAME holds the name of.
void Expansion::add_named(const Part& part, FieldBuilder& builder) {
  const Looked holder = look_up(part.text);
  const bool known =
      holder.state == State::set && !holder.fields.empty() && holder.fields.front().known();
  const std::string name = known ? holder.fields.front().text() : std::string();
  if (name.empty() || name_length(name, 0) != name.size() || part.operation.size() > 3) {
    add_unknown(part, {need_of(part.text)}, false, builder);
    return;
  }
  Part named = part;
  named.text = name;
  named.operation = part.operation.substr(1);
  add_parameter(named, builder);
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
  const bool set = looked.state == State::set && !looked.fields.empty();
  const bool known = set ? looked.fields.front().known() : looked.state == State::unset;
  const auto text = known ? changed(part, set ? looked.fields.front().text() : "") : std::nullopt;
  if (text) {
    add_value(part, field_of(*text, part.mark), builder);
  } else {
    add_unknown(part, {need_of(part.text)}, false, builder);
  }
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
  if (listed && kind != '+' && may_be_absent(looked.fields.front())) {
    add_unknown(part, looked.fields.front().needs(), false, builder);
    return;
  }
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

/// ${#x}, ${x%pattern}, ${x/old/new}, ${x:0:2}, ${x^^}; nullopt if it is not known.
std::optional<std::string> Expansion::changed(const Part& part, const std::string& text) {
  constexpr std::size_t kMostText = 4096;
  if (text.size() > kMostText) {
    return std::nullopt;
  }
  if (part.operand.empty()) {
    return part.operation == "#" ? std::optional(std::to_string(text.size())) : std::nullopt;
  }
  switch (part.operation.front()) {
    case '#':
    case '%': {
      const Field what = pattern(part.operand.front());
      return what.known() ? std::optional(without(text, part.operation, what.text()))
                          : std::nullopt;
    }
    case '/':
      return replaced_in(part, text);
    case ':': {
      const auto range = cut(part, text.size());
      return range ? std::optional(text.substr(range->first, range->second - range->first))
                   : std::nullopt;
    }
    case '^':
    case ',': {
      if (!part.operand.front().parts.empty()) {
        return std::nullopt;  // only letters that a pattern matches
      }
      std::string result = text;
      const auto end =
          part.operation.size() > 1 ? result.end() : result.begin() + (result.empty() ? 0 : 1);
      std::transform(result.begin(), end, result.begin(), [&part](char c) {
        return part.operation.front() == ',' ? text::lower_letter(c) : text::upper_letter(c);
      });
      return result;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::string> Expansion::replaced_in(const Part& part, const std::string& text) {
  constexpr std::size_t kMostSteps = std::size_t{1} << 22U;
  const Field what = pattern(part.operand.front());
  const Field by = part.operand.size() > 1 ? field(part.operand[1]) : field_of("");
  std::string pattern_text = what.text();
  std::string operation = part.operation;
  const bool anchored = operation == "/" && !what.pieces.empty() && !what.pieces.front().quoted &&
                        (pattern_text.starts_with('#') || pattern_text.starts_with('%'));
  if (anchored) {
    operation += pattern_text.front();
    pattern_text.erase(0, 1);
  }
  const bool known = what.known() && by.known() && by.text().find('&') == std::string::npos;
  if (!known || text.size() * text.size() * (pattern_text.size() + 1) > kMostSteps) {
    return std::nullopt;
  }
  return replaced(text, operation, pattern_text, by.text());
}

std::optional<std::pair<std::size_t, std::size_t>> Expansion::cut(const Part& part,
                                                                  std::size_t size) {
  const Field written = part.operand.empty() ? Field() : field(part.operand.front());
  const std::string text = written.text();
  const std::size_t colon = std::min(text.find(':'), text.size());
  auto from = calculate(text.substr(0, colon));
  const auto most = static_cast<std::int64_t>(size);
  auto to = colon < text.size() ? calculate(text.substr(colon + 1)) : std::optional(most);
  if (!written.known() || text.find('?') != std::string::npos || !from || !to) {
    return std::nullopt;
  }
  *from = *from < 0 ? *from + most : *from;
  if (*from < 0 || *from > most) {
    return std::pair(size, size);  // nothing
  }
  if (colon < text.size()) {
    *to = *to < 0 ? *to + most : std::min(most - *from, *to) + *from;
  }
  if (*to < *from) {
    return std::nullopt;  // which bash refuses
  }
  return std::pair(static_cast<std::size_t>(*from), static_cast<std::size_t>(*to));
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
  if (!part.quoted && builder.splits() && has_blank(value) &&
      loosely_glued(part, {value}, builder)) {
    return;
  }
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
  if (!part.operation.empty()) {  // <(…) is the name of a file
    add_unknown(part, {written_at(part.mark)}, false, builder);
    return;
  }
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

/// The command of a substitution, if it is a single one that prints what its words say: `cat FILE`,
/// `< FILE` as cat, `echo WORDS`, `seq 1 8`. `IFS=,; echo "${L[*]}"` has the assignment.
std::optional<Command> printing_command(const Part& part) {
  std::string_view text = text::trimmed_start(part.text, " \t\n");
  const bool reads = text.starts_with('<') && !text.starts_with("<<") && !text.starts_with("<(");
  constexpr std::array<std::string_view, 8> kPrinters = {
      "cat", "echo", "printf", "seq", "basename", "dirname", "expr", "IFS="};
  const auto begins = [text](std::string_view name) { return text.starts_with(name); };
  if (!reads && std::ranges::none_of(kPrinters, begins)) {
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
  std::vector<Assignment> separators;
  if (command.kind == Command::Kind::sequence && command.children.size() == 2 &&
      command.children.front().words.empty()) {
    Command second = std::move(command.children.back());
    separators = std::move(command.children.front().assignments);
    command = std::move(second);
  }
  const bool other = separators.size() > 1 ||
                     (separators.size() == 1 &&
                      (separators.front().name != "IFS" || separators.front().values.size() != 1));
  const bool single = command.kind == Command::Kind::simple && !command.words.empty() &&
                      command.assignments.empty() && command.output.empty() && !other;
  command.assignments = std::move(separators);
  return single ? std::optional(std::move(command)) : std::nullopt;
}

/// The numbers that `seq` prints, with line breaks between them.
std::optional<std::string> sequence(const std::vector<std::string>& words) {
  constexpr std::int64_t kMost = 1000;
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto number = whole_number(words[i]);
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  if (numbers.empty() || numbers.size() > 3) {
    return std::nullopt;
  }
  const std::int64_t first = numbers.size() == 1 ? 1 : numbers.front();
  const std::int64_t step = numbers.size() == 3 ? numbers[1] : 1;
  std::string result;
  std::int64_t value = first;
  for (std::int64_t count = 0; step > 0 ? value <= numbers.back() : value >= numbers.back();
       ++count) {
    if (step == 0 || count >= kMost || __builtin_add_overflow(value, step, &value)) {
      return std::nullopt;
    }
    result += (result.empty() ? "" : "\n") + std::to_string(value - step);
  }
  return result;
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

namespace {

/// What the two characters of a format print, `word` with %s and %d; nullopt for other ones.
std::optional<std::string> formatted_sign(std::string_view sign, const std::string* word) {
  if (sign == "%s") {
    return word != nullptr ? *word : "";
  }
  if (sign == "%d") {
    const auto number = word != nullptr ? whole_number(*word) : 0;
    return number ? std::optional(std::to_string(*number)) : std::nullopt;
  }
  constexpr std::string_view kSigns = "%%\\n\\t\\\\";
  constexpr std::string_view kPrinted = "%\n\t\\";
  for (std::size_t i = 0; i < kPrinted.size(); ++i) {
    if (sign == kSigns.substr(2 * i, 2)) {
      return std::string{kPrinted[i]};
    }
  }
  return std::nullopt;
}

/// One use of the format; `next`, the next word, is advanced.
std::optional<std::string> formatted_once(const std::vector<std::string>& words,
                                          std::size_t& next) {
  const std::string_view format = words.front();
  std::string result;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%' && format[at] != '\\') {
      result += format[at];
      continue;
    }
    const std::string_view sign = format.substr(at++, 2);
    const auto text = formatted_sign(sign, next < words.size() ? &words[next] : nullptr);
    if (!text) {
      return std::nullopt;
    }
    result += *text;
    next += sign == "%s" || sign == "%d" ? 1U : 0U;
  }
  return result;
}

}  // namespace

std::optional<std::string> formatted(const std::vector<std::string>& words) {
  std::string result;
  std::size_t next = 1;
  std::size_t before = 0;
  do {  // again for more words, if it takes any
    before = next;
    const auto once = formatted_once(words, next);
    if (!once) {
      return std::nullopt;
    }
    result += *once;
  } while (next < words.size() && next > before);
  return result;
}

/// What `seq`, `basename`, `dirname`, `expr` and `printf` print for words that are known; nullopt for
/// forms that are not known.
std::optional<std::string> Expansion::computed_output(const std::string& name,
                                                      const std::vector<std::string>& words) const {
  if (name == "printf" && words.size() > 1) {
    return formatted({words.begin() + 1, words.end()});
  }
  if (name == "seq") {
    return sequence(words);
  }
  const bool option = words.size() > 1 && words[1].starts_with('-');
  if (name == "dirname" && words.size() == 2 && !option && !words[1].ends_with('/')) {
    return folder_of(words[1]);
  }
  if (name == "basename" && (words.size() == 2 || words.size() == 3) && !option &&
      !words[1].ends_with('/')) {
    std::string base(base_name(words[1]));
    const bool cuts = words.size() == 3 && base.ends_with(words[2]) && base != words[2];
    return base.substr(0, base.size() - (cuts ? words[2].size() : 0));
  }
  if (name == "expr" && words.size() == 4 && words[2].size() == 1 &&
      std::string_view("+-*/%").find(words[2][0]) != std::string_view::npos) {
    const bool numbers = whole_number(words[1]) && whole_number(words[3]);
    const auto value =
        numbers ? calculate(words[1] + words[2] + "(" + words[3] + ")") : std::nullopt;
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  }
  return std::nullopt;
}

/// What a substituted command prints; nullopt if it is not known.
std::optional<Field> Expansion::output_of(const Part& part) {
  std::optional<Field> output = lines_of(part);
  if (output) {
    drop_last_newlines(*output);
  }
  return output;
}

std::optional<Field> Expansion::substituted(const Word& source) {
  const bool command = source.parts.size() == 1 &&
                       source.parts.front().kind == Part::Kind::command &&
                       source.parts.front().operation == "<(";
  return command ? lines_of(source.parts.front()) : std::nullopt;
}

/// With the line break at the end.
std::optional<Field> Expansion::lines_of(const Part& part) {
  const std::optional<Command> command = printing_command(part);
  if (!command) {
    return std::nullopt;
  }
  if (command->assignments.empty()) {
    return lines_of(*command, part);
  }
  const Variables before = variables_;
  const Assignment& separators = command->assignments.front();
  variables_.assign(
      separators.name, Variable::Kind::text, {field(separators.values.front())}, separators.key);
  std::optional<Field> output = lines_of(*command, part);
  variables_ = before;
  return output;
}

Field Expansion::echoed(const Command& command, const Part& part) {
  Field output;
  output.mark = part.mark;
  bool ends_line = true;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string option = command.words[i].plain();
    ends_line = ends_line && !(i == 1 && option == "-n");
    if (i == 1 && (option == "-n" || option == "-e")) {
      continue;
    }
    for (Field& word : fields(command.words[i])) {
      if (!output.pieces.empty()) {
        output.pieces.push_back(field_of(" ", part.mark).pieces.front());
      }
      std::ranges::move(word.pieces, std::back_inserter(output.pieces));
    }
  }
  if (ends_line) {
    output.pieces.push_back(field_of("\n", part.mark).pieces.front());
  }
  return output;
}

std::optional<Field> Expansion::lines_of(const Command& command, const Part& part) {
  const std::string name = command.words.front().plain();
  std::optional<Field> output;
  if (name == "cat" && command.words.size() == 1 && !command.input.empty()) {
    output = field(command.input.front());
  } else if (name == "cat" && command.words.size() == 2) {
    output = contents_of(command.words.back());
  } else if (name == "echo" && command.input.empty()) {
    output = echoed(command, part);
  } else if (command.input.empty() && command.source.empty()) {
    const std::vector<Field> words = fields(command.words);
    std::vector<std::string> texts;
    std::ranges::transform(words, std::back_inserter(texts), &Field::text);
    const bool known = std::ranges::all_of(words, &Field::known);
    const auto text = known ? computed_output(name, texts) : std::nullopt;
    const std::string end = name == "printf" ? "" : "\n";
    output = text ? std::optional(field_of(*text + end, part.mark)) : std::nullopt;
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
  const std::string text = looked.fields.front().text();
  return text.empty() ? 0 : whole_number(text);
}

std::optional<std::int64_t> Expansion::place_in(const std::vector<Field>& elements,
                                                bool sparse,
                                                const std::string& index) const {
  const auto place = sparse || !all_present(elements) ? std::nullopt : calculate(index);
  return place && *place < 0 ? *place + static_cast<std::int64_t>(elements.size()) : place;
}

std::optional<std::int64_t> Expansion::calculate(const std::string& text) const {
  return evaluate_arithmetic(text, [this](std::string_view name) { return number(name); });
}

std::optional<Assigned> Expansion::calculate_assignment(const std::string& text) const {
  return evaluate_assignment(text, [this](std::string_view name) { return number(name); });
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
  constexpr std::array<std::string_view, 6> kOfFolders = {
      "cd", "dirname", "readlink", "realpath", "builtin", "command"};
  const std::size_t begin = std::min(command.find_first_not_of(" \t\n"), command.size());
  const std::string_view first =
      command.substr(begin, command.find_first_of(" \t\n", begin) - begin);
  if (!own || folders == 0 || folders > kMost || command.find('|') != std::string_view::npos ||
      std::find(kOfFolders.begin(), kOfFolders.end(), first) == kOfFolders.end()) {
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
