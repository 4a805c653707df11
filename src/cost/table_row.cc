#include "cost/table_row.h"

#include <fmt/format.h>

namespace epwise::cost {

std::string TableRow::word() {
  const std::size_t place = words_++;
  return place < entry_.key.size() ? entry_.key[place] : std::string();
}

bool TableRow::is(std::string_view yes, std::string_view no) {
  const std::string text = word();
  if (text != yes && text != no) {
    flaw(text, fmt::format("should be `{}` or `{}`", yes, no));
  }
  return text == yes;
}

void TableRow::finish() {
  if (words_ != entry_.key.size()) {
    flaw("key", fmt::format("wants {} words", words_));
  }
  for (const auto& value : entry_.values) {
    if (std::find(asked_.begin(), asked_.end(), value.name) == asked_.end()) {
      flaw(value.name, "is read by no law");
    }
  }
}

void TableRow::flaw(std::string_view name, std::string_view what) {
  flaws_.push_back(fmt::format("`{}` of `{}` {}", name, entry_.basis.name, what));
}

const double* TableRow::value(std::string_view name, std::string_view unit, bool needed) {
  asked_.push_back(name);
  const auto found = std::find_if(entry_.values.begin(),
                                  entry_.values.end(),
                                  [&](const auto& each) { return each.name == name; });
  if (found == entry_.values.end()) {
    if (needed) {
      flaw(name, "is missing");
    }
    return nullptr;
  }
  if (found->unit != unit) {
    flaw(name, fmt::format("counts in {}, not {}", found->unit, unit));
  }
  return &found->number;
}

Span TableRow::range(std::string_view name) {
  const auto found = std::find_if(entry_.range.begin(), entry_.range.end(), [&](const auto& each) {
    return each.name == name;
  });
  if (found == entry_.range.end()) {
    flaw(name, "has no range");
    return {};
  }
  return {found->low, found->high};
}

}  // namespace epwise::cost
