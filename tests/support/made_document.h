#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/choices.h"
#include "yaml/node.h"

namespace epwise::support {

/// What a node of a made document is: of a scalar its text.
struct MadeNode {
  yaml::Kind kind = yaml::Kind::null;
  std::string scalar = {};
  std::vector<MadeNode> items = {};
  std::vector<std::pair<std::string, MadeNode>> entries = {};
};

/// Whether a tree that was read is the one that was made; with `any_order` but for the order of keys.
inline bool is_made(const yaml::Node& node, const MadeNode& made, bool any_order = false) {
  bool equal = node.kind == made.kind && node.items.size() == made.items.size() &&
               node.entries.size() == made.entries.size() &&
               (made.kind != yaml::Kind::scalar || node.scalar == made.scalar);
  for (std::size_t i = 0; equal && i < made.items.size(); ++i) {
    equal = is_made(node.items[i], made.items[i], any_order);
  }
  for (std::size_t i = 0; equal && i < made.entries.size(); ++i) {
    const auto& [key, value] = made.entries[i];
    const yaml::Node* own = any_order                    ? node.find(key)
                            : node.entries[i].key == key ? &node.entries[i].value
                                                         : nullptr;
    equal = own != nullptr && is_made(*own, value, any_order);
  }
  return equal;
}

/// Makes YAML of the parts that recipes consist of: mappings and sequences in both styles, scalars in
/// all five, anchors and their aliases, comments, several documents. Every text is valid, and it is
/// known which trees it stands for.
class DocumentMaker {
 public:
  explicit DocumentMaker(Choices& choices) : choices_(choices) {}

  /// The text; `documents` are the trees.
  std::string make() {
    const std::size_t count = 1 + choices_.below(8) / 6;
    for (std::size_t i = 0; i < count; ++i) {
      anchors_.clear();
      if (count > 1 || choices_.below(4) == 0) {
        text_ += choices_.below(4) == 0 ? "--- # next\n" : "---\n";
      }
      documents_.push_back(mapping(0));
      if (choices_.below(8) == 0) {
        text_ += "...\n";
      }
    }
    if (choices_.below(8) == 0) {
      use_windows_lines();
    }
    return text_;
  }

  const std::vector<MadeNode>& documents() const { return documents_; }

 private:
  static constexpr std::size_t kDeepest = 4;

  struct Anchor {
    std::string name;
    MadeNode node;
  };

  void use_windows_lines() {
    std::string text;
    for (const char c : text_) {
      text += c == '\n' ? "\r\n" : std::string{c};
    }
    text_ = std::move(text);
  }

  std::string comment() {
    static constexpr std::array<std::string_view, 6> kComments = {
        "", "", "", " # why", "  # it's: \"a\" [b", " #"};
    return std::string(choices_.of(kComments));
  }

  void lines_between(std::size_t depth) {
    switch (choices_.below(8)) {
      case 0:
        text_ += "\n";
        break;
      case 1:
        text_ += std::string(2 * depth, ' ') + "# a: {comment\n";
        break;
      default:
        break;
    }
  }

  /// A key that the mapping does not have, and how it is written.
  std::pair<std::string, std::string> key(const MadeNode& in) {
    static constexpr std::array<std::string_view, 20> kKeys = {
        "model",    "num_layers", "hidden_size", "train",    "global_batch_size",
        "a.b",      "x-y",        "trainer",     "lr",       "actor_rollout_ref",
        "strategy", "megatron",   "_target_",    "env_vars", "a b",
        "defaults", "policy",     "0",           "true",     "name"};
    std::string text(choices_.of(kKeys));
    const auto taken = [&] {
      for (const auto& [name, value] : in.entries) {
        if (name == text) {
          return true;
        }
      }
      return false;
    };
    while (taken()) {
      text += "2";
    }
    switch (choices_.below(8)) {
      case 0:
        return {text, "'" + text + "'"};
      case 1:
        return {text, "\"" + text + "\""};
      default:
        return {text, text};
    }
  }

  MadeNode mapping(std::size_t depth) {
    MadeNode node{yaml::Kind::mapping};
    for (std::size_t count = 1 + choices_.below(4); count > 0; --count) {
      lines_between(depth);
      auto [name, written] = key(node);
      text_ += std::string(2 * depth, ' ') + written + ":";
      node.entries.emplace_back(std::move(name), value(depth));
    }
    return node;
  }

  MadeNode sequence(std::size_t depth) {
    MadeNode node{yaml::Kind::sequence};
    for (std::size_t count = 1 + choices_.below(3); count > 0; --count) {
      lines_between(depth);
      text_ += std::string(2 * depth, ' ') + "-";
      node.items.push_back(value(depth));
    }
    return node;
  }

  /// What stands after `key:` or `-`, with the end of the line.
  MadeNode value(std::size_t depth) {
    if (!anchors_.empty() && choices_.below(8) == 0) {
      const Anchor& anchor = choices_.of(anchors_);
      text_ += " *" + anchor.name + comment() + "\n";
      return anchor.node;
    }
    std::string name;
    if (choices_.below(8) == 0) {
      name = "a" + std::to_string(names_++);
      text_ += " &" + name;
    }
    MadeNode node = unnamed(depth, name);
    if (!name.empty()) {
      anchors_.push_back({name, node});
    }
    return node;
  }

  MadeNode unnamed(std::size_t depth, const std::string& name) {
    const std::size_t kind = choices_.below(12);
    if (kind < 3 && depth < kDeepest) {
      text_ += comment() + "\n";
      return mapping(depth + 1);
    }
    if (kind < 5 && depth < kDeepest) {
      text_ += comment() + "\n";
      return sequence(depth + 1);
    }
    if (kind == 5 && name.empty()) {  // yaml-cpp does not read `- &name |`
      return block(depth);
    }
    text_ += " ";
    MadeNode node = kind == 6 ? flow(0) : scalar(false);
    text_ += comment() + "\n";
    return node;
  }

  MadeNode flow(std::size_t depth) {
    if (depth > 2 || choices_.below(3) == 0) {
      return scalar(true);
    }
    const bool map = choices_.below(2) == 0;
    MadeNode node{map ? yaml::Kind::mapping : yaml::Kind::sequence};
    text_ += map ? "{" : "[";
    for (std::size_t count = choices_.below(4); count > 0; --count) {
      if (map) {
        auto [name, written] = key(node);
        text_ += written + ": ";
        node.entries.emplace_back(std::move(name), flow(depth + 1));
      } else {
        node.items.push_back(flow(depth + 1));
      }
      text_ += count > 1 ? ", " : choices_.below(4) == 0 ? "," : "";
    }
    text_ += map ? "}" : "]";
    return node;
  }

  MadeNode scalar(bool in_flow) {
    switch (choices_.below(5)) {
      case 0:
        return single_quoted();
      case 1:
      case 2:
        return double_quoted();
      default:
        return plain(in_flow);
    }
  }

  MadeNode plain(bool in_flow) {
    static constexpr std::array<std::string_view, 24> kTexts = {
        "4",     "4096", "0x10", "1e-4",   "true",  "no",       "bf16",       "alltoall",
        "1_000", "-1",   ".inf", "0o17",   "12:30", "a b",      "it's",       "http://a.b/c",
        "${X}",  "a#b",  "null", "Et*4|L", "x-y.z", "\xC3\xA9", "2001-01-01", "list(range(0,8))"};
    std::string_view text = choices_.of(kTexts);
    text = in_flow && text.find_first_of(",{}[]") != text.npos ? "x" : text;
    text_ += text;
    return text == "null" ? MadeNode{} : MadeNode{yaml::Kind::scalar, std::string(text)};
  }

  MadeNode single_quoted() {
    static constexpr std::array<std::array<std::string_view, 2>, 6> kTexts = {{
        {"''", ""},
        {"'a: b # c'", "a: b # c"},
        {"'it''s'", "it's"},
        {"'\\n \"x\"'", "\\n \"x\""},
        {"'[1, {2}]'", "[1, {2}]"},
        {"' null '", " null "},
    }};
    const auto& [written, text] = choices_.of(kTexts);
    text_ += written;
    return {yaml::Kind::scalar, std::string(text)};
  }

  MadeNode double_quoted() {
    static constexpr std::array<std::array<std::string_view, 2>, 18> kParts = {{
        {"a", "a"},
        {" b: #c", " b: #c"},
        {"\\n", "\n"},
        {"\\t", "\t"},
        {"\\\"", "\""},
        {"\\\\", "\\"},
        {"\\x41", "A"},
        {"\\N", "\xC2\x85"},
        {"\\x85", "\xC2\x85"},
        {"\\L", "\xE2\x80\xA8"},
        {"\\P", "\xE2\x80\xA9"},
        {"\\u2028", "\xE2\x80\xA8"},
        {"\\_", "\xC2\xA0"},
        {"\\e", "\x1B"},
        {"\\uFEFF", "\xEF\xBB\xBF"},
        {"\\U0001F600", "\xF0\x9F\x98\x80"},
        {"'", "'"},
        {"${X:-4}", "${X:-4}"},
    }};
    MadeNode node{yaml::Kind::scalar};
    text_ += "\"";
    for (std::size_t count = choices_.below(5); count > 0; --count) {
      const auto& [written, text] = choices_.of(kParts);
      text_ += written;
      node.scalar += text;
    }
    text_ += "\"";
    return node;
  }

  /// A literal or folded text, at the end of which one line break remains, or none.
  MadeNode block(std::size_t depth) {
    static constexpr std::array<std::string_view, 6> kLines = {
        "a: b", "# no comment", "- x", "\"q", "it's", "{{ x }}"};
    const bool folded = choices_.below(2) == 0;
    const bool strips = choices_.below(2) == 0;
    MadeNode node{yaml::Kind::scalar};
    text_ += std::string(folded ? " >" : " |") + (strips ? "-\n" : "\n");
    for (std::size_t count = 1 + choices_.below(3); count > 0; --count) {
      const std::string_view line = choices_.of(kLines);
      text_ += std::string(2 * depth + 2, ' ') + std::string(line) + "\n";
      node.scalar += std::string(node.scalar.empty() ? ""
                                 : folded            ? " "
                                                     : "\n") +
                     std::string(line);
    }
    node.scalar += strips ? "" : "\n";
    return node;
  }

  Choices& choices_;
  std::string text_;
  std::vector<MadeNode> documents_;
  std::vector<Anchor> anchors_;
  std::size_t names_ = 0;  // of anchors, in all documents
};

}  // namespace epwise::support
