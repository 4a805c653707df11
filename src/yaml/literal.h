#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yaml/node.h"

namespace epwise::yaml {

/// A value to be written into a document.
struct Literal {
  /// `word`: a text whose type does not matter, as in MODEL_ARGS; quotes are optional.
  enum class Kind : std::uint8_t { null, boolean, integer, real, text, word, list };
  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text = {};
  std::vector<Literal> items = {};  // list; contains no lists

  static Literal of(bool value);
  static Literal of(std::int64_t value);
  static Literal of(double value);
  static Literal of_text(std::string text);
  static Literal of_word(std::string text);
  static Literal of_list(std::vector<Literal> items);
};

/// How a scalar is in the text.
enum class Quote : std::uint8_t { none, single, twofold };

/// The literal as YAML on one line, readable by both PyYAML and OmegaConf. Texts get the requested
/// quotes, and double quotes where these are necessary.
///   4 → "4", 1e-6 → "1.0e-06", text "yes" → "\"yes\"", list → "[attn, mlp]"
std::string render(const Literal& literal, Quote quote = Quote::none);

/// A text as a key or value: plain if every loader reads the plain text as this text.
std::string render_text(const std::string& text, Quote quote);

/// Whether every loader reads this node as the literal.
bool matches(const Node& node, const Literal& literal);

}  // namespace epwise::yaml
