#include "recipe/arguments/model_args.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "recipe/recipe.h"

namespace epwise::recipe {

namespace {

using expr::Value;
using text::Diagnostic;
using yaml::Node;

/// Variables set by ModelZoo's runtime configuration and used in its recipes.
bool uses_modelzoo_variable(std::string_view value) {
  constexpr std::array<std::string_view, 12> kVariables = {"TP",
                                                           "PP",
                                                           "EP",
                                                           "CP",
                                                           "VPP",
                                                           "MBS",
                                                           "GBS",
                                                           "SEQ_LEN",
                                                           "LAYERS_PER_VP",
                                                           "MOE_GROUPED_GEMM",
                                                           "WORKSPACE",
                                                           "COMMENT"};
  return std::any_of(kVariables.begin(), kVariables.end(), [value](std::string_view name) {
    return value.find("${" + std::string(name) + "}") != std::string_view::npos;
  });
}

/// Programs that share Megatron-LM's parser and add their own flags, identified by a flag that only
/// they have.
std::string_view program_of(std::string_view flag) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSignatures = {{
      {"--model-provider", "mimo"},
      {"--dataset-provider", "mimo"},
      {"--dataloader-seq-length", "multimodal"},
      {"--disable-vision-class-token", "multimodal"},
      {"--flextron", "pretrain_hybrid_flex.py"},
      {"--enable-router", "pretrain_hybrid_flex.py"},
      {"--num-tokens-to-generate", "inference"},
      {"--prompts", "inference"},
  }};
  for (const auto& [signature, program] : kSignatures) {
    if (signature == flag) {
      return program;
    }
  }
  return {};
}

class ModelArgsReader {
 public:
  explicit ModelArgsReader(const Environment& environment) : environment_(environment) {}

  ModelArgs run(const Node& root) {
    out_.launcher = launcher_of(root);
    if (const Node* variables = root.find("ENV_VARS");
        variables != nullptr && variables->is_mapping()) {
      for (const yaml::Entry& entry : variables->entries) {
        read_variable(entry);
      }
    }
    if (const Node* mode = root.find("MODE");
        mode != nullptr && mode->is_scalar() && mode->scalar != "pretraining") {
      out_.program = mode->scalar;
    }
    const Node* arguments = root.find("MODEL_ARGS");
    if (arguments == nullptr || !arguments->is_mapping()) {
      out_.problem = "MODEL_ARGS is not a mapping of flags to values";
      return std::move(out_);
    }
    read_arguments(*arguments);
    return std::move(out_);
  }

 private:
  void read_arguments(const Node& arguments) {
    const auto is_flag = [](const yaml::Entry& entry) { return entry.key.starts_with("-"); };
    const auto& entries = arguments.entries;
    if (!entries.empty() && std::none_of(entries.begin(), entries.end(), is_flag)) {
      out_.problem =
          fmt::format("MODEL_ARGS contains names such as `{}`, not flags", entries.front().key);
      return;
    }
    for (const yaml::Entry& entry : entries) {
      read_argument(entry);
      if (out_.program.empty()) {
        out_.program = program_of(entry.key);
      }
    }
  }

  // ---- variables

  std::optional<Binding> caller(std::string_view name) const {
    const auto found = environment_.find(name);
    return found == environment_.end() ? std::nullopt
                                       : std::optional<Binding>(Binding{found->second});
  }

  /// The caller's variables are substituted in the file's text, before the recipe's own are
  /// exported.
  std::optional<Binding> caller_or_recipe(std::string_view name) const {
    auto binding = caller(name);
    if ((binding && binding->text) || out_.launcher == Launcher::modelzoo) {
      return binding;
    }
    const auto own = out_.variables.find(name);
    if (own == out_.variables.end() || own->second.value.text() == nullptr) {
      return binding;
    }
    return Binding{*own->second.value.text()};
  }

  Substituted replaced(std::string_view text, const text::Mark& mark, bool own) {
    const Bindings bindings = [this, own](std::string_view name) {
      return own ? caller_or_recipe(name) : caller(name);
    };
    Substituted result = substitute(text, bindings);
    for (const std::string& name : result.unset) {
      report("recipe/unset-variable",
             mark,
             fmt::format("variable `{}` is used here but is unset", name),
             fmt::format("set it with --env {}=…, or a default: ${{{}:-…}}", name, name));
    }
    return result;
  }

  void read_variable(const yaml::Entry& entry) {
    Variable variable;
    variable.key = entry.key_mark;
    variable.mark = entry.value.mark;
    if (entry.value.is_mapping() || entry.value.is_sequence()) {
      report("recipe/not-a-word",
             entry.value.mark,
             fmt::format("variable {} must be a text, not {}", entry.key, noun(entry.value)));
      variable.value = Value::unknown({entry.key});
    } else {
      Substituted text = replaced(entry.value.scalar, entry.value.mark, false);
      variable.value = text.needs.empty() ? Value::of(std::move(text.text))
                                          : Value::unknown(std::move(text.needs));
    }
    out_.variables.insert_or_assign(entry.key, std::move(variable));
  }

  // ---- arguments

  static std::string_view noun(const Node& node) {
    return node.is_mapping() ? "a mapping" : "a list";
  }

  void report(std::string_view rule,
              const text::Mark& mark,
              std::string message,
              std::string help = {}) {
    out_.diagnostics.push_back({std::string(rule), mark, std::move(message), {}, std::move(help)});
  }

  void read_argument(const yaml::Entry& entry) {
    if (entry.value.is_mapping()) {
      report("recipe/not-a-word",
             entry.value.mark,
             fmt::format("`{}` needs a single value, not a mapping", entry.key));
      add_flag(entry);
      out_.words.push_back({entry.value.entries.empty() ? "{}" : "{…}", entry.value.mark});
      return;
    }
    if (entry.value.is_sequence()) {
      read_list(entry);
      return;
    }
    Substituted value = replaced(entry.value.scalar, entry.value.mark, true);
    if (value.text.find('\n') != std::string::npos) {
      report_lines(entry);
    }
    const bool off = out_.launcher == Launcher::modelzoo && value.text == "false";
    if (off) {
      return;
    }
    const auto words = shell_words(value.text);
    if (!words) {
      report("recipe/quote",
             entry.value.mark,
             fmt::format("the value of `{}` has an unclosed quote or a trailing backslash for the "
                         "launcher's shell",
                         entry.key),
             "close it, or remove it");
      add_flag(entry);
      return;
    }
    add_flag(entry);
    add_values(entry, *words, value);
  }

  /// The words of one value, unquoted: none for "true" and an empty value, the content of "[a b]",
  /// otherwise one.
  void add_values(const yaml::Entry& entry,
                  const std::vector<std::string>& words,
                  const Substituted& value) {
    if (!template_expression(value.text).empty()) {
      add_value(entry, value.text, value);
      return;
    }
    const std::string joined = fmt::format("{}", fmt::join(words, " "));
    if (joined == "true" || joined.empty()) {
      return;
    }
    const bool list =
        joined.size() > 2 && joined.front() == '[' && joined.find(']') == joined.size() - 1;
    if (out_.launcher == Launcher::modelzoo) {
      for (const std::string& word : words) {
        add_value(entry, word, value);
      }
    } else if (list) {
      for (const std::string& word :
           shell_words(joined.substr(1, joined.size() - 2)).value_or(words)) {
        add_value(entry, word, value);
      }
    } else {
      add_value(entry, joined, value);
    }
  }

  /// A YAML list is printed as "[a, b]": its commas stay in the words.
  void read_list(const yaml::Entry& entry) {
    const bool lines = is_block(entry.value);
    if (lines) {
      report_lines(entry);
    } else if (entry.value.items.size() > 1) {
      report("recipe/list-commas",
             entry.value.mark,
             fmt::format(
                 "the launcher passes the commas of this list on as part of the values of `{}`",
                 entry.key),
             fmt::format("write it as a text with spaces: \"[{}]\"",
                         fmt::join(item_texts(entry.value), " ")));
    }
    add_flag(entry);
    const std::vector<std::string> texts = item_texts(entry.value);
    if (texts.empty()) {
      out_.words.push_back({"[]", entry.value.mark});
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Substituted text = replaced(texts[i], entry.value.items[i].mark, true);
      const bool comma = !lines && i + 1 < texts.size();
      add_value(entry, comma ? text.text + "," : text.text, text);
    }
  }

  static std::vector<std::string> item_texts(const Node& list) {
    std::vector<std::string> texts;
    for (const Node& item : list.items) {
      texts.push_back(item.is_mapping() || item.is_sequence() ? std::string("…") : item.scalar);
    }
    return texts;
  }

  static bool is_block(const Node& list) {
    const auto& mark = list.defined;
    return mark.file != nullptr && mark.file->bytes().substr(mark.begin, 1) != "[";
  }

  void report_lines(const yaml::Entry& entry) {
    report("recipe/list-lines",
           entry.value.mark,
           fmt::format("the launcher reads each line of this value of `{}` as a separate argument",
                       entry.key),
           "write it on one line: a list as \"[a b]\"");
  }

  void add_flag(const yaml::Entry& entry) { out_.words.push_back({entry.key, entry.key_mark}); }

  void add_value(const yaml::Entry& entry, std::string word, const Substituted& from) {
    Word value{std::move(word), entry.value.mark};
    if (value.text.find('$') != std::string::npos) {
      value.needs = from.needs;
    }
    if (const std::string_view open = template_expression(value.text); !open.empty()) {
      value.needs.emplace_back(open);
    }
    value.origin = from.changed ? Origin::environment : Origin::written;
    out_.words.push_back(std::move(value));
  }

  const Environment& environment_;
  ModelArgs out_;
};

}  // namespace

std::string_view to_string(Launcher launcher) {
  return launcher == Launcher::functional ? "functional" : "modelzoo";
}

Launcher launcher_of(const Node& root) {
  const auto is_known = [](const yaml::Entry& entry) {
    return entry.key == "ENV_VARS" || entry.key == "MODEL_ARGS";
  };
  const Node* arguments = root.find("MODEL_ARGS");
  const bool bare = std::all_of(root.entries.begin(), root.entries.end(), is_known);
  if (!bare || arguments == nullptr) {
    return Launcher::functional;
  }
  const auto from_modelzoo = [](const yaml::Entry& entry) {
    return entry.value.is_scalar() && uses_modelzoo_variable(entry.value.scalar);
  };
  const auto& entries = arguments->entries;
  return std::any_of(entries.begin(), entries.end(), from_modelzoo) ? Launcher::modelzoo
                                                                    : Launcher::functional;
}

ModelArgs read_model_args(const Node& root, const Environment& environment) {
  return ModelArgsReader(environment).run(root);
}

namespace {

/// One word from `at` on; advances `at` past it. False if it does not end.
bool take_word(std::string_view text, std::size_t& at, std::string& word) {
  char quote = '\0';
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == '\0' && text::is_whitespace(c)) {
      return true;
    }
    const bool escapes = c == '\\' && quote != '\'';
    if (escapes && at + 1 == text.size()) {
      return false;
    }
    if (escapes) {
      const char next = text[at + 1];
      // Between double quotes a backslash is literal, except before a quote or another backslash.
      if (quote == '"' && next != '"' && next != '\\') {
        word.push_back(c);
      }
      word.push_back(next);
      ++at;
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      word.push_back(c);
    }
  }
  return quote == '\0';
}

}  // namespace

std::optional<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    if (text::is_whitespace(text[at])) {
      ++at;
      continue;
    }
    std::string word;
    if (!take_word(text, at, word)) {
      return std::nullopt;
    }
    words.push_back(std::move(word));
  }
  return words;
}

namespace {

constexpr int kMaxSubstitutionDepth = 16;
constexpr std::size_t kMaxBraces = 1000;  // longest text between braces
constexpr std::size_t kMaxNeeds = 64;

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_name(char c) {
  return starts_name(c) || (c >= '0' && c <= '9');
}

std::size_t name_length(std::string_view text) {
  if (text.empty() || !starts_name(text.front())) {
    return 0;
  }
  const auto end = std::find_if_not(text.begin(), text.end(), continues_name);
  return static_cast<std::size_t>(end - text.begin());
}

/// Offset of the brace that closes the one before `begin`; npos when none does.
std::size_t end_of_brace(std::string_view text, std::size_t begin) {
  int open = 1;
  const std::size_t end = std::min(text.size(), begin + kMaxBraces);
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '{') {
      ++open;
      ++i;
    } else if (text[i] == '}' && --open == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

class Substitution {
 public:
  explicit Substitution(const Bindings& bindings) : bindings_(bindings) {}

  std::string run(std::string_view text, int depth) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t dollar = text.find('$', at);
      out.append(text.substr(at, dollar == std::string_view::npos ? dollar : dollar - at));
      if (dollar == std::string_view::npos) {
        break;
      }
      at = dollar + variable(text.substr(dollar), depth, out);
    }
    return out;
  }

  Substituted result(std::string text) {
    found_.text = std::move(text);
    return std::move(found_);
  }

 private:
  /// Appends the expansion of a text that starts with a dollar sign; returns how much of the text
  /// was used.
  std::size_t variable(std::string_view text, int depth, std::string& out) {
    if (text.substr(0, 2) == "${") {
      const std::size_t end = end_of_brace(text, 2);
      const std::string_view inside = text.substr(2, end == std::string_view::npos ? 0 : end - 2);
      const std::size_t length = name_length(inside);
      if (length > 0 && depth < kMaxSubstitutionDepth) {
        expand(
            text.substr(0, end + 1), inside.substr(0, length), inside.substr(length), depth, out);
        return end + 1;
      }
      out.append("${");
      return 2;
    }
    const std::size_t length = name_length(text.substr(1));
    if (length == 0) {
      out.push_back('$');
      return 1;
    }
    expand(text.substr(0, length + 1), text.substr(1, length), {}, depth, out);
    return length + 1;
  }

  void expand(std::string_view written,
              std::string_view name,
              std::string_view operation,
              int depth,
              std::string& out) {
    const std::optional<Binding> binding = bindings_(name);
    const bool set = binding && binding->text;
    const bool colon = operation.substr(0, 1) == ":";
    const std::string_view rest = operation.substr(colon ? 1 : 0);
    const char kind = rest.empty() ? '\0' : rest.front();
    const bool counts = set && !(colon && binding->text->empty());
    if (operation.empty() || ((kind == '-' || kind == '=') && counts)) {
      plain(written, name, binding, out);
    } else if (kind == '-' || kind == '=') {
      found_.changed = true;
      out.append(run(rest.substr(1), depth + 1));
    } else if (kind == '+') {
      found_.changed = true;
      out.append(counts ? run(rest.substr(1), depth + 1) : std::string());
    } else {
      // Substrings, patterns, ${X:?sentence}: the result depends on X.
      need(written, name, out);
    }
  }

  void plain(std::string_view written,
             std::string_view name,
             const std::optional<Binding>& binding,
             std::string& out) {
    if (binding && binding->text) {
      found_.changed = true;
      out.append(*binding->text);
      return;
    }
    if (binding) {
      found_.unset.emplace_back(name);
    }
    need(written, name, out);
  }

  void need(std::string_view written, std::string_view name, std::string& out) {
    const std::string need = "${" + std::string(name) + "}";
    const auto same = std::find(found_.needs.begin(), found_.needs.end(), need);
    if (same == found_.needs.end() && found_.needs.size() < kMaxNeeds) {
      found_.needs.push_back(need);
    }
    out.append(written);
  }

  const Bindings& bindings_;
  Substituted found_;
};

}  // namespace

Substituted substitute(std::string_view text, const Bindings& bindings) {
  Substitution substitution(bindings);
  return substitution.result(substitution.run(text, 0));
}

}  // namespace epwise::recipe
