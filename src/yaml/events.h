#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace epwise::yaml {

/// What the tokeniser told about one document, in its order. parse.cc records `type` to `text`;
/// spans.cc re-reads the raw text and fills the rest; compose.cc makes nodes of them.
///
///   a: [1]     →   mapping@0  scalar@0 "a"  sequence@3  scalar@4 "1"  end  end
struct Event {
  enum class Type : std::uint8_t { null, alias, scalar, sequence, mapping, end };

  Type type = Type::null;
  bool flow = false;     // collection in brackets, or `a: b` as an item of a flow sequence
  bool tagged = false;   // has an explicit tag, as far as the tokeniser tells
  std::uint32_t at = 0;  // where the tokeniser puts it: the first property, or the value, or for
                         // an empty value some later token
  std::uint32_t anchor = 0;  // id of the anchor defined here; for an alias, of the anchor meant
  std::string text = {};     // scalar

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

/// One document as far as the tokeniser came.
struct Record {
  Events events;
  std::uint32_t start = 0;        // of its `---`, or of its first token
  std::vector<std::size_t> open;  // events of the collections that are not closed yet
  bool complete = false;
};

}  // namespace epwise::yaml
