#include "recipe/arguments/model_args.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "recipe/arguments/shell_words.h"
#include "recipe/arguments/substitution.h"

namespace epwise::recipe {
namespace {

using expr::Value;
using text::Diagnostic;
using yaml::Node;

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Variables that ModelZoo's runtime configuration sets and its recipes use.
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

/// Programs that share Megatron-LM's parser and add flags of their own, by a flag that only they
/// have.
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

class Reader {
 public:
  explicit Reader(const Environment& environment) : environment_(environment) {}

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
      out_.problem = "MODEL_ARGS is no mapping of flags to values";
      return std::move(out_);
    }
    read_arguments(*arguments);
    return std::move(out_);
  }

 private:
  void read_arguments(const Node& arguments) {
    const auto is_flag = [](const yaml::Entry& entry) { return starts_with(entry.key, "-"); };
    const auto& entries = arguments.entries;
    if (!entries.empty() && std::none_of(entries.begin(), entries.end(), is_flag)) {
      out_.problem =
          fmt::format("MODEL_ARGS holds names such as `{}`, no flags", entries.front().key);
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

  /// The caller's variables are replaced in the file's text, before the recipe's own are exported.
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
             fmt::format("the variable `{}` is used here, but it is unset", name),
             fmt::format("give it a value with --env {}=…, or a default: ${{{}:-…}}", name, name));
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
             fmt::format("the variable {} wants a text, not {}", entry.key, noun(entry.value)));
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
             fmt::format("`{}` wants a word, not a mapping", entry.key));
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
      report(
          "recipe/quote",
          entry.value.mark,
          fmt::format(
              "the launcher's shell finds an open quote or a last backslash in the value of `{}`",
              entry.key),
          "close it, or leave it out");
      add_flag(entry);
      return;
    }
    add_flag(entry);
    add_values(entry, *words, value);
  }

  /// The words of one value, quotes taken off: none of "true" and nothing, the content of "[a b]",
  /// else one.
  void add_values(const yaml::Entry& entry,
                  const std::vector<std::string>& words,
                  const Substituted& value) {
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
             fmt::format("the launcher passes the commas of this list along with the words of `{}`",
                         entry.key),
             fmt::format("write it as a text with blanks: \"[{}]\"",
                         fmt::join(item_texts(entry.value), " ")));
    }
    add_flag(entry);
    const std::vector<std::string> texts = item_texts(entry.value);
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
    report(
        "recipe/list-lines",
        entry.value.mark,
        fmt::format("the launcher reads every line of this value of `{}` as an argument of its own",
                    entry.key),
        "write it on one line: a list as \"[a b]\"");
  }

  void add_flag(const yaml::Entry& entry) { out_.words.push_back({entry.key, entry.key_mark}); }

  void add_value(const yaml::Entry& entry, std::string word, const Substituted& from) {
    Word value{std::move(word), entry.value.mark};
    if (value.text.find('$') != std::string::npos) {
      value.needs = from.needs;
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
  return Reader(environment).run(root);
}

}  // namespace epwise::recipe
