#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/edit.h"
#include "yaml/node.h"

/// The steps of `edit` (yaml/edit.h): where an edit goes, and the splices that make it.
namespace epwise::yaml {

/// Splices of one edit, rising and apart from each other, or why there are none. No splices and no
/// refusal: nothing has to change.
struct Patch {
  std::vector<Splice> splices;
  std::optional<Refusal> refusal;
};

/// Where an edit goes: the mapping that holds, or is to hold, `path[depth]`.
struct EditPlace {
  const Node* mapping = nullptr;
  const Entry* owner = nullptr;  // the entry whose value the mapping is; null pointer: the root
  const Entry* entry = nullptr;  // what stands at the path so far; null pointer: to be added
  std::size_t depth = 0;
};

/// Follows the path as far as the document goes. A refusal when it leads through something that
/// can't be edited.
EditPlace find_place(const Node& root,
                     const std::vector<std::string>& path,
                     std::optional<Refusal>& refusal);

/// Writes `value` where the entry has none: behind its colon, or over its `null` or `~`.
Patch fill_null(std::string_view text, const Entry& entry, const std::string& value);

Patch set_value(std::string_view text, const Entry& entry, const Literal& value);
Patch set_list(std::string_view text, const Entry& entry, const Literal& list);
Patch add_key(std::string_view text, const EditPlace& place, const Edit& edit);
Patch rename_key(std::string_view text, const EditPlace& place, const std::string& name);
Patch remove_key(std::string_view text, const EditPlace& place);

/// A refusal at the key of an entry, or at its value.
Patch refuse_key(const Entry& entry, std::string reason);
Patch refuse_value(const Entry& entry, std::string reason);

/// Pieces of the text that several steps need.
std::size_t line_begin(std::string_view text, std::size_t place);
std::size_t line_end(std::string_view text, std::size_t place);  // before CR, LF
std::size_t next_line(std::string_view text, std::size_t place);
bool is_blank(std::string_view text);
/// Nothing, or blanks and a comment.
bool is_blank_or_comment(std::string_view text);
/// The line end that the text uses around `place`.
std::string_view line_break(std::string_view text, std::size_t place);
/// Behind the colon of a key; nullopt when it doesn't follow the key at once.
std::optional<std::size_t> behind_colon(std::string_view text, const Entry& entry);
/// The end of what an entry holds: of its value, or of its colon or key when the value is empty.
std::size_t end_of(std::string_view text, const Entry& entry);
bool is_flow(std::string_view text, const Node& collection);
Quote quote_at(std::string_view text, std::size_t place);

}  // namespace epwise::yaml
