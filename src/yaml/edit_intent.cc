#include "yaml/edit_intent.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace epwise::yaml {

namespace {

bool is_same_entry(const Entry& a, const Entry& b) {
  return a.key == b.key && a.merged == b.merged && is_same(a.value, b.value);
}

/// The place of the only entry of `key`, or the number of entries when there is none or several.
std::size_t place_of(const Node& mapping, const std::string& key) {
  const auto has = [&](const Entry& entry) { return entry.key == key; };
  if (std::ranges::count_if(mapping.entries, has) != 1) {
    return mapping.entries.size();
  }
  return static_cast<std::size_t>(std::ranges::find_if(mapping.entries, has) -
                                  mapping.entries.begin());
}

/// Whether `after` is `before` but for one key's name.
bool is_renamed(const Node& before, const Node& after, std::size_t place, const Edit& edit) {
  if (place == before.entries.size() || before.entries.size() != after.entries.size()) {
    return false;
  }
  for (std::size_t i = 0; i < before.entries.size(); ++i) {
    Entry meant = before.entries[i];
    meant.key = i == place ? edit.rename : meant.key;
    if (!is_same_entry(meant, after.entries[i])) {
      return false;
    }
  }
  return true;
}

std::vector<const Entry*> others(const Node& mapping, const std::string& key) {
  std::vector<const Entry*> rest;
  for (const Entry& entry : mapping.entries) {
    if (entry.key != key) {
      rest.push_back(&entry);
    }
  }
  return rest;
}

/// Whether `node` holds nothing but the end of the path and its value.
bool is_chain(const Node& node, const Edit& edit, std::size_t depth) {
  if (depth == edit.path.size()) {
    return matches(node, *edit.value);
  }
  return node.is_mapping() && node.tag.empty() && node.entries.size() == 1 &&
         node.entries.front().key == edit.path[depth] &&
         is_chain(node.entries.front().value, edit, depth + 1);
}

bool is_edited_below(const Node& before, const Node& after, const Edit& edit, std::size_t depth) {
  const std::string& key = edit.path[depth];
  const bool last = depth + 1 == edit.path.size();
  if (last && !edit.rename.empty()) {
    return before.is_mapping() && after.is_mapping() && before.tag == after.tag &&
           is_renamed(before, after, place_of(before, key), edit);
  }
  const auto same = [](const Entry* a, const Entry* b) { return is_same_entry(*a, *b); };
  if (!before.is_mapping() || !after.is_mapping() || before.tag != after.tag ||
      !std::ranges::equal(others(before, key), others(after, key), same)) {
    return false;
  }
  const std::size_t was = place_of(before, key);
  const std::size_t is = place_of(after, key);
  if (last && !edit.value) {
    return others(after, key).size() == after.entries.size();
  }
  if (is == after.entries.size()) {
    return false;
  }
  const Node& value = after.entries[is].value;
  if (was == before.entries.size()) {
    return is_chain(value, edit, depth + 1);
  }
  if (is != was || after.entries[is].merged) {
    return false;
  }
  const Node& old = before.entries[was].value;
  return last || old.is_null() ? is_chain(value, edit, depth + 1)
                               : is_edited_below(old, value, edit, depth + 1);
}

}  // namespace

bool is_same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.plain == b.plain && a.tag == b.tag && a.scalar == b.scalar &&
         std::ranges::equal(a.items, b.items, is_same) &&
         std::ranges::equal(a.entries, b.entries, is_same_entry);
}

bool is_edited(const Node& before, const Node& after, const Edit& edit) {
  return is_edited_below(before, after, edit, 0);
}

}  // namespace epwise::yaml
