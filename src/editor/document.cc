#include "editor/document.h"

#include <algorithm>
#include <utility>

namespace epwise::editor {

Document::Document(std::string uri, std::string name, std::int64_t version, std::string text)
    : uri_(std::move(uri)),
      name_(std::move(name)),
      version_(version),
      text_(std::move(text)),
      file_(std::make_shared<const text::SourceFile>(name_, text_)) {}

void Document::apply(const std::vector<Change>& changes, std::int64_t version, Encoding encoding) {
  for (const Change& change : changes) {
    if (!change.range) {
      text_ = change.text;
      continue;
    }
    const std::size_t start = offset_in(text_, change.range->start, encoding);
    const std::size_t end = offset_in(text_, change.range->end, encoding);
    text_.replace(std::min(start, end), std::max(start, end) - std::min(start, end), change.text);
  }
  version_ = version;
  file_ = std::make_shared<const text::SourceFile>(name_, text_);
}

}  // namespace epwise::editor
