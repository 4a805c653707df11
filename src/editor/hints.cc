#include "editor/hints.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "editor/json.h"

namespace epwise::editor {

namespace {

constexpr std::size_t kLongest = 40;  // bytes of a value that stands in a line of text

std::string short_text(const expr::Value& value) {
  std::string text = value.to_text();
  if (text.size() <= kLongest) {
    return text;
  }
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end) + "...";
}

const recipe::Field* field_of(const Reading& reading,
                              const Sheet& sheet,
                              const model::Rewrite& rewrite) {
  const auto name = reading.knowledge->names.name(rewrite.slot);
  const auto* spec = sheet.vocabulary->find(name);
  return sheet.recipe->find(spec == nullptr ? name : spec->name);
}

Json hint_of(const recipe::Field& field,
             const model::Rewrite& rewrite,
             bool named,
             const Client& client) {
  const std::string value = short_text(rewrite.after);
  const Position place = position_of(*field.mark.file, field.mark.end, client.encoding);
  return {{"position", json_of(place)},
          {"label", named ? fmt::format("→ {}: {}", rewrite.field, value) : "→ " + value},
          {"paddingLeft", true},
          {"tooltip",
           fmt::format("{}: {} becomes {} at start-up: {}",
                       rewrite.field,
                       rewrite.before.to_text(),
                       rewrite.after.to_text(),
                       rewrite.why)}};
}

}  // namespace

Json hints_between(const Reading& reading,
                   std::size_t begin,
                   std::size_t end,
                   const Client& client) {
  Json all = Json::array();
  for (const Sheet& sheet : reading.sheets) {
    for (const model::Rewrite& rewrite : sheet.result.effective) {
      const auto* field = field_of(reading, sheet, rewrite);
      const bool here = field != nullptr && field->mark.file == reading.file.get() &&
                        field->mark.end >= begin && field->mark.end <= end;
      if (here) {
        // A flag may say the opposite of the argument that it sets, and an argument become another
        // name of the configuration.
        const bool named = sheet.recipe->framework == recipe::Framework::mlm;
        all.push_back(hint_of(*field, rewrite, named, client));
      }
    }
  }
  return all;
}

}  // namespace epwise::editor
