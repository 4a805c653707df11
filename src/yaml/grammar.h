#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "yaml/events.h"
#include "yaml/gaps.h"
#include "yaml/properties.h"

namespace epwise::yaml {

/// Checks what stands between the values of a document against what PyYAML's parser wants there:
/// `-`, `?`, `:` and `,` in their places, brackets in pairs, values further in than their keys,
/// proper names of anchors. What the tokeniser rejects by itself is not repeated here.
///
/// It is told of every value and every end of a collection in the order of the text.
class Grammar {
 public:
  static constexpr std::size_t kAnywhere = std::numeric_limits<std::size_t>::max();

  Grammar(std::string_view text, std::size_t from) : text_(text), gaps_(text, from) {}

  Gaps& gaps() { return gaps_; }

  bool at_root() const { return frames_.empty(); }

  bool in_flow() const { return !frames_.empty() && frames_.back().flow; }

  bool key_next() const { return !frames_.empty() && frames_.back().key_next(); }

  /// Passes the indicators, the anchor and the tag in front of a value that starts at `begin`.
  void enter(const Event& event, const Properties& properties, std::size_t begin);

  /// Passes the indicators behind which an empty value stands.
  void enter_empty();

  /// Passes a value [begin, end) without children.
  void leave(std::size_t begin, std::size_t end, bool plain);

  /// Starts a collection whose first sign stands at `begin`, and ends the last one that was
  /// started.
  void open(const Event& event, std::size_t begin);
  void close();

 private:
  struct Frame {
    bool mapping = false;
    bool flow = false;
    bool bracket = false;       // flow, and not the `a: b` of `[a: b]`
    bool explicit_key = false;  // the key came with a `?`
    std::size_t children = 0;   // seen, keys and values
    std::size_t column = 0;     // in bytes
    std::size_t last_key = 0;   // where it starts

    bool key_next() const { return mapping && children % 2 == 0; }

    bool value_next() const { return mapping && children % 2 != 0; }
  };

  std::size_t column(std::size_t place) { return place - gaps_.line_start(place); }

  void pass_indicators(std::size_t place, bool empty);
  void pass_colon(const Frame& frame, std::size_t place, bool empty);
  void enter_key(Frame& frame, std::size_t place, bool empty);
  void enter_item(const Frame& frame, std::size_t place, bool empty);
  void check_indent(const Event& event, std::size_t place);
  void check_property(std::size_t place);
  void turn();

  std::string_view text_;
  Gaps gaps_;
  std::vector<Frame> frames_;
  std::set<std::string_view> anchors_;
  std::size_t indicator_end_ = 0;  // of the last `:` or `?`
};

}  // namespace epwise::yaml
