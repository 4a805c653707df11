#include "fix/change.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/python_text.h"
#include "lint/renaming.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/load.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::fix {

namespace {

using lint::Fix;
using recipe::Field;
using recipe::Framework;
using yaml::Literal;

constexpr std::string_view kVariablePrefix = "env.";

Literal literal_of(const expr::Value& value) {
  if (const auto* boolean = value.boolean()) {
    return Literal::of(*boolean);
  }
  if (const auto* integer = value.integer()) {
    return Literal::of(*integer);
  }
  if (const auto* real = value.real()) {
    return Literal::of(*real);
  }
  if (const auto* list = value.list()) {
    std::vector<Literal> items;
    for (const auto& item : *list) {
      items.push_back(literal_of(item));
    }
    return Literal::of_list(std::move(items));
  }
  return value.is_unset() ? Literal{} : Literal::of_text(value.to_text());
}

/// The words that an argument parser gets for a value.
std::vector<std::string> value_words(const expr::Value& value) {
  const auto* list = value.list();
  if (list == nullptr) {
    return {value.to_text()};
  }
  std::vector<std::string> words;
  for (const auto& item : *list) {
    words.push_back(item.to_text());
  }
  return words;
}

std::vector<std::string> keys_of(std::string_view path) {
  std::vector<std::string> keys;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    keys.emplace_back(path.substr(0, dot));
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  }
  return keys;
}

bool stands_in(const text::Mark& mark, const recipe::Recipe& recipe) {
  return !recipe.files.empty() && mark.file == recipe.files.front().get();
}

bool is_substituted(const text::Mark& mark) {
  const auto text = mark.file->bytes().substr(mark.begin, mark.end - mark.begin);
  return text.find("${") != std::string_view::npos;
}

bool is_name_sign(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// "EP" of `$EP`, `${EP}` and `"$EP"`; empty for anything else.
std::string_view variable_name(std::string_view text) {
  text = without_quotes(text);
  if (!text.starts_with('$')) {
    return {};
  }
  text.remove_prefix(1);
  if (text.starts_with('{') && text.ends_with('}')) {
    text = text.substr(1, text.size() - 2);
  }
  const bool is_name = !text.empty() && (text.front() < '0' || text.front() > '9') &&
                       std::ranges::all_of(text, is_name_sign);
  return is_name ? text : std::string_view();
}

/// Where the text has a name as a word; lines of comments count for nothing.
std::vector<std::size_t> places_of(std::string_view name, std::string_view text) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    const bool apart = (at == 0 || !is_name_sign(text[at - 1])) &&
                       (end == text.size() || !is_name_sign(text[end]));
    const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const std::size_t first = text.find_first_not_of(" \t", line);
    if (apart && text[first] != '#') {
      places.push_back(at);
    }
  }
  return places;
}

/// The value of a variable that a script uses only once, at this mark, where the script's only
/// assignment writes it: `16` of `EP=16` and of `EP=${EP:-16}`. A variable used once is as good as
/// a literal.
std::optional<text::Mark> only_value(const text::Mark& use) {
  const std::string_view text = use.file->bytes();
  const std::string_view name = variable_name(text.substr(use.begin, use.end - use.begin));
  const std::vector<std::size_t> places =
      name.empty() ? std::vector<std::size_t>() : places_of(name, text);
  constexpr std::size_t kAssignedAndUsed = 2;
  if (places.size() < kAssignedAndUsed || places.back() < use.begin || places.back() >= use.end) {
    return std::nullopt;
  }
  const std::size_t at = places.front();
  std::size_t begin = at + name.size();
  const bool assigned =
      text.substr(begin).starts_with('=') &&
      (at == 0 || std::string_view(" \t\n;").find(text[at - 1]) != std::string_view::npos);
  if (!assigned) {
    return std::nullopt;
  }
  ++begin;
  std::size_t end = std::min(text.find_first_of(" \t\n;", begin), text.size());
  if (without_quotes(text.substr(begin, end - begin)).size() < end - begin) {
    ++begin;
    --end;
  }
  const bool with_default = places.size() == kAssignedAndUsed + 1 && places[1] == begin + 2;
  if (with_default) {  // ${EP:-16}
    const std::size_t sign = text.find('-', begin);
    if (text[end - 1] != '}' || sign >= end || sign > places[1] + name.size() + 1) {
      return std::nullopt;
    }
    begin = sign + 1;
    --end;
  } else if (places.size() != kAssignedAndUsed) {
    return std::nullopt;
  }
  const bool literal =
      begin < end && std::ranges::all_of(text.substr(begin, end - begin), [](char c) {
        return is_name_sign(c) || std::string_view("_.,+:/@%-").find(c) != std::string_view::npos;
      });
  return literal
             ? std::optional(text::Mark{
                   use.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)})
             : std::nullopt;
}

/// " (line 77: ${actor_tp}, which line 27 sets)": where a value that is put together comes from.
std::string source_text(const text::Mark& use) {
  constexpr std::size_t kMost = 60;
  const std::string_view text = use.file->bytes();
  const std::string_view value = text.substr(use.begin, use.end - use.begin);
  const bool brief = value.size() <= kMost && value.find('\n') == std::string_view::npos;
  const std::string_view name = variable_name(value);
  const std::vector<std::size_t> places =
      name.empty() ? std::vector<std::size_t>() : places_of(name, text);
  const auto set = std::ranges::find_if(
      places, [&](std::size_t at) { return text.substr(at + name.size()).starts_with('='); });
  return fmt::format(" (line {}{}{})",
                     use.start().line,
                     brief ? fmt::format(": {}", value) : "",
                     set == places.end()
                         ? ""
                         : fmt::format(", which line {} sets", use.file->position(*set).line));
}

class Translator {
 public:
  Translator(const recipe::Recipe& recipe, const recipe::Vocabulary& vocabulary)
      : recipe_(recipe),
        vocabulary_(vocabulary),
        has_file_(!recipe.files.empty() && recipe.files.front()->name() != recipe::kCommandLine) {}

  Change run(const Fix& fix) {
    for (const Fix::Edit& edit : fix.edits) {
      if (lint::is_renaming(edit)) {
        rename_key(edit);
      } else if (edit.name.starts_with(kVariablePrefix)) {
        set_variable(edit);
      } else if (recipe_.framework == Framework::mlm) {
        set_argument(edit);
      } else {
        set_field(edit);
      }
    }
    return std::move(change_);
  }

 private:
  /// Every place that the user has to change is named.
  void obstruct(const std::string& reason) {
    if (change_.obstacle.find(reason) == std::string::npos) {
      change_.obstacle += (change_.obstacle.empty() ? "" : "; ") + reason;
    }
  }

  static std::string elsewhere_text(const std::string& field, const text::Mark& mark) {
    return mark.nowhere() ? fmt::format("{} is set outside of the script", field)
                          : fmt::format("{} stands in {}:{}, not in the script",
                                        field,
                                        mark.file->name(),
                                        mark.start().line);
  }

  /// The recipe's value of a field, excluding values that a trainer sets by default.
  const Field* written(std::string_view name) const {
    const auto* spec = vocabulary_.find(name);
    const Field* field = recipe_.find(spec == nullptr ? name : spec->name);
    const bool preset = field != nullptr && field->key.nowhere() && recipe::has_trainer(recipe_);
    return preset ? nullptr : field;
  }

  /// For Hydra a word that needs no existing key in the trainer's own files; otherwise the
  /// trainer's flag.
  std::string added_word(std::string_view name) const {
    const std::string path = recipe_.path_of(name);
    const bool flag = path.find('.') == std::string::npos;
    return (!recipe::has_trainer(recipe_) ? "" : flag ? "--" : "++") + path;
  }

  /// A value of a base recipe, or of a file that a trainer's file names under `defaults`.
  bool is_of_base(const Field& field) const {
    const bool is_below = recipe::has_trainer(recipe_) && !is_script() && !field.key.nowhere() &&
                          !stands_in(field.key, recipe_) && !is_word(&field);
    return is_below || (recipe_.base != nullptr && field.key.file == recipe_.base.get());
  }

  /// Values of the base recipe are overridden in the file.
  bool goes_to_file(const Field* field) const {
    return has_file_ && (field == nullptr || stands_in(field->key, recipe_) || is_of_base(*field));
  }

  void check_place(const Field& field) {
    const bool bound = field.origin == recipe::Origin::environment;
    const bool substituted = !field.mark.nowhere() && is_substituted(field.mark) &&
                             !(is_script() && only_value(field.mark));
    if (bound || substituted) {
      obstruct(fmt::format("the value of {} comes from a variable{}",
                           field.spelling,
                           bound ? "" : source_text(field.mark)));
    }
  }

  bool is_script() const {
    const auto launcher = recipe_.raw.find("raw.launcher");
    return launcher != recipe_.raw.end() && launcher->second.to_text() == "shell";
  }

  /// Given after `--` and not in the file.
  static bool is_word(const Field* field) {
    return field != nullptr && !field->key.nowhere() &&
           field->key.file->name() == recipe::kCommandLine;
  }

  /// Words of the script itself; values in a file that it names must be edited there.
  void edit_script(const Field* field, WordEdit edit) {
    if (field != nullptr && !stands_in(field->key, recipe_)) {
      obstruct(elsewhere_text(field->spelling, field->key));
      return;
    }
    change_.script.push_back(std::move(edit));
  }

  void edit_file(std::vector<std::string> path, std::optional<Literal> value) {
    change_.edits.push_back({std::move(path), std::move(value)});
  }

  /// A second key next to a misspelt one would only obscure the intention.
  void check_misspelt(std::string_view name) {
    const auto* spec = vocabulary_.find(name);
    const std::string_view meant = spec == nullptr ? name : spec->name;
    for (const auto& key : lint::misspellings(recipe_, vocabulary_)) {
      if (key.meant == meant) {
        obstruct(fmt::format("its place is taken by the misspelt `{}`", key.written));
      }
    }
  }

  void rename_key(const Fix::Edit& edit) {
    const bool behind = !edit.mark.nowhere() && edit.mark.file->name() == recipe::kCommandLine;
    if (is_script() && !behind) {
      if (!edit.mark.nowhere() && !stands_in(edit.mark, recipe_)) {
        obstruct(elsewhere_text(edit.field, edit.mark));
      }
      change_.script.push_back({edit.field, std::nullopt, right_name(edit)});
      return;
    }
    if (!has_file_ || (!edit.mark.nowhere() && !stands_in(edit.mark, recipe_))) {
      change_.words.push_back({edit.field, std::nullopt, right_name(edit)});
      return;
    }
    std::vector<std::string> path = recipe_.framework == Framework::mlm
                                        ? std::vector<std::string>{"MODEL_ARGS", edit.field}
                                        : keys_of(edit.field);
    change_.edits.push_back({std::move(path), std::nullopt, edit.value});
  }

  /// A word names a key with all its parent sections.
  std::string right_name(const Fix::Edit& edit) const {
    const auto dot = edit.field.rfind('.');
    const bool flag = recipe_.framework == Framework::mlm;
    return (flag || dot == std::string::npos ? "" : edit.field.substr(0, dot + 1)) + edit.value;
  }

  void set_variable(const Fix::Edit& edit) {
    const std::string name = edit.name.substr(kVariablePrefix.size());
    if (is_script()) {
      const bool kept = !edit.remove && !edit.target.is_unset();
      edit_script(
          nullptr,
          {"$" + name,
           kept ? std::optional(std::vector{expr::python_text(edit.target)}) : std::nullopt});
      return;
    }
    const bool mlm = recipe_.framework == Framework::mlm;
    if (!has_file_ || (!mlm && !vocabulary_.has_section("env_vars"))) {
      obstruct(fmt::format("{} is an environment variable set outside the recipe", name));
      return;
    }
    const std::vector<std::string> path{mlm ? "ENV_VARS" : "env_vars", name};
    const bool goes = edit.remove || edit.target.is_unset();
    edit_file(path,
              goes  ? std::nullopt
              : mlm ? std::optional(Literal::of_word(edit.target.to_text()))
                    : std::optional(Literal::of_text(expr::python_text(edit.target))));
  }

  /// Null in the trainer's own word: "none" of ms-swift.
  Literal stated(const expr::Value& value) const {
    const std::string null = recipe::null_word(recipe_);
    return value.is_unset() && null != "null" ? Literal::of_text(null) : literal_of(value);
  }

  /// The field itself; of a data type that is written as an object, {_target_: torch.float32,
  /// _call_: false}, its target, if the new value is a data type too.
  const Field* dtype_of(const Field* field, const Fix::Edit& edit) const {
    const auto is_dtype = [](const expr::Value& value) {
      return value.text() != nullptr && recipe::is_dtype(*value.text());
    };
    if (field == nullptr || edit.remove || !is_dtype(edit.target) || !is_dtype(field->value)) {
      return field;
    }
    const Field* target = written(field->name + "._target_");
    return target == nullptr || target->value != field->value ? field : target;
  }

  void set_field(const Fix::Edit& removal) {
    Fix::Edit edit = removal;
    const Field* field = written(edit.name);
    // a key of the base recipe goes by its default, which the file states
    if (edit.remove && field != nullptr && is_of_base(*field)) {
      edit.remove = false;
      edit.target = vocabulary_.default_of(edit.name);
    }
    if (field != nullptr) {
      check_place(*field);
    } else {
      check_misspelt(edit.name);
    }
    const std::string key = field == nullptr ? added_word(edit.name) : field->spelling;
    std::optional<Literal> literal;
    std::optional<std::vector<std::string>> words;
    // a flag has no word for null, unless its trainer has one
    const bool unset =
        edit.target.is_unset() && key.starts_with('-') && recipe::null_word(recipe_) == "null";
    if (!edit.remove && !unset) {
      literal = stated(edit.target);
      words = edit.target.list() != nullptr && key.starts_with('-')
                  ? value_words(edit.target)
                  : std::vector{yaml::render(*literal)};
    }
    if (is_script() && !is_word(field)) {
      edit_script(field, {key, words});
      return;
    }
    if (goes_to_file(field)) {
      const Field* place = dtype_of(field, edit);
      edit_file(keys_of(place == nullptr ? recipe_.path_of(edit.name) : place->spelling),
                std::move(literal));
      return;
    }
    change_.words.push_back({recipe_.path_of(edit.name), std::move(words)});
  }

  void set_argument(const Fix::Edit& edit) {
    const Field* field = written(edit.name);
    const bool goes = edit.remove || edit.target.is_unset();
    if (field != nullptr) {
      check_place(*field);
      if (goes || field->spelling != edit.field) {
        drop_argument(*field);
      }
    }
    if (goes) {
      return;
    }
    if (field == nullptr) {
      check_misspelt(edit.name);
    }
    if (!edit.field.starts_with('-')) {
      obstruct(fmt::format("Megatron-LM has no argument for {}", edit.field));
      return;
    }
    const bool bare = edit.target.boolean() != nullptr && edit.value == "true";
    const auto words = bare ? std::vector<std::string>{} : value_words(edit.target);
    if (is_script() && !is_word(field)) {
      edit_script(field, {edit.field, words});
    } else if (goes_to_file(field)) {
      edit_file({"MODEL_ARGS", edit.field}, Literal::of_word(bare ? "true" : joined(words)));
    } else {
      change_.words.push_back({edit.field, words});
    }
  }

  void drop_argument(const Field& field) {
    if (is_script() && !is_word(&field)) {
      edit_script(&field, {field.spelling, std::nullopt});
    } else if (stands_in(field.key, recipe_) && has_file_) {
      edit_file({"MODEL_ARGS", field.spelling}, std::nullopt);
    } else {
      change_.words.push_back({field.spelling, std::nullopt});
    }
  }

  /// Functional tests pass "[a b]" on as two words, ModelZoo's launcher splits at blanks.
  std::string joined(const std::vector<std::string>& words) const {
    const std::string text = fmt::format("{}", fmt::join(words, " "));
    const auto launcher = recipe_.raw.find("raw.launcher");
    const bool split = launcher != recipe_.raw.end() && launcher->second.to_text() == "modelzoo";
    return words.size() < 2 || split ? text : "[" + text + "]";
  }

  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  bool has_file_;
  Change change_;
};

bool is_flag(const std::string& key) {
  return key.starts_with("-");
}

/// Whether a word is `key=value`, optionally prefixed by Hydra's `+`, `++` or `~`.
bool is_override_of(std::string_view word, std::string_view key) {
  const std::size_t begin = word.find_first_not_of("+~");
  word.remove_prefix(std::min(begin, word.size()));
  return word == key || (word.starts_with(key) && word.substr(key.size()).starts_with('='));
}

/// Range of a flag and its values: [first, last).
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

Range find_flag(const std::vector<std::string>& words, const std::string& key) {
  for (std::size_t i = words.size(); i-- > 0;) {
    if (words[i].starts_with(key + "=")) {
      return {i, i + 1};
    }
    if (words[i] == key) {
      std::size_t last = i + 1;
      while (last < words.size() && !words[last].starts_with("--")) {
        ++last;
      }
      return {i, last};
    }
  }
  return {words.size(), words.size()};
}

Range find_override(const std::vector<std::string>& words, const std::string& key) {
  for (std::size_t i = words.size(); i-- > 0;) {
    if (is_override_of(words[i], key)) {
      return {i, i + 1};
    }
  }
  return {words.size(), words.size()};
}

/// `--num-expert 8`, `--num-expert=8` and `model.x=8` get the new name in place of the old one.
void rename_word(std::vector<std::string>& words, const WordEdit& edit) {
  for (std::string& word : words) {
    const std::size_t sign =
        is_flag(edit.key) ? 0 : std::min(word.find_first_not_of("+~"), word.size());
    const std::string_view rest = std::string_view(word).substr(sign);
    if (rest.starts_with(edit.key) &&
        (rest.size() == edit.key.size() || rest[edit.key.size()] == '=')) {
      word.replace(sign, edit.key.size(), edit.rename);
    }
  }
}

}  // namespace

void add(Change& all, const Change& more) {
  const auto is_known = [&all](const yaml::Edit& edit) {
    return std::ranges::any_of(all.edits,
                               [&](const yaml::Edit& known) { return known.path == edit.path; });
  };
  for (const yaml::Edit& edit : more.edits) {
    if (!is_known(edit)) {
      all.edits.push_back(edit);
    }
  }
  for (const WordEdit& edit : more.script) {
    if (std::ranges::find(all.script, edit.key, &WordEdit::key) == all.script.end()) {
      all.script.push_back(edit);
    }
  }
  all.words.insert(all.words.end(), more.words.begin(), more.words.end());
}

Change change_of(const Fix& fix,
                 const recipe::Recipe& recipe,
                 const recipe::Vocabulary& vocabulary) {
  return Translator(recipe, vocabulary).run(fix);
}

std::vector<std::string> edited_words(std::vector<std::string> words,
                                      const std::vector<WordEdit>& edits) {
  for (const WordEdit& edit : edits) {
    const bool flag = is_flag(edit.key);
    if (!edit.rename.empty()) {
      rename_word(words, edit);
      continue;
    }
    const Range range = flag ? find_flag(words, edit.key) : find_override(words, edit.key);
    std::vector<std::string> fresh;
    if (edit.values && flag) {
      fresh = *edit.values;
      fresh.insert(fresh.begin(), edit.key);
    } else if (edit.values) {
      const std::string word = range.first < range.last ? words[range.first] : "";
      const std::size_t sign = std::min(word.find_first_not_of("+~"), word.size());
      fresh = {word.substr(0, sign) + edit.key + "=" + edit.values->front()};
    }
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto next = words.erase(at, at + static_cast<std::ptrdiff_t>(range.last - range.first));
    words.insert(next, fresh.begin(), fresh.end());
  }
  return words;
}

namespace {

using recipe::Field;
using recipe::Variable;
using text::Mark;

constexpr std::string_view kBlanks = " \t";

/// Bytes of the script to be replaced.
struct Splice {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

constexpr std::string_view kOthers = "_.,+:/@%=- ";

/// Text that the shell passes on unchanged, quoted or not.
bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

/// Words as a script writes them, in quotes where the shell would read them otherwise; empty if
/// quotes do not suffice.
std::string shell_text(const std::vector<std::string>& words) {
  std::string text = fmt::format("{}", fmt::join(words, " "));
  if (is_plain(text) || text.empty()) {
    return text;
  }
  constexpr std::string_view kActive = "'$`\\!";  // what a shell or a reader of scripts acts on
  const bool quotable =
      words.size() == 1 && std::ranges::all_of(text, [&](char c) {
        return c >= ' ' && c < '\x7f' && kActive.find(c) == std::string_view::npos;
      });
  return quotable ? "'" + text + "'" : "";
}

class Editor {
 public:
  explicit Editor(const recipe::Recipe& recipe)
      : recipe_(recipe),
        file_(*recipe.files.front()),
        bytes_(file_.bytes()) {}

  void make(const WordEdit& edit) {
    if (edit.key.starts_with('$')) {
      set_variable(edit.key.substr(1), edit.values);
      return;
    }
    if (!edit.rename.empty()) {
      rename(edit.key, edit.rename);
      return;
    }
    const Field* field = find(edit.key);
    if (field == nullptr) {
      if (edit.values) {
        add(edit.key, *edit.values);
      }
    } else if (const auto value = value_of_variable(*field); value && edit.values) {
      replace_at(*value, field->spelling, *edit.values);
    } else if (!is_written(*field) && !value) {
      obstruct(fmt::format("{} is composed of variables", edit.key));
    } else if (edit.values) {
      replace(*field, *edit.values);
    } else {
      remove(field->key.begin, field->mark.end);
    }
  }

  std::string run(std::string& obstacle) {
    std::ranges::sort(splices_, {}, &Splice::begin);
    std::string result;
    std::size_t at = 0;
    for (const Splice& splice : splices_) {
      if (splice.begin < at) {
        obstruct("two changes affect the same place");
        break;
      }
      result += bytes_.substr(at, splice.begin - at);
      result += splice.text;
      at = splice.end;
    }
    result += bytes_.substr(at);
    obstacle = obstacle_;
    return obstacle.empty() ? result : std::string(bytes_);
  }

 private:
  void obstruct(std::string reason) {
    if (obstacle_.empty()) {
      obstacle_ = std::move(reason);
    }
  }

  std::string_view at(const Mark& mark) const {
    return bytes_.substr(mark.begin, mark.end - mark.begin);
  }

  bool is_here(const Mark& mark) const { return mark.file == &file_; }

  const Field* find(std::string_view spelling) const {
    const auto in = [spelling](const auto& fields) -> const Field* {
      const auto found = std::ranges::find_if(fields, [spelling](const auto& entry) {
        return entry.second.spelling == spelling && !entry.second.key.nowhere();
      });
      return found == fields.end() ? nullptr : &found->second;
    };
    const Field* field = in(recipe_.fields);
    return field == nullptr && recipe_.settings ? in(*recipe_.settings) : field;
  }

  /// Whether the script contains the name and the value literally, one after the other.
  bool is_written(const Field& field) const {
    if (!is_here(field.key) || !is_here(field.mark) || field.value.is_unknown() ||
        field.origin == recipe::Origin::environment) {
      return false;
    }
    const std::size_t name = field.spelling.find_first_not_of("+~");
    if (!at(field.key).starts_with(
            std::string_view(field.spelling).substr(std::min(name, field.spelling.size())))) {
      return false;
    }
    const bool bare = field.mark == field.key;
    return bare || (field.key.end <= field.mark.begin && is_plain(at(field.mark)));
  }

  /// Start of the key in a diagnostic's words; npos if they do not begin with one.
  std::size_t place_of(const std::string& key, const Mark& mark) const {
    const std::string_view words = is_here(mark) ? at(mark) : std::string_view();
    const std::size_t begin = std::min(words.find_first_not_of("+~\"'"), words.size());
    const std::string_view rest = words.substr(begin);
    const bool whole = rest.starts_with(key) &&
                       (rest.size() == key.size() || rest.find_first_of("=\"' ") == key.size());
    return whole ? mark.begin + begin : std::string_view::npos;
  }

  /// The script's name for an unknown value.
  void rename(const std::string& key, const std::string& name) {
    std::set<std::size_t> places;
    for (const auto& diagnostic : recipe_.diagnostics) {
      const std::size_t place = place_of(key, diagnostic.mark);
      if (place != std::string_view::npos && places.insert(place).second) {
        splices_.push_back({place, place + key.size(), name});
      }
    }
    if (places.empty()) {
      obstruct(fmt::format("{} is composed of variables", key));
    }
  }

  void replace(const Field& field, const std::vector<std::string>& values) {
    replace_at(field.mark == field.key ? Mark{} : field.mark, field.spelling, values);
  }

  void replace_at(const Mark& mark,
                  const std::string& spelling,
                  const std::vector<std::string>& values) {
    const std::string text = shell_text(values);
    if (mark.nowhere() || text.empty()) {
      obstruct(fmt::format("the value of {} must be written by hand", spelling));
      return;
    }
    splices_.push_back({mark.begin, mark.end, text});
  }

  /// Where the script writes the value of a field that is one of its variables, used only there.
  std::optional<Mark> value_of_variable(const Field& field) const {
    const bool here = is_here(field.key) && is_here(field.mark) && !field.value.is_unknown() &&
                      field.origin != recipe::Origin::environment;
    return here ? only_value(field.mark) : std::nullopt;
  }

  void add(const std::string& key, const std::vector<std::string>& values) {
    const Field* last = nullptr;
    for (const auto& [name, field] : recipe_.fields) {
      if (!field.key.nowhere() && is_written(field) &&
          (last == nullptr || field.mark.end > last->mark.end)) {
        last = &field;
      }
    }
    const std::string value = shell_text(values);
    if (last == nullptr || (!values.empty() && value.empty())) {
      obstruct(fmt::format("{} must be added by hand", key));
      return;
    }
    const bool flag = key.starts_with('-');
    const std::string text = values.empty() ? key : key + (flag ? " " : "=") + value;
    splices_.push_back({last->mark.end, last->mark.end, " " + text});
  }

  /// The rest of an otherwise empty line is removed too; but a line that ends the command after a
  /// `\` remains, empty.
  void remove(std::size_t begin, std::size_t end) {
    while (begin > 0 && std::string_view("+~").find(bytes_[begin - 1]) != std::string_view::npos) {
      --begin;
    }
    const bool quoted = begin > 0 && end < bytes_.size() && bytes_[begin - 1] == bytes_[end] &&
                        (bytes_[end] == '"' || bytes_[end] == '\'');
    begin -= quoted ? 1U : 0U;
    end += quoted ? 1U : 0U;
    const std::size_t line = bytes_.rfind('\n', begin == 0 ? 0 : begin - 1);
    const std::size_t first = line == std::string_view::npos || begin == 0 ? 0 : line + 1;
    const std::size_t last = std::min(bytes_.find('\n', end), bytes_.size());
    const std::string_view before = bytes_.substr(first, begin - first);
    std::string_view after = bytes_.substr(end, last - end);
    const bool continues = after.ends_with('\\');
    if (continues) {
      after.remove_suffix(1);
    }
    const bool alone = before.find_first_not_of(kBlanks) == std::string_view::npos &&
                       after.find_first_not_of(kBlanks) == std::string_view::npos;
    const bool continued = first >= 2 && bytes_[first - 2] == '\\';
    if (alone && (continues || !continued) && last < bytes_.size()) {
      splices_.push_back({first, last + 1, ""});
      return;
    }
    while (begin > first && kBlanks.find(bytes_[begin - 1]) != std::string_view::npos) {
      --begin;
    }
    splices_.push_back({begin, end, ""});
  }

  void set_variable(const std::string& name,
                    const std::optional<std::vector<std::string>>& values) {
    const auto found = recipe_.variables.find(name);
    if (!values || !is_plain(values->front())) {
      obstruct(fmt::format("{} must be changed by hand", name));
    } else if (found == recipe_.variables.end()) {
      export_variable(name, values->front());
    } else if (is_here(found->second.mark) && found->second.value.text() != nullptr &&
               at(found->second.mark) == *found->second.value.text()) {
      splices_.push_back({found->second.mark.begin, found->second.mark.end, values->front()});
    } else {
      obstruct(fmt::format("the value of {} is composed of variables", name));
    }
  }

  /// After the last line that only contains an export.
  void export_variable(const std::string& name, const std::string& value) {
    std::optional<std::size_t> place;
    std::string indent;
    for (const auto& [other, variable] : recipe_.variables) {
      if (!is_here(variable.mark)) {
        continue;
      }
      const std::string_view line = file_.line(variable.mark.start().line);
      const std::size_t blanks = std::min(line.find_first_not_of(kBlanks), line.size());
      const std::size_t end = bytes_.find('\n', variable.mark.end);
      const bool whole = line.substr(blanks).starts_with("export ") && !line.ends_with('\\') &&
                         line.find(';') == std::string_view::npos;
      if (whole && end != std::string_view::npos && (!place || end + 1 > *place)) {
        place = end + 1;
        indent = std::string(line.substr(0, blanks));
      }
    }
    if (!place) {
      obstruct(fmt::format("{} must be exported by hand", name));
      return;
    }
    splices_.push_back({*place, *place, fmt::format("{}export {}={}\n", indent, name, value)});
  }

  const recipe::Recipe& recipe_;
  const text::SourceFile& file_;
  std::string_view bytes_;
  std::vector<Splice> splices_;
  std::string obstacle_;
};

}  // namespace

std::string edited_script(const recipe::Recipe& recipe,
                          const std::vector<WordEdit>& edits,
                          std::string& obstacle) {
  Editor editor(recipe);
  for (const WordEdit& edit : edits) {
    editor.make(edit);
  }
  return editor.run(obstacle);
}

}  // namespace epwise::fix
