#include "yaml/literal.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "yaml/raw.h"
#include "yaml/scalar.h"

namespace epwise::yaml {

namespace {

constexpr Dialect kLoaders[] = {Dialect::pyyaml, Dialect::omegaconf};

bool is_identifier_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_plain_character(char c) {
  return is_identifier_character(c) || std::string_view("./+-").find(c) != std::string_view::npos;
}

/// Plain text that means the same in block and flow style.
bool may_stand_plain(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, is_plain_character)) {
    return false;
  }
  const bool flag = text.size() > 2 && text.starts_with("--") && is_identifier_character(text[2]);
  return flag || is_identifier_character(text.front()) || text.front() == '/' ||
         text.front() == '.';
}

bool is_text_for_all(std::string_view word) {
  return std::ranges::all_of(
      kLoaders, [&](Dialect loader) { return type_plain(word, loader).type == ScalarType::text; });
}

bool is_null_for_some(std::string_view word) {
  return std::ranges::any_of(
      kLoaders, [&](Dialect loader) { return type_plain(word, loader).type == ScalarType::null; });
}

std::string in_single_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? "''" : std::string(1, c);
  }
  return out + "'";
}

/// The character at `i` if it must be an escape in a quoted text on one line: what YAML forbids, and
/// what some loaders take for the end of a line or for a byte-order mark.
raw::Character hidden_character(std::string_view text, std::size_t i) {
  using namespace std::string_view_literals;
  const std::string_view rest = text.substr(i);
  if (rest.starts_with("\t"sv) || rest.starts_with("\n"sv) || rest.starts_with("\r"sv)) {
    return {1, static_cast<unsigned>(rest.front())};
  }
  if (rest.starts_with("\xC2\x85"sv)) {
    return {2, 0x85};
  }
  if (rest.starts_with("\xE2\x80\xA8"sv) || rest.starts_with("\xE2\x80\xA9"sv)) {
    return {3, rest[2] == '\xA8' ? 0x2028U : 0x2029U};
  }
  if (rest.starts_with("\xEF\xBB\xBF"sv)) {
    return {3, 0xFEFF};
  }
  return raw::forbidden_character(text, i);
}

std::string in_double_quotes(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const raw::Character hidden = hidden_character(text, i);
    if (hidden.length != 0) {
      out += hidden.code > 0xFF ? fmt::format("\\u{:04X}", hidden.code)
                                : fmt::format("\\x{:02X}", hidden.code);
      i += hidden.length - 1;
    } else {
      out +=
          text[i] == '"' || text[i] == '\\' ? std::string{'\\', text[i]} : std::string(1, text[i]);
    }
  }
  return out + "\"";
}

bool is_printable(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (hidden_character(text, i).length != 0) {
      return false;
    }
  }
  return true;
}

std::string quoted(const std::string& text, Quote quote) {
  return quote == Quote::single && is_printable(text) ? in_single_quotes(text)
                                                      : in_double_quotes(text);
}

/// PyYAML needs a point in the mantissa and a sign in the exponent: `1e-6` is text for it.
std::string real_text(double value) {
  if (std::isnan(value)) {
    return ".nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? ".inf" : "-.inf";
  }
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (text.substr(0, exponent).find('.') == std::string::npos) {
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  }
  return text;
}

bool matches_typed(const Typed& typed, const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::null:
      return typed.type == ScalarType::null;
    case Literal::Kind::boolean:
      return typed.type == ScalarType::boolean && typed.boolean == literal.boolean;
    case Literal::Kind::integer:
      return typed.type == ScalarType::integer && !typed.big && typed.integer == literal.integer;
    case Literal::Kind::real:
      return typed.type == ScalarType::real &&
             (typed.real == literal.real || (std::isnan(typed.real) && std::isnan(literal.real)));
    case Literal::Kind::text:
      return typed.type == ScalarType::text;
    case Literal::Kind::word:
    case Literal::Kind::list:
      break;
  }
  return false;
}

}  // namespace

Literal Literal::of(bool value) {
  Literal literal;
  literal.kind = Kind::boolean;
  literal.boolean = value;
  return literal;
}

Literal Literal::of(std::int64_t value) {
  Literal literal;
  literal.kind = Kind::integer;
  literal.integer = value;
  return literal;
}

Literal Literal::of(double value) {
  Literal literal;
  literal.kind = Kind::real;
  literal.real = value;
  return literal;
}

Literal Literal::of_text(std::string text) {
  Literal literal;
  literal.kind = Kind::text;
  literal.text = std::move(text);
  return literal;
}

Literal Literal::of_word(std::string text) {
  Literal literal = of_text(std::move(text));
  literal.kind = Kind::word;
  return literal;
}

Literal Literal::of_list(std::vector<Literal> items) {
  Literal literal;
  literal.kind = Kind::list;
  literal.items = std::move(items);
  return literal;
}

std::string render_text(const std::string& text, Quote quote) {
  const bool plain = quote == Quote::none && may_stand_plain(text) && is_text_for_all(text);
  return plain ? text : quoted(text, quote);
}

std::string render(const Literal& literal, Quote quote) {
  switch (literal.kind) {
    case Literal::Kind::null:
      return "null";
    case Literal::Kind::boolean:
      return literal.boolean ? "true" : "false";
    case Literal::Kind::integer:
      return std::to_string(literal.integer);
    case Literal::Kind::real:
      return real_text(literal.real);
    case Literal::Kind::text:
      return render_text(literal.text, quote);
    case Literal::Kind::word: {
      const bool number = quote == Quote::none && !literal.text.empty() &&
                          std::ranges::all_of(literal.text, is_plain_character) &&
                          !is_text_for_all(literal.text) && !is_null_for_some(literal.text);
      return number ? literal.text : render_text(literal.text, quote);
    }
    case Literal::Kind::list:
      break;
  }
  std::string list;
  for (const Literal& item : literal.items) {
    list += list.empty() ? "" : ", ";
    list += render(item, quote);
  }
  return "[" + list + "]";
}

bool matches(const Node& node, const Literal& literal) {
  if (literal.kind == Literal::Kind::list) {
    return node.is_sequence() && node.tag.empty() &&
           std::ranges::equal(node.items, literal.items, matches);
  }
  if (node.is_sequence() || node.is_mapping() || !node.tag.empty()) {
    return false;
  }
  if (literal.kind == Literal::Kind::word) {
    return node.is_scalar() && node.scalar == literal.text;
  }
  if (literal.kind == Literal::Kind::text && node.scalar != literal.text) {
    return false;
  }
  return std::ranges::all_of(
      kLoaders, [&](Dialect loader) { return matches_typed(type_scalar(node, loader), literal); });
}

}  // namespace epwise::yaml
