#include "recipe/overrides/interpolation.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "expr/python_text.h"

namespace epwise::recipe {

namespace {

using expr::Value;

constexpr int kMaxInterpolationDepth = 32;
constexpr int kMaxComplaints = 50;  // enough for people
// limit on nodes copied by references to whole sections
constexpr std::size_t kMaxCopies = 100'000;
constexpr std::size_t kMaxLength = 100'000;    // limit on the bytes of one concatenated text
constexpr std::size_t kMaxTotal = 10'000'000;  // limit on the bytes of all of them

class Interpolator {
 public:
  Interpolator(ConfigNode& root,
               const Environment& environment,
               const ConfigSchema& schema,
               std::vector<text::Diagnostic>& diagnostics)
      : root_(root),
        environment_(environment),
        schema_(schema),
        diagnostics_(diagnostics) {}

  void run() {
    Chain chain{&root_};
    resolve(chain);
  }

 private:
  /// A node with its ancestors; the root first.
  using Chain = std::vector<ConfigNode*>;

  void resolve(Chain& chain) {
    ConfigNode& node = *chain.back();
    if (node.kind != ConfigNode::Kind::value) {
      for (ConfigNode& child : node.children) {
        chain.push_back(&child);
        resolve(chain);
        chain.pop_back();
      }
      return;
    }
    const std::string* text = node.value.text();
    if (text == nullptr || text->find("${") == std::string::npos || !done_.insert(&node).second) {
      return;
    }
    busy_.push_back(chain);
    const std::string content = *text;
    replace(chain, content);
    busy_.pop_back();
  }

  void replace(const Chain& chain, std::string_view text) {
    ConfigNode& node = *chain.back();
    const bool whole = text.substr(0, 2) == "${" && closing_brace(text, 2) == text.size() - 1;
    if (whole) {
      ConfigNode result = evaluate(chain, text.substr(2, text.size() - 3));
      node.kind = result.kind;
      node.value = std::move(result.value);
      node.children = std::move(result.children);
      node.plain = false;
      return;
    }
    node.value = joined(chain, text);
  }

  Value joined(const Chain& chain, std::string_view text) {
    std::string out;
    std::vector<std::string> needs;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] == '\\') {
        at += take_backslashes(text.substr(at), out);
        continue;
      }
      if (text.substr(at, 2) != "${") {
        out.push_back(text[at++]);
        continue;
      }
      const std::size_t end = closing_brace(text, at + 2);
      if (end == std::string_view::npos) {
        return complain(chain, "an interpolation is not closed");
      }
      const ConfigNode part = evaluate(chain, text.substr(at + 2, end - at - 2));
      if (const expr::Unknown* unknown = part.value.unknown()) {
        needs.insert(needs.end(), unknown->needs.begin(), unknown->needs.end());
      }
      out +=
          part.kind == ConfigNode::Kind::value ? expr::python_text(part.value) : std::string("{…}");
      if (out.size() > kMaxLength || total_ + out.size() > kMaxTotal) {
        return complain(chain, "interpolations produce texts of more than 100,000 bytes");
      }
      at = end + 1;
    }
    total_ += out.size();
    return needs.empty() ? Value::of(std::move(out)) : Value::unknown(std::move(needs));
  }

  /// Backslashes count only before `${`: two mean one, an odd one makes it literal.
  static std::size_t take_backslashes(std::string_view text, std::string& out) {
    const std::size_t count = std::min(text.find_first_not_of('\\'), text.size());
    const bool before = text.substr(count, 2) == "${";
    out.append(before ? count / 2 : count, '\\');
    if (before && count % 2 == 1) {
      out.append("${");
      return count + 2;
    }
    return count;
  }

  ConfigNode evaluate(const Chain& chain, std::string_view inside) {
    ConfigNode out;
    std::string flat(inside);
    if (inside.find("${") != std::string_view::npos) {
      if (++depth_ > kMaxInterpolationDepth) {
        out.value = complain(chain, "interpolations are nested too deeply");
        --depth_;
        return out;
      }
      const Value inner = joined(chain, inside);
      --depth_;
      if (inner.text() == nullptr) {
        out.value = inner;
        return out;
      }
      flat = *inner.text();
    }
    const std::size_t colon = flat.find(':');
    return colon == std::string::npos
               ? reference(chain, strip_blanks(flat))
               : resolver(chain, strip_blanks(flat.substr(0, colon)), flat.substr(colon + 1));
  }

  // ---- ${a.b}

  ConfigNode reference(const Chain& chain, std::string_view path) {
    Chain target = find(chain, path);
    ConfigNode out;
    if (target.empty()) {
      out.value = missing(chain, path);
      return out;
    }
    if (leads_back(target)) {
      out.value = complain(chain, fmt::format("the interpolation of `{}` refers to itself", path));
      return out;
    }
    if (++depth_ > kMaxInterpolationDepth) {
      out.value = complain(chain, "the chain of interpolations is too long");
    } else {
      resolve(target);
      copies_ += copies_ > kMaxCopies ? 0 : size(*target.back());
      if (copies_ > kMaxCopies) {
        out.value = complain(chain, "interpolations copy more than 100,000 values");
      } else {
        out = *target.back();
      }
    }
    --depth_;
    return out;
  }

  /// True if the target contains, or is inside, something that is being resolved.
  bool leads_back(const Chain& target) const {
    return std::any_of(busy_.begin(), busy_.end(), [&target](const Chain& busy) {
      return std::find(target.begin(), target.end(), busy.back()) != target.end() ||
             std::find(busy.begin(), busy.end(), target.back()) != busy.end();
    });
  }

  static std::size_t size(const ConfigNode& node) {
    std::size_t sum = 1;
    for (const ConfigNode& child : node.children) {
      sum += size(child);
    }
    return sum;
  }

  /// Leading dots count from the mapping that contains the value.
  Chain find(const Chain& chain, std::string_view path) {
    Chain at{&root_};
    const std::size_t dots = std::min(path.find_first_not_of('.'), path.size());
    if (dots >= chain.size()) {
      return {};
    }
    if (dots > 0) {
      at.assign(chain.begin(), chain.end() - static_cast<std::ptrdiff_t>(dots));
    }
    for (const std::string& part : path_parts(path.substr(dots))) {
      ConfigNode* next = child(*at.back(), part);
      if (next == nullptr) {
        return {};
      }
      at.push_back(next);
    }
    return at;
  }

  ConfigNode* child(ConfigNode& node, std::string_view name) {
    if (node.is_list()) {
      const bool number =
          !name.empty() && name.size() < 7 &&
          std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
      const std::size_t at = number ? std::stoul(std::string(name)) : node.children.size();
      return at < node.children.size() ? &node.children[at] : nullptr;
    }
    auto& index = indices_[&node];
    if (index.empty()) {
      for (ConfigNode& entry : node.children) {
        index.emplace(entry.name, &entry);
      }
    }
    const auto found = index.find(name);
    return found == index.end() ? nullptr : found->second;
  }

  Value missing(const Chain& chain, std::string_view path) {
    if (schema_.knows(path)) {
      return Value::unknown({std::string(path)});
    }
    const std::string suggestion =
        complaints_ < kMaxComplaints ? schema_.suggestion(path) : std::string();
    complain(chain, fmt::format("the interpolation of `{}` refers to nothing{}", path, suggestion));
    return Value::unknown({std::string(path)});
  }

  // ---- ${oc.env:X}

  ConfigNode resolver(const Chain& chain, std::string_view name, std::string_view rest) {
    ConfigNode out;
    const std::size_t comma = rest.find(',');
    const std::string_view first = strip_quotes(strip_blanks(rest.substr(0, comma)));
    std::optional<std::string_view> second;
    if (comma != std::string_view::npos) {
      second = strip_blanks(rest.substr(comma + 1));
    }
    if (name == "oc.env") {
      out.value = variable(chain, first, second);
    } else if (name == "oc.decode") {
      out.value = plain_value(first);
    } else if (name == "oc.select") {
      return find(chain, first).empty() ? fallback(second) : reference(chain, first);
    } else if (name.substr(0, 3) == "oc.") {
      out.value = Value::unknown({fmt::format("${{{}:{}}}", name, rest)});
    } else {
      out.value = complain(chain, fmt::format("OmegaConf has no resolver `{}`", name));
    }
    return out;
  }

  static Value plain_value(std::string_view text) {
    yaml::Node node;
    node.kind = yaml::Kind::scalar;
    node.scalar = text;
    return scalar_value(node, yaml::Dialect::omegaconf);
  }

  static ConfigNode fallback(const std::optional<std::string_view>& text) {
    ConfigNode out;
    if (text) {
      out.value =
          strip_quotes(*text) == *text ? plain_value(*text) : Value::of(strip_quotes(*text));
    }
    return out;
  }

  /// Variables and their defaults are texts, whatever they look like; only a default `null` is
  /// None.
  Value variable(const Chain& chain,
                 std::string_view name,
                 const std::optional<std::string_view>& otherwise) {
    const auto found = environment_.find(name);
    if (found != environment_.end() && found->second) {
      return Value::of(*found->second);
    }
    if (otherwise) {
      return *otherwise == "null" ? Value::unset() : Value::of(strip_quotes(*otherwise));
    }
    if (found != environment_.end()) {
      complain(chain,
               fmt::format("variable `{}` is unset and its interpolation has no default", name));
    }
    return Value::unknown({fmt::format("${{{}}}", name)});
  }

  Value complain(const Chain& chain, std::string message) {
    if (++complaints_ <= kMaxComplaints) {
      diagnostics_.push_back({"recipe/interpolation", chain.back()->mark, std::move(message)});
    }
    return Value::unknown({"interpolation"});
  }

  ConfigNode& root_;
  const Environment& environment_;
  const ConfigSchema& schema_;
  std::vector<text::Diagnostic>& diagnostics_;
  std::unordered_map<const ConfigNode*, std::unordered_map<std::string_view, ConfigNode*>> indices_;
  std::unordered_set<const ConfigNode*> done_;
  std::vector<Chain> busy_;
  std::size_t copies_ = 0;
  std::size_t total_ = 0;
  int complaints_ = 0;
  int depth_ = 0;
};

}  // namespace

void interpolate(ConfigNode& root,
                 const Environment& environment,
                 const ConfigSchema& schema,
                 std::vector<text::Diagnostic>& diagnostics) {
  Interpolator(root, environment, schema, diagnostics).run();
}

/// Offset of the brace that closes the interpolation whose content starts at `begin`; npos if there
/// is none.
std::size_t closing_brace(std::string_view text, std::size_t begin) {
  int open = 1;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text.substr(i, 2) == "${") {
      ++open;
      ++i;
    } else if (text[i] == '}' && --open == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::string_view strip_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string_view strip_quotes(std::string_view text) {
  const bool quoted = text.size() > 1 && (text.front() == '\'' || text.front() == '"') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : path) {
    if (c == '.' || c == '[' || c == ']') {
      if (!part.empty()) {
        parts.push_back(std::move(part));
      }
      part.clear();
    } else {
      part.push_back(c);
    }
  }
  if (!part.empty()) {
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace epwise::recipe
