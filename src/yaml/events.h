#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace epwise::yaml {

/// The tokeniser's events of one document, in order. parse.cc records `type` to `text`; spans.cc
/// re-reads the raw text and fills in the rest; compose.cc creates nodes from them.
///
///   a: [1]     →   mapping@0  scalar@0 "a"  sequence@3  scalar@4 "1"  end  end
struct Event {
  enum class Type : std::uint8_t { null, alias, scalar, sequence, mapping, end };

  Type type = Type::null;
  bool flow = false;    // collection in brackets, or `a: b` as an item of a flow sequence
  bool tagged = false;  // has an explicit tag, as far as the tokeniser reports it
  // position reported by the tokeniser: the first property, or the value, or for an empty value a
  // later token
  std::uint32_t at = 0;
  // id of the anchor defined here; for an alias, of the referenced anchor
  std::uint32_t anchor = 0;
  std::string text = {};  // scalar

  std::uint32_t begin = 0;  // the value in the text, without its properties
  std::uint32_t end = 0;
  std::uint32_t anchor_begin = 0;  // the `&name`
  std::uint32_t anchor_end = 0;
  bool plain = true;
  std::string tag = {};  // as written

  bool opens() const { return type == Type::sequence || type == Type::mapping; }

  bool is_node() const { return type != Type::end; }
};

using Events = std::vector<Event>;

/// One document as far as it was tokenised.
struct Record {
  Events events;
  std::uint32_t start = 0;        // of its `---`, or of its first token
  std::vector<std::size_t> open;  // events of the collections that are still open
  bool complete = false;
};

}  // namespace epwise::yaml
