#include "yaml/mappings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "yaml/scalar.h"

namespace epwise::yaml {

namespace {

/// Two keys are one for PyYAML exactly when these are equal.
std::string identity(const Node& key) {
  const Typed typed = type_scalar(key, Dialect::pyyaml);
  switch (typed.type) {
    case ScalarType::boolean:
      return typed.boolean ? "number 1" : "number 0";  // True == 1 in Python
    case ScalarType::integer:
      return typed.big ? "text " + key.scalar : fmt::format("number {}", typed.integer);
    case ScalarType::real:
      return fmt::format("number {}", typed.real);
    default:
      return "text " + key.scalar;
  }
}

bool same_entries(const Node& a, const Node& b);

/// `1` and `'1'` are two values, `x` and `'x'` are one.
bool same_scalar(const Node& a, const Node& b) {
  return a.scalar == b.scalar &&
         type_scalar(a, Dialect::pyyaml).type == type_scalar(b, Dialect::pyyaml).type;
}

bool same_value(const Node& a, const Node& b) {
  return a.kind == b.kind && a.tag == b.tag && (!a.is_scalar() || same_scalar(a, b)) &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_value) &&
         same_entries(a, b);
}

bool same_entries(const Node& a, const Node& b) {
  return std::equal(a.entries.begin(),
                    a.entries.end(),
                    b.entries.begin(),
                    b.entries.end(),
                    [](const Entry& left, const Entry& right) {
                      return left.key == right.key && same_value(left.value, right.value);
                    });
}

}  // namespace

bool is_merge_key(const Node& key) {
  return key.is_scalar() && key.scalar == "<<" &&
         ((key.plain && key.tag.empty()) || key.tag == "!!merge");
}

void report_duplicates(const std::vector<Key>& keys,
                       const std::vector<Entry>& entries,
                       std::vector<text::Diagnostic>& problems) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [place, is_new] = seen.emplace(identity(keys[i].node), i);
    if (is_new) {
      continue;
    }
    const std::size_t before = std::exchange(place->second, i);
    const bool equal = same_value(entries[before].value, entries[i].value);
    problems.push_back(
        {"yaml/duplicate-key",
         keys[i].mark,
         fmt::format("`{}` is given twice in this mapping", entries[i].key),
         {{keys[before].mark, "given here before"}},
         equal ? "both values are equal; remove one of the two (OmegaConf refuses the file)"
               : "the values differ; PyYAML takes the last one, OmegaConf refuses the file: remove "
                 "the one that is not meant"});
  }
}

std::vector<text::Mark> Merges::add(Node value) {
  std::vector<text::Mark> wrong;
  if (value.is_mapping()) {
    std::move(value.entries.begin(), value.entries.end(), std::back_inserter(merged_));
  } else if (value.is_sequence()) {
    for (auto item = value.items.rbegin(); item != value.items.rend(); ++item) {
      if (item->is_mapping()) {
        std::move(item->entries.begin(), item->entries.end(), std::back_inserter(merged_));
      } else {
        wrong.push_back(item->mark);
      }
    }
    std::reverse(wrong.begin(), wrong.end());
  } else {
    wrong.push_back(value.mark);
  }
  return wrong;
}

void Merges::apply(std::vector<Entry>& entries) {
  if (merged_.empty()) {
    return;
  }
  std::set<std::string, std::less<>> taken;
  for (const Entry& entry : entries) {
    taken.insert(entry.key);
  }
  std::vector<Entry> kept;
  for (auto entry = merged_.rbegin(); entry != merged_.rend(); ++entry) {
    if (taken.insert(entry->key).second) {
      entry->merged = true;
      kept.push_back(std::move(*entry));
    }
  }
  std::reverse(kept.begin(), kept.end());
  kept.insert(
      kept.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
  entries = std::move(kept);
}

}  // namespace epwise::yaml
