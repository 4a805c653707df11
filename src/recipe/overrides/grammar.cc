#include "recipe/overrides/grammar.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "expr/python_text.h"
#include "recipe/arguments/flag_values.h"
#include "recipe/overrides/casts.h"
#include "recipe/overrides/tokens.h"

namespace epwise::recipe {
namespace {

using expr::Value;
using Kind = OverrideToken::Kind;

constexpr int kMaxDepth = 64;

ConfigNode leaf(Value value) {
  ConfigNode node;
  node.value = std::move(value);
  return node;
}

/// Takes the quotes off; a backslash escapes only quotes and, before the closing quote, itself.
std::string unquote(std::string_view text) {
  const char quote = text.front();
  const std::string_view body = text.substr(1);  // with the closing quote
  std::string out;
  for (std::size_t i = 0; i < body.size();) {
    const std::size_t end = std::min(body.find_first_not_of('\\', i), body.size());
    const std::size_t backslashes = end - i;
    const bool before_quote = end < body.size() && body[end] == quote;
    out.append(before_quote ? backslashes / 2 : backslashes, '\\');
    if (before_quote && end + 1 < body.size()) {
      out.push_back(quote);
    } else if (!before_quote && end < body.size()) {
      out.push_back(body[end]);
    }
    i = end + 1;
  }
  return out;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 1; i < text.size(); i += 2) {
    out.push_back(text[i]);
  }
  return out;
}

/// Value side of an override. After the first problem nothing is left to read, so that every loop
/// ends.
class ValueParser {
 public:
  explicit ValueParser(const OverrideTokens& cut) : tokens_(cut.tokens), complete_(cut.complete) {}

  ConfigNode whole() {
    ConfigNode value = element(0);
    while (peek() == Kind::comma) {
      ++at_;
      sweep_ = true;
      element(0);
    }
    if (peek() != Kind::end) {
      fail(fmt::format("`{}` is not expected here", tokens_[at_].text));
    } else if (!complete_) {
      fail("this character must stand in quotes");
    }
    return value;
  }

  bool sweep() const { return sweep_; }

  const std::string& problem() const { return problem_; }

  std::size_t problem_at() const { return problem_at_; }

 private:
  Kind peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].kind : Kind::end;
  }

  bool accept(Kind kind) {
    if (peek() != kind) {
      return false;
    }
    ++at_;
    return true;
  }

  ConfigNode fail(std::string problem) {
    if (problem_.empty()) {
      problem_ = std::move(problem);
      problem_at_ = tokens_[at_].at;
    }
    at_ = tokens_.size() - 1;
    return {};
  }

  bool failed() const { return !problem_.empty(); }

  ConfigNode unexpected() {
    if (peek() != Kind::end) {
      return fail(fmt::format("`{}` is not expected here", tokens_[at_].text));
    }
    return fail(complete_ ? "the value ends too early" : "this character must stand in quotes");
  }

  ConfigNode element(int depth) {
    if (depth > kMaxDepth) {
      return fail("the value is nested too deeply");
    }
    if (peek() == Kind::id && peek(1) == Kind::open_paren) {
      return function(depth);
    }
    if (accept(Kind::open_bracket)) {
      return list(depth);
    }
    if (accept(Kind::open_brace)) {
      return mapping(depth);
    }
    if (peek() == Kind::quoted) {
      return leaf(Value::of(unquote(tokens_[at_++].text)));
    }
    return primitive(true);
  }

  ConfigNode list(int depth) {
    ConfigNode out;
    out.kind = ConfigNode::Kind::list;
    if (accept(Kind::close_bracket)) {
      return out;
    }
    do {
      out.children.push_back(element(depth + 1));
    } while (accept(Kind::comma));
    return accept(Kind::close_bracket) ? out : unexpected();
  }

  ConfigNode mapping(int depth) {
    ConfigNode out;
    out.kind = ConfigNode::Kind::mapping;
    std::unordered_map<std::string, std::size_t> places;
    if (accept(Kind::close_brace)) {
      return out;
    }
    do {
      std::string name = expr::python_text(primitive(false).value);
      if (!accept(Kind::colon)) {
        return unexpected();
      }
      ConfigNode child = element(depth + 1);
      child.name = std::move(name);
      const auto [place, fresh] = places.try_emplace(child.name, out.children.size());
      if (fresh) {
        out.children.push_back(std::move(child));
      } else {
        out.children[place->second] = std::move(child);
      }
    } while (accept(Kind::comma));
    return accept(Kind::close_brace) ? out : unexpected();
  }

  static bool in_primitive(Kind kind, bool value) {
    switch (kind) {
      case Kind::id:
      case Kind::null:
      case Kind::integer:
      case Kind::real:
      case Kind::boolean:
      case Kind::other:
      case Kind::escape:
      case Kind::blank:
        return true;
      case Kind::interpolation:
      case Kind::colon:
        return value;
      default:
        return false;
    }
  }

  /// A value, or the key of a mapping entry; those hold neither colons nor interpolations.
  ConfigNode primitive(bool value) {
    std::size_t first = at_;
    while (in_primitive(peek(), value)) {
      ++at_;
    }
    std::size_t last = at_;
    if (first == last) {
      return unexpected();
    }
    if (tokens_[first].kind == Kind::blank) {
      ++first;
    }
    if (first == last) {
      return fail("the value is nothing but blanks");
    }
    if (tokens_[last - 1].kind == Kind::blank) {
      --last;
    }
    if (last - first == 1) {
      return leaf(typed(tokens_[first]));
    }
    std::string text;
    for (std::size_t i = first; i < last; ++i) {
      text += tokens_[i].kind == Kind::escape ? unescape(tokens_[i].text)
                                              : std::string(tokens_[i].text);
    }
    return leaf(Value::of(std::move(text)));
  }

  static Value typed(const OverrideToken& token) {
    switch (token.kind) {
      case Kind::integer:
        return expr::python_int(token.text).value_or(Value::of(token.text));
      case Kind::real:
        return Value::of(python_float(token.text).value_or(0));
      case Kind::null:
        return Value::unset();
      case Kind::boolean:
        return Value::of(token.text.size() == 4);
      case Kind::escape:
        return Value::of(unescape(token.text));
      default:
        return Value::of(token.text);
    }
  }

  ConfigNode function(int depth) {
    const std::size_t begin = at_;
    const std::string_view name = tokens_[at_].text;
    at_ += 2;
    std::vector<ConfigNode> arguments;
    bool named = false;
    if (!accept(Kind::close_paren)) {
      do {
        const bool name_follows = peek() == Kind::id && peek(1) == Kind::equal;
        at_ += name_follows ? 2 : 0;
        named = named || name_follows;
        arguments.push_back(element(depth + 1));
      } while (accept(Kind::comma));
      if (!accept(Kind::close_paren)) {
        return unexpected();
      }
    }
    if (failed()) {
      return {};
    }
    OverrideCast cast = override_cast(name, std::move(arguments), named);
    sweep_ = sweep_ || cast.sweep;
    if (!cast.problem.empty()) {
      at_ = begin;
      return fail(std::move(cast.problem));
    }
    return std::move(cast.value);
  }

  const std::vector<OverrideToken>& tokens_;
  bool complete_ = true;
  std::size_t at_ = 0;
  std::string problem_;
  std::size_t problem_at_ = 0;
  bool sweep_ = false;
};

OverrideResult problem(std::string sentence, std::size_t at) {
  return {std::nullopt, std::move(sentence), at};
}

/// "a.b", "a/b" or nothing, from `at` on.
std::size_t key_length(std::string_view text, std::size_t at) {
  std::size_t length = override_path_length(text.substr(at));
  while (length > 0 && text.substr(at + length, 1) == "/") {
    const std::size_t next = override_path_length(text.substr(at + length + 1));
    if (next == 0) {
      break;
    }
    length += 1 + next;
  }
  return length;
}

Override::Kind take_prefix(std::string_view text, std::size_t& at) {
  if (text.substr(0, 2) == "++") {
    at = 2;
    return Override::Kind::force;
  }
  at = text.substr(0, 1) == "+" || text.substr(0, 1) == "~" ? 1 : 0;
  if (at == 0) {
    return Override::Kind::change;
  }
  return text.front() == '+' ? Override::Kind::add : Override::Kind::remove;
}

}  // namespace

OverrideResult parse_override(std::string_view text) {
  Override out;
  std::size_t at = 0;
  out.kind = take_prefix(text, at);
  const std::size_t length = key_length(text, at);
  out.key = text.substr(at, length);
  at += length;
  if (text.substr(at, 1) == "@") {
    const std::size_t package = override_path_length(text.substr(at + 1));
    out.package = text.substr(at + 1, package);
    at += 1 + package;
  }
  if (at == text.size()) {
    return out.kind == Override::Kind::remove ? OverrideResult{std::move(out)}
                                              : problem("`=` is missing", at);
  }
  if (text[at] != '=') {
    return problem("a key is letters, digits and `_` with dots between, and then `=`", at);
  }
  ++at;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) {
    ++at;
  }
  out.value_at = at;
  if (at == text.size()) {
    out.value = leaf(Value::of(""));
    return {std::move(out)};
  }
  const OverrideTokens cut = override_tokens(text.substr(at));
  ValueParser parser(cut);
  out.value = parser.whole();
  out.sweep = parser.sweep();
  if (!parser.problem().empty()) {
    return problem(parser.problem(), at + parser.problem_at());
  }
  return {std::move(out)};
}

}  // namespace epwise::recipe
