#include "recipe/overrides/overrides.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "recipe/overrides/grammar.h"
#include "recipe/overrides/interpolation.h"

namespace epwise::recipe {
namespace {

std::string prefix(Override::Kind kind) {
  switch (kind) {
    case Override::Kind::add:
      return "+";
    case Override::Kind::force:
      return "++";
    case Override::Kind::remove:
      return "~";
    case Override::Kind::change:
      break;
  }
  return {};
}

bool same(const ConfigNode& a, const ConfigNode& b) {
  if (a.kind != b.kind || a.children.size() != b.children.size()) {
    return false;
  }
  if (a.kind == ConfigNode::Kind::value) {
    return a.value.is_unknown() || b.value.is_unknown() || a.value.equals(b.value);
  }
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    const ConfigNode* other = a.is_list() ? &b.children[i] : b.find(a.children[i].name);
    if (other == nullptr || !same(a.children[i], *other)) {
      return false;
    }
  }
  return true;
}

/// Applies one parsed override.
class Application {
 public:
  Application(ConfigNode& root,
              const Word& word,
              Override wanted,
              const ConfigSchema& schema,
              std::vector<text::Diagnostic>& diagnostics)
      : root_(root),
        word_(word),
        wanted_(std::move(wanted)),
        schema_(schema),
        diagnostics_(diagnostics),
        adds_(wanted_.kind == Override::Kind::add || wanted_.kind == Override::Kind::force) {}

  void run() {
    if (wanted_.package) {
      complain(fmt::format(
          "`{}@{}` names a config group, but there are none", wanted_.key, *wanted_.package));
    } else if (wanted_.sweep) {
      complain("several values mean a sweep, but a launch takes one value",
               "write a list as [a,b], and quote a text");
    } else if (wanted_.kind == Override::Kind::remove) {
      remove();
    } else {
      change();
    }
  }

 private:
  void complain(std::string message, std::string help = {}) {
    diagnostics_.push_back(
        {"recipe/override", word_.mark, std::move(message), {}, std::move(help)});
  }

  static ConfigNode* child(ConfigNode& node, std::string_view name) {
    if (!node.is_list()) {
      return node.find(name);
    }
    const bool number =
        !name.empty() && name.size() < 7 &&
        std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    const std::size_t at = number ? std::stoul(std::string(name)) : node.children.size();
    return at < node.children.size() ? &node.children[at] : nullptr;
  }

  /// A new mapping below `node`, marked as created by the override.
  ConfigNode& append(ConfigNode& node, std::string name) {
    ConfigNode fresh;
    fresh.kind = ConfigNode::Kind::mapping;
    fresh.name = std::move(name);
    stamp(fresh);
    node.children.push_back(std::move(fresh));
    return node.children.back();
  }

  void stamp(ConfigNode& node) const {
    node.origin = Origin::override_word;
    node.spelling = prefix(wanted_.kind) + wanted_.key;
    node.key = word_.mark;
    const auto begin = static_cast<std::uint32_t>(prefix(wanted_.kind).size());
    node.key.begin = std::min(word_.mark.begin + begin, word_.mark.end);
    node.key.end =
        std::min(node.key.begin + static_cast<std::uint32_t>(wanted_.key.size()), word_.mark.end);
    node.mark = word_.mark;
    const auto value_at = static_cast<std::uint32_t>(wanted_.value_at);
    node.mark.begin = std::min(word_.mark.begin + value_at, word_.mark.end);
    for (ConfigNode& below : node.children) {
      stamp(below);
    }
  }

  // ---- a.b=1, +a.b=1, ++a.b=1

  void change() {
    const std::vector<std::string> parts = path_parts(wanted_.key);
    if (parts.empty() || wanted_.key.find('/') != std::string::npos) {
      no_such_key(wanted_.key);
      return;
    }
    ConfigNode* node = &root_;
    std::string path;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      path += (i == 0 ? "" : ".") + parts[i];
      node = step_into(*node, parts[i], path);
      if (node == nullptr) {
        return;
      }
    }
    put(*node, parts.back());
  }

  /// The mapping or list below `node`; null pointer after reporting a problem.
  ConfigNode* step_into(ConfigNode& node, const std::string& name, const std::string& path) {
    ConfigNode* next = child(node, name);
    if (next != nullptr && next->kind != ConfigNode::Kind::value) {
      return next;
    }
    if (next != nullptr && !adds_) {
      complain(fmt::format("`{}` is {}, so there is no `{}` to override",
                           path,
                           next->value.to_text(),
                           wanted_.key),
               fmt::format("`++{}=…` turns it into a mapping", wanted_.key));
      return nullptr;
    }
    if (next != nullptr) {
      next->kind = ConfigNode::Kind::mapping;
      next->value = {};
      return next;
    }
    if (!adds_ && !schema_.knows(path)) {
      no_such_key(path);
      return nullptr;
    }
    if (node.is_list()) {
      complain(fmt::format("the list has no entry `{}`", name));
      return nullptr;
    }
    return &append(node, name);
  }

  void put(ConfigNode& node, const std::string& name) {
    ConfigNode* present = child(node, name);
    const bool exists = present != nullptr || schema_.knows(wanted_.key);
    if (!exists && !adds_) {
      no_such_key(wanted_.key);
      return;
    }
    ConfigNode value = *wanted_.value;
    const bool whole = value.kind != ConfigNode::Kind::value;
    if (wanted_.kind == Override::Kind::add && present != nullptr && !present->is_null() &&
        !whole) {
      complain(fmt::format("`{}` already has a value", wanted_.key),
               fmt::format("write `{}=…` or `++{}=…`", wanted_.key, wanted_.key));
      return;
    }
    value.name = name;
    stamp(value);
    if (present == nullptr && node.is_list()) {
      complain(fmt::format("the list has no entry `{}`", name));
    } else if (present == nullptr) {
      node.children.push_back(std::move(value));
    } else if (present->is_mapping() && value.is_mapping()) {
      merge(*present, std::move(value), wanted_.key);
    } else {
      *present = std::move(value);
    }
  }

  void merge(ConfigNode& into, ConfigNode from, const std::string& path) {
    for (ConfigNode& entry : from.children) {
      ConfigNode* present = into.find(entry.name);
      const std::string below = path + "." + entry.name;
      if (present == nullptr && !adds_ && !schema_.knows(below)) {
        no_such_key(below);
      } else if (present == nullptr) {
        into.children.push_back(std::move(entry));
      } else if (present->is_mapping() && entry.is_mapping()) {
        merge(*present, std::move(entry), below);
      } else {
        *present = std::move(entry);
      }
    }
  }

  void no_such_key(const std::string& path) {
    complain(fmt::format("there is no `{}` to override{}", path, schema_.suggestion(path)),
             fmt::format("to add a new key, write `+{}=…`", wanted_.key));
  }

  // ---- ~a.b, ~a.b=1

  void remove() {
    const std::vector<std::string> parts = path_parts(wanted_.key);
    ConfigNode* parent = nullptr;
    ConfigNode* node = &root_;
    for (const std::string& part : parts) {
      parent = node;
      node = child(*parent, part);
      if (node == nullptr) {
        break;
      }
    }
    if (node == nullptr || parent == nullptr || node->is_null()) {
      const bool elsewhere = node == nullptr && schema_.knows(wanted_.key);
      if (!elsewhere) {
        complain(fmt::format(
            "there is no `{}` to remove{}", wanted_.key, schema_.suggestion(wanted_.key)));
      }
      return;
    }
    if (wanted_.value && !wanted_.value->is_null() && !same(*node, *wanted_.value)) {
      complain(fmt::format("`{}` has a different value, so it is not removed", wanted_.key));
      return;
    }
    parent->children.erase(parent->children.begin() + (node - parent->children.data()));
  }

  ConfigNode& root_;
  const Word& word_;
  Override wanted_;
  const ConfigSchema& schema_;
  std::vector<text::Diagnostic>& diagnostics_;
  bool adds_ = false;
};

}  // namespace

void apply_overrides(ConfigNode& root,
                     const std::vector<Word>& words,
                     const ConfigSchema& schema,
                     std::vector<text::Diagnostic>& diagnostics) {
  for (const Word& word : words) {
    OverrideResult result = parse_override(word.text);
    if (result.parsed) {
      Application(root, word, std::move(*result.parsed), schema, diagnostics).run();
      continue;
    }
    text::Mark mark = word.mark;
    mark.begin = std::min(mark.begin + static_cast<std::uint32_t>(result.at), mark.end);
    diagnostics.push_back(
        {"recipe/override",
         mark,
         fmt::format("`{}` is not an override: {}", word.text, result.problem),
         {},
         "overrides have the form `key=value`, `+key=value`, `++key=value` or `~key`"});
  }
}

}  // namespace epwise::recipe
