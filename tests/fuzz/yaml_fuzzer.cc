// Reads any bytes as YAML without an exception or a hang, and each mark covers the text that it names. If
// the first byte is 1, the text is made of known parts, and its trees must be those that it was made from.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/choices.h"
#include "support/fuzz_target.h"
#include "support/made_document.h"
#include "support/require.h"
#include "yaml/parse.h"
#include "yaml/scalar.h"

namespace {

using epwise::support::require;
using epwise::text::Diagnostic;
using epwise::text::Mark;
using epwise::yaml::Dialect;
using epwise::yaml::Entry;
using epwise::yaml::Node;
using epwise::yaml::Stream;

void check_mark(const Mark& mark) {
  require(mark.file != nullptr && mark.begin <= mark.end);
  require(mark.end <= mark.file->bytes().size());
  require(mark.start().line <= mark.finish().line && mark.start().column >= 1);
}

/// Folding changes white space only.
std::string printed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      result += c;
    }
  }
  return result;
}

bool has_wide_break(std::string_view text) {
  return text.find("\xC2\x85") != std::string_view::npos ||
         text.find("\xE2\x80") != std::string_view::npos;
}

void check_scalar(const Node& node) {
  const std::string_view covered =
      node.defined.file->bytes().substr(node.defined.begin, node.defined.end - node.defined.begin);
  if (!node.plain) {
    require(!covered.empty() && std::string_view("'\"|>").find(covered[0]) != covered.npos);
  } else if (!has_wide_break(covered) && !covered.starts_with('*')) {  // a recursive alias
    require(printed(covered) == printed(node.scalar));
  }
  for (const Dialect dialect : {Dialect::pyyaml, Dialect::omegaconf, Dialect::words}) {
    static_cast<void>(epwise::yaml::type_scalar(node, dialect));
  }
}

void check_tree(const Node& node, int depth) {
  require(depth <= 64);
  check_mark(node.mark);
  check_mark(node.defined);
  if (node.is_scalar() || node.is_null()) {
    check_scalar(node);
  }
  for (const Node& item : node.items) {
    check_tree(item, depth + 1);
  }
  for (const Entry& entry : node.entries) {
    check_mark(entry.key_mark);
    require(node.find(entry.key) != nullptr);
    check_tree(entry.value, depth + 1);
  }
}

bool same(const Node& a, const Node& b) {
  bool equal = a.kind == b.kind && a.plain == b.plain && a.mark == b.mark &&
               a.defined == b.defined && a.tag == b.tag && a.scalar == b.scalar &&
               a.items.size() == b.items.size() && a.entries.size() == b.entries.size();
  for (std::size_t i = 0; equal && i < a.items.size(); ++i) {
    equal = same(a.items[i], b.items[i]);
  }
  for (std::size_t i = 0; equal && i < a.entries.size(); ++i) {
    equal = a.entries[i].key == b.entries[i].key &&
            a.entries[i].key_mark == b.entries[i].key_mark &&
            same(a.entries[i].value, b.entries[i].value);
  }
  return equal;
}

/// The shortcut for simple lines changes nothing.
void check_same(const Stream& a, const Stream& b) {
  require(a.readable == b.readable && a.documents.size() == b.documents.size());
  for (std::size_t i = 0; i < a.documents.size(); ++i) {
    require(same(a.documents[i].root, b.documents[i].root));
    require(a.documents[i].first_line == b.documents[i].first_line);
  }
  require(a.diagnostics.size() == b.diagnostics.size());
  for (std::size_t i = 0; i < a.diagnostics.size(); ++i) {
    require(a.diagnostics[i].rule == b.diagnostics[i].rule);
    require(a.diagnostics[i].mark == b.diagnostics[i].mark);
    require(a.diagnostics[i].message == b.diagnostics[i].message);
  }
}

void check_problem(const Diagnostic& problem) {
  require(problem.rule.starts_with("yaml/") && !problem.message.empty());
  check_mark(problem.mark);
  for (const auto& label : problem.related) {
    check_mark(label.mark);
  }
}

}  // namespace

FUZZ_TARGET(yaml) {
  const bool made = epwise::support::is_structured(data, size);
  epwise::support::Choices choices(data + 1, size == 0 ? 0 : size - 1);
  epwise::support::DocumentMaker maker(choices);
  const std::string bytes =
      made ? maker.make() : std::string(reinterpret_cast<const char*>(data), size);
  const epwise::text::SourceFile file("fuzz.yaml", bytes);
  epwise::yaml::Limits limits;
  limits.bytes = 1U << 20U;
  limits.nodes = 2000;
  limits.documents = 8;
  const Stream stream = epwise::yaml::parse(file, limits);
  require(stream.readable || !stream.diagnostics.empty());
  for (const auto& document : stream.documents) {
    check_tree(document.root, 0);
  }
  for (const Diagnostic& problem : stream.diagnostics) {
    check_problem(problem);
  }
  check_same(stream, epwise::yaml::parse_slowly(file, limits));
  for (std::size_t i = 0; made && i < maker.documents().size(); ++i) {
    require(stream.readable && stream.documents.size() == maker.documents().size());
    require(epwise::support::is_made(stream.documents[i].root, maker.documents()[i]));
  }
  return 0;
}
