#include "recipe/arguments/substitution.h"

#include <algorithm>
#include <utility>

namespace epwise::recipe {
namespace {

constexpr int kMaxDepth = 16;
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
std::size_t closing_brace(std::string_view text, std::size_t begin) {
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
  /// Appends what a text that starts with a dollar sign stands for; returns how much of it that
  /// was.
  std::size_t variable(std::string_view text, int depth, std::string& out) {
    if (text.substr(0, 2) == "${") {
      const std::size_t end = closing_brace(text, 2);
      const std::string_view inside = text.substr(2, end == std::string_view::npos ? 0 : end - 2);
      const std::size_t length = name_length(inside);
      if (length > 0 && depth < kMaxDepth) {
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
      // Substrings, patterns, ${X:?sentence}: whatever they give, it depends on X.
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
