#include "recipe/overrides/scalar_types.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/text/count.h"
#include "base/text/spelling.h"
#include "expr/python_text.h"
#include "recipe/arguments/flag_values.h"

namespace epwise::recipe {

namespace {

using expr::Kind;

constexpr std::size_t kLabels = 4;  // number of further locations besides the first

bool is_number(Kind kind) {
  return kind == Kind::integer || kind == Kind::real;
}

/// "012" and "1:30": PyYAML reads an octal number and sixties.
bool reads_otherwise(std::string_view written) {
  const bool sign = !written.empty() && (written.front() == '+' || written.front() == '-');
  const std::string_view digits = written.substr(sign ? 1 : 0);
  const bool octal = digits.size() > 1 && digits.front() == '0' &&
                     digits.find_first_not_of("01234567_") == std::string_view::npos;
  return octal || digits.find(':') != std::string_view::npos;
}

/// Whether the framework creates ranges, sizes and groups from a field. Others are declared as
/// integers but used like any number: rotary_base.
bool is_count(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('.') + 1);
  for (const std::string_view part : {"num_",
                                      "_num",
                                      "_size",
                                      "_iters",
                                      "_samples",
                                      "_length",
                                      "_layers",
                                      "_topk",
                                      "_interval",
                                      "_channels",
                                      "_experts"}) {
    if (name.find(part) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

std::string surprise(const TypedScalar& scalar) {
  const Kind kind = scalar.spec->type.kind;
  if (is_number(kind) && scalar.value.text() != nullptr) {
    return python_float(scalar.written) ? "a text" : std::string();
  }
  if (kind == Kind::text && scalar.value.boolean() != nullptr) {
    return "a boolean";
  }
  if (is_number(kind) && scalar.value.is_number() && scalar.value.boolean() == nullptr &&
      reads_otherwise(scalar.written)) {
    return fmt::format("{}", scalar.value.to_text());
  }
  return {};
}

/// An override's value is not a YAML scalar: the value itself shows what was written.
std::string shown(const TypedScalar& scalar) {
  return scalar.written.empty() ? scalar.value.to_text() : scalar.written;
}

/// Fields that upstream compares with an object: a text with the object's name is not equal to it.
bool holds_object(const FieldSpec& spec) {
  const std::string* usual = spec.has_default ? spec.default_value.text() : nullptr;
  return spec.name == "model.attention_backend" ||
         (usual != nullptr && usual->starts_with("torch."));
}

class Types {
 public:
  void add(const TypedScalar& scalar) {
    if (scalar.spec == nullptr || scalar.value.is_unset() || !scalar.value.is_known()) {
      return;
    }
    if (scalar.value.text() != nullptr && holds_object(*scalar.spec)) {
      found_.object_texts.push_back(scalar.path);
    }
    const std::string surprising = scalar.plain ? surprise(scalar) : std::string();
    if (!surprising.empty()) {
      add_surprise(scalar, surprising);
    } else if (scalar.value.text() != nullptr) {
      add_text(scalar);
    } else if (scalar.spec->type.kind == Kind::integer && scalar.value.boolean() == nullptr &&
               scalar.value.is_number() && is_count(scalar.path)) {
      add_count(scalar);
    }
  }

  TypeFindings result() {
    if (!first_.message.empty()) {
      found_.diagnostics.push_back(std::move(first_));
    }
    return std::move(found_);
  }

 private:
  void add_text(const TypedScalar& scalar) {
    const Kind kind = scalar.spec->type.kind;
    if (kind == Kind::boolean) {
      found_.boolean_texts.push_back(scalar.path);
      report("recipe/quoted-boolean",
             scalar,
             fmt::format("`{}` is a boolean but is set to the text `{}`, and any text is true",
                         scalar.path,
                         shown(scalar)),
             "write true or false without quotes");
    } else if (is_number(kind)) {
      report(
          "recipe/text-for-number",
          scalar,
          fmt::format("`{}` is a number but is set to the text `{}`", scalar.path, shown(scalar)),
          python_float(shown(scalar)) ? "remove the quotes" : "");
    }
  }

  /// The loader accepts any number for a count; ranges and sizes made from it do not.
  void add_count(const TypedScalar& scalar) {
    constexpr double kLargest = 9007199254740992.0;  // 2^53: beyond it numbers are no longer exact
    const double number = scalar.value.as_number();
    if (std::abs(number) > kLargest) {
      report("recipe/number-for-count",
             scalar,
             fmt::format("`{}` is {}, larger than any plausible count", scalar.path, shown(scalar)),
             "remove digits");
    } else if (scalar.value.integer() == nullptr) {
      const bool whole = number == std::floor(number);
      report("recipe/number-for-count",
             scalar,
             fmt::format("`{}` is a count, but `{}` is not an integer", scalar.path, shown(scalar)),
             whole ? fmt::format("write {:.0f}", number) : "write a whole number");
    }
  }

  void report(std::string_view rule,
              const TypedScalar& scalar,
              std::string message,
              std::string help) {
    found_.diagnostics.push_back(
        {std::string(rule), scalar.mark, std::move(message), {}, std::move(help)});
  }

  /// One finding per file: an author who writes 1e-6 once writes it everywhere.
  void add_surprise(const TypedScalar& scalar, const std::string& what) {
    if (first_.message.empty()) {
      first_.rule = "yaml/dialect-scalar";
      first_.mark = scalar.mark;
      first_.message = fmt::format("the loader reads `{}` as {}, but `{}` needs {}",
                                   scalar.written,
                                   what,
                                   scalar.path,
                                   wanted(scalar));
      first_.help = remedy(scalar);
    } else if (first_.related.size() < kLabels) {
      first_.related.push_back({scalar.mark, fmt::format("{} here", what)});
    }
  }

  static std::string_view wanted(const TypedScalar& scalar) {
    if (scalar.spec->type.kind == Kind::text) {
      return "a text";
    }
    return scalar.value.text() != nullptr ? "a number" : "a decimal number";
  }

  static std::string remedy(const TypedScalar& scalar) {
    if (scalar.spec->type.kind == Kind::text) {
      return fmt::format("write \"{}\"", scalar.written);
    }
    const std::size_t exponent = scalar.written.find_first_of("eE");
    if (exponent == std::string::npos) {
      return "write a plain decimal number";
    }
    const std::string mantissa = scalar.written.substr(0, exponent);
    const std::string power = scalar.written.substr(exponent + 1);
    const bool sign = !power.empty() && (power.front() == '-' || power.front() == '+');
    return fmt::format("write {}{}e{}{}",
                       mantissa,
                       mantissa.find('.') == std::string::npos ? ".0" : "",
                       sign ? "" : "+",
                       power);
  }

  TypeFindings found_;
  text::Diagnostic first_;
};

}  // namespace

TypeFindings check_types(const std::vector<TypedScalar>& scalars) {
  Types types;
  for (const TypedScalar& scalar : scalars) {
    types.add(scalar);
  }
  return types.result();
}

namespace {

constexpr std::size_t kShownWords = 8;  // words; longer lists (signals, tokenizers) are not shown

bool is_none_of(const expr::Value& value, const std::vector<std::string_view>& choices) {
  const bool word = value.text() != nullptr || (value.is_number() && value.boolean() == nullptr);
  return word &&
         std::find(choices.begin(), choices.end(), expr::python_text(value)) == choices.end();
}

}  // namespace

std::optional<std::string> unknown_word(const expr::Value& value,
                                        const std::vector<std::string_view>& choices) {
  if (choices.empty()) {
    return std::nullopt;
  }
  const auto* list = value.list();
  if (list == nullptr) {
    return is_none_of(value, choices) ? std::optional(expr::python_text(value)) : std::nullopt;
  }
  for (const expr::Value& item : *list) {
    if (is_none_of(item, choices)) {
      return expr::python_text(item);
    }
  }
  return std::nullopt;
}

std::optional<text::Diagnostic> check_word(const expr::Value& value,
                                           const FieldSpec& spec,
                                           std::string_view path,
                                           const text::Mark& mark,
                                           std::string_view framework) {
  const auto word = unknown_word(value, spec.choices);
  if (!word) {
    return std::nullopt;
  }
  const std::string known =
      spec.choices.size() <= kShownWords
          ? fmt::format(", but {} knows only {}", framework, text::listed(spec.choices))
          : fmt::format(", which {} does not know", framework);
  return text::Diagnostic{
      "recipe/unknown-word",
      mark,
      fmt::format("`{}` is `{}`{}{}", path, *word, known, text::did_you_mean(*word, spec.choices)),
      {},
      "correct the spelling"};
}

std::vector<text::Diagnostic> check_words(const std::vector<TypedScalar>& scalars,
                                          std::string_view version) {
  const std::string framework = fmt::format("Megatron-Bridge {}", version);
  std::vector<text::Diagnostic> found;
  for (const TypedScalar& scalar : scalars) {
    if (scalar.spec == nullptr) {
      continue;
    }
    if (auto diagnostic =
            check_word(scalar.value, *scalar.spec, scalar.path, scalar.mark, framework)) {
      found.push_back(std::move(*diagnostic));
    }
  }
  return found;
}

}  // namespace epwise::recipe
