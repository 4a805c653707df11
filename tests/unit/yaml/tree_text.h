#pragma once

#include <string>

#include "yaml/parse.h"

/// Trees and diagnostics as one line of text, so that a test reads like its input.
namespace epwise::yaml {

inline std::string place(const text::Mark& mark) {
  return "@" + std::to_string(mark.begin) + "-" + std::to_string(mark.end);
}

inline std::string tree_text(const Node& node);

inline std::string joined(const std::string& open,
                          const std::vector<std::string>& parts,
                          char close) {
  std::string result = open;
  for (const std::string& part : parts) {
    result += (result.size() > open.size() ? ", " : "") + part;
  }
  return result + close;
}

/// `{a@0-1: <1>@3-4}@0-4`: scalars in angle brackets, each with the bytes that it covers.
inline std::string tree_text(const Node& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case Kind::null:
      return "null" + place(node.mark);
    case Kind::scalar:
      return "<" + node.scalar + ">" + place(node.mark);
    case Kind::sequence:
      for (const Node& item : node.items) {
        parts.push_back(tree_text(item));
      }
      return joined("[", parts, ']') + place(node.mark);
    case Kind::mapping:
      break;
  }
  for (const Entry& entry : node.entries) {
    parts.push_back(entry.key + place(entry.key_mark) + ": " + tree_text(entry.value));
  }
  return joined("{", parts, '}') + place(node.mark);
}

/// "yaml/tab@1:3" for each, in order.
inline std::string problems_text(const Stream& stream) {
  std::string result;
  for (const text::Diagnostic& each : stream.diagnostics) {
    const text::Position start = each.mark.start();
    result += (result.empty() ? "" : " ") + each.rule + "@" + std::to_string(start.line) + ":" +
              std::to_string(start.column);
  }
  return result;
}

inline std::string trees_text(const Stream& stream) {
  std::string result;
  for (const Document& document : stream.documents) {
    result += (result.empty() ? "" : " | ") + tree_text(document.root);
  }
  return result;
}

}  // namespace epwise::yaml
