#include "session/document.h"

#include <limits>
#include <memory>

#include <fmt/core.h>

#include "base/os/files.h"
#include "base/units/checked.h"
#include "session/target/resolution.h"

namespace epwise::session {

DocumentChoice parse_document(const Setting& setting) {
  if (setting.value == "all" || setting.value == "merge") {
    return {setting.value == "merge", 0};
  }
  const auto number = units::whole_number(setting.value, 1, std::numeric_limits<int>::max());
  if (!number) {
    throw os::UsageError(fmt::format(
        "{} expects a number from 1, all or merge, not `{}`", setting.source, setting.value));
  }
  return {false, *number};
}

Draft Document::draft() const {
  Draft draft;
  draft.words = request.words;
  if (request.file) {
    draft.bytes = request.file->had_byte_order_mark() ? "\xEF\xBB\xBF" : "";
    draft.bytes += request.file->bytes();
  }
  return draft;
}

yaml::ParsedText Document::text_of(const Draft& text) const {
  if (text.is_parsed()) {
    return text.parsed;
  }
  if (request.stream && text == draft()) {
    return {request.file, request.stream};
  }
  return {std::make_shared<const text::SourceFile>(request.file->name(), text.bytes), nullptr};
}

const recipe::Vocabulary& Document::vocabulary(const facts::Target& on,
                                               recipe::Framework framework,
                                               std::string_view model_class) const {
  return vocabularies->get(framework, framework_version(on.stack, framework), model_class);
}

std::vector<recipe::Recipe> Document::load(const recipe::Request& text,
                                           const facts::Target& on) const {
  return recipe::load(text, [&](recipe::Framework found) -> const recipe::Vocabulary& {
    return vocabulary(on, found, {});
  });
}

}  // namespace epwise::session
