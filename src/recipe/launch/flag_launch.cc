#include "recipe/launch/flag_launch.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/text/ascii.h"
#include "recipe/arguments/arguments.h"
#include "recipe/checkpoint_fields.h"

namespace epwise::recipe {
namespace {

using expr::Value;
using Given = shell::Field;

/// A word and the condition under which it is present.
struct OpenWord {
  Word word;
  int condition = 0;
  std::vector<std::string> needs = {};
};

bool is_flag(std::string_view text) {
  return text.size() > 2 && text.starts_with("--");
}

/// Programs that take Megatron-LM's own flags and no others.
bool is_complete(const std::string& program) {
  constexpr std::array<std::string_view, 6> kPrograms = {"pretrain_gpt.py",
                                                         "pretrain_hybrid.py",
                                                         "pretrain_mamba.py",
                                                         "pretrain_bert.py",
                                                         "pretrain_t5.py",
                                                         "train_gpt.py"};
  return std::find(kPrograms.begin(), kPrograms.end(), program_name(program)) != kPrograms.end();
}

/// Flags that distinguish a training from tools with a few common flags.
bool is_training_word(std::string_view word) {
  constexpr std::array<std::string_view, 8> kFlags = {"--num-layers",
                                                      "--hidden-size",
                                                      "--micro-batch-size",
                                                      "--global-batch-size",
                                                      "--lr",
                                                      "--train-iters",
                                                      "--train-samples",
                                                      "--tensor-model-parallel-size"};
  return std::find(kFlags.begin(), kFlags.end(), word.substr(0, word.find('='))) != kFlags.end();
}

bool contains_any(std::string_view word, std::span<const std::string_view> parts) {
  return std::ranges::any_of(
      parts, [word](std::string_view part) { return word.find(part) != std::string_view::npos; });
}

/// Flags that only Megatron's parser has by these names: other trainers have a `--lr`, too.
bool is_own_word(std::string_view word) {
  constexpr std::array<std::string_view, 12> kParts = {"model-parallel",
                                                       "--micro-batch-size",
                                                       "--global-batch-size",
                                                       "--num-attention-heads",
                                                       "--max-position-embeddings",
                                                       "--train-iters",
                                                       "--train-samples",
                                                       "--tokenizer-type",
                                                       "--lr-decay-",
                                                       "--use-distributed-optimizer",
                                                       "--transformer-impl",
                                                       "--use-mcore-models"};
  return contains_any(word, kParts);
}

/// Those that no trainer besides Megatron has: for the others, sizes and batches are common words.
bool is_only_word(std::string_view word) {
  constexpr std::array<std::string_view, 6> kParts = {"-model-parallel-",
                                                      "--lr-decay-style",
                                                      "--use-distributed-optimizer",
                                                      "--transformer-impl",
                                                      "--use-mcore-models",
                                                      "--max-position-embeddings"};
  return contains_any(word, kParts);
}

bool mentions_megatron(std::string_view word) {
  return text::lower(word).find("megatron") != std::string::npos;
}

/// A program of DeepSpeed or the like that says nowhere that it is one of Megatron's forks.
bool is_of_another(const LaunchWords& launch) {
  const auto configures = [](const Given& field) {
    const std::string text = field.text();
    return text.starts_with("--deepspeed") || text.starts_with("--ds-config") ||
           text.starts_with("--ds_config");
  };
  const auto says_megatron = [](const Given& field) {
    const std::string text = field.text();
    return mentions_megatron(text) || is_only_word(text);
  };
  return (launch.by_other || std::ranges::any_of(launch.arguments, configures)) &&
         !mentions_megatron(launch.program) &&
         !std::ranges::any_of(launch.arguments, says_megatron);
}

class LaunchFlags {
 public:
  explicit LaunchFlags(const Vocabulary& vocabulary) {
    for (const Flag& flag : vocabulary.flags()) {
      for (const std::string_view spelling : flag.spellings) {
        flags_.emplace(spelling, &flag);
      }
    }
  }

  const Flag* find(std::string_view word) const {
    const auto found = flags_.find(word.substr(0, word.find('=')));
    return found == flags_.end() ? nullptr : found->second;
  }

  /// Whether the flag needs a value.
  bool wants_value(std::string_view word) const {
    if (!is_flag(word)) {
      return false;
    }
    const Flag* flag = find(word);
    const bool stores = flag != nullptr && (flag->action == Flag::Action::store ||
                                            flag->action == Flag::Action::append);
    return word.find('=') == std::string_view::npos && (flag == nullptr || stores);
  }

 private:
  std::map<std::string_view, const Flag*> flags_;
};

/// Sorts a program's words into certain ones, conditional ones, and unknown ones.
class Sorter {
 public:
  explicit Sorter(const LaunchFlags& flags) : flags_(flags) {}

  void run(const std::vector<Given>& fields) {
    for (const Given& field : fields) {
      take(field);
    }
  }

  std::vector<OpenWord> words;
  std::vector<std::string> holes;  // the needs of words in the place of a flag

 private:
  void take(const Given& field) {
    Word word = word_of(field);
    const bool flag = is_flag(word.text) && field.pieces.front().needs.empty();
    const int condition = field.condition();
    if (condition != 0) {
      conditional(std::move(word), condition);
      return;
    }
    const bool sure = word.needs.empty() || flag || !field.pieces.front().quoted ||
                      field.pieces.size() > 1 || is_unknown_list(field);
    const bool value = wants_value() && !is_open_list(field);
    if (!word.needs.empty() && !flag && !value && sure) {
      add_needs(word.needs, holes);
      return;
    }
    words.push_back({std::move(word)});
  }

  void conditional(Word word, int condition) {
    const bool starts = is_flag(word.text);
    const bool follows = !words.empty() && words.back().condition == condition;
    std::vector<std::string> needs = std::exchange(word.needs, {});
    if (starts || follows) {
      words.push_back({std::move(word), condition, std::move(needs)});
      return;
    }
    // A value present in only one branch: one word of unknown text.
    if (wants_value()) {
      word.needs = std::move(needs);
      words.push_back({std::move(word)});
    }
  }

  /// "${A[@]}" of an unknown list: any number of words.
  static bool is_unknown_list(const Given& field) {
    const std::string text = field.pieces.size() == 1 ? field.text() : std::string();
    return !field.known() && (text.ends_with("[@]}") || text.ends_with("[*]}"));
  }

  /// Words of a list that is unknown, after a flag that may be a switch of the program's own.
  bool is_open_list(const Given& field) const {
    return is_unknown_list(field) && flags_.find(words.back().word.text) == nullptr;
  }

  bool wants_value() const {
    return !words.empty() && words.back().condition == 0 &&
           flags_.wants_value(words.back().word.text);
  }

  static void add_needs(const std::vector<std::string>& more, std::vector<std::string>& needs) {
    shell::add_needs(more, needs);
  }

  const LaunchFlags& flags_;
};

std::vector<Word> words_under(const std::vector<OpenWord>& all, int condition) {
  std::vector<Word> words;
  for (const OpenWord& each : all) {
    if (each.condition == 0 || each.condition == condition) {
      words.push_back(each.word);
    }
  }
  return words;
}

/// Values that differ under a condition are unknown.
void join(const Arguments& under, const std::vector<std::string>& needs, Arguments& sure) {
  for (const auto& [attribute, argument] : under.values) {
    const auto before = sure.values.find(attribute);
    const bool same = before != sure.values.end() && before->second.key == argument.key &&
                      before->second.mark == argument.mark;
    if (!same) {
      auto open = argument;
      open.value = Value::unknown(needs);
      sure.values.insert_or_assign(attribute, std::move(open));
    }
  }
}

Arguments parse_all(const std::vector<OpenWord>& words, const Parser& parser) {
  Arguments sure = parse_arguments(words_under(words, 0), parser);
  std::set<int> conditions;
  for (const OpenWord& each : words) {
    if (each.condition != 0 && conditions.insert(each.condition).second) {
      join(parse_arguments(words_under(words, each.condition), parser), each.needs, sure);
    }
  }
  return sure;
}

/// If words are unknown, no flag is certainly missing.
void drop_missing(Arguments& arguments) {
  std::erase_if(arguments.diagnostics,
                [](const text::Diagnostic& each) { return each.rule == "flags/required"; });
}

void open_rest(Recipe& recipe,
               const Vocabulary& vocabulary,
               const std::vector<std::string>& needs) {
  for (const Flag& flag : vocabulary.flags()) {
    const FieldSpec* spec = vocabulary.find_attribute(flag.attribute);
    if (spec == nullptr || recipe.find(spec->name) != nullptr) {
      continue;
    }
    recipe::Field field;
    field.name = spec->name;
    field.value = Value::unknown(needs);
    field.spelling = flag.spellings.front();
    recipe.fields.emplace(field.name, std::move(field));
  }
}

/// A program of its own has a model of its own.
void open_model(Recipe& recipe, const Vocabulary& vocabulary, const std::string& program) {
  const FieldSpec* spec = vocabulary.find_attribute("spec");
  if (spec != nullptr && recipe.find(spec->name) == nullptr) {
    recipe::Field field;
    field.name = spec->name;
    field.value = Value::unknown({program});
    field.spelling = "--spec";
    recipe.fields.emplace(field.name, std::move(field));
  }
}

}  // namespace

bool is_megatron(const LaunchWords& launch, const Vocabulary& vocabulary) {
  constexpr std::ptrdiff_t kEnough = 3;
  const LaunchFlags flags(vocabulary);
  const auto known = [&flags](const Given& field) {
    const std::string text = field.text();
    return is_flag(text) && flags.find(text) != nullptr;
  };
  const auto trains = [](const Given& field) { return is_training_word(field.text()); };
  const std::ptrdiff_t count = std::ranges::count_if(launch.arguments, known);
  if (count < kEnough || is_complete(launch.program)) {
    return count >= kEnough;
  }
  if (is_of_another(launch)) {
    return false;
  }
  // A program of its own: some flags are nobody else's, or may be among words that are not known.
  const auto own_or_open = [](const Given& field) {
    return !field.known() || is_own_word(field.text());
  };
  return std::ranges::any_of(launch.arguments, trains) &&
         std::ranges::any_of(launch.arguments, own_or_open);
}

void read_flags(Recipe& recipe, const LaunchWords& launch, const Vocabulary& vocabulary) {
  const LaunchFlags flags(vocabulary);
  Sorter sorter(flags);
  sorter.run(launch.arguments);
  Parser parser = parser_of(vocabulary);
  parser.complete = is_complete(launch.program);
  Arguments arguments = parse_all(sorter.words, parser);
  const bool conditional = std::any_of(sorter.words.begin(),
                                       sorter.words.end(),
                                       [](const OpenWord& each) { return each.condition != 0; });
  if (conditional || !sorter.holes.empty() || !parser.complete) {
    drop_missing(arguments);
  }
  add_arguments(recipe, std::move(arguments), vocabulary);
  const bool sized =
      recipe.find("model.num_layers") != nullptr && recipe.find("model.hidden_size") != nullptr;
  if (!sorter.holes.empty() && !sized) {
    open_rest(recipe, vocabulary, sorter.holes);
  } else if (!parser.complete && !sized) {  // it brings its own sizes
    open_rest(recipe, vocabulary, {program_name(launch.program)});
  }
  recipe.note_unread_words(sorter.holes);
  take_from_checkpoint(recipe, vocabulary);
  if (!parser.complete) {
    open_model(recipe, vocabulary, program_name(launch.program));
  }
  recipe.raw["raw.program"] =
      parser.complete ? Value::unset() : Value::of(program_name(launch.program));
}

}  // namespace epwise::recipe
