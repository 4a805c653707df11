#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "editor/position.h"
#include "text/source_file.h"

namespace epwise::editor {

/// A change of an open document: a range becomes a text, or the whole does.
struct Change {
  std::optional<Range> range;
  std::string text;
};

/// A text as the editor holds it, saved or not.
class Document {
 public:
  /// `name`: how findings name it, "recipes/a.yaml".
  Document(std::string uri, std::string name, std::int64_t version, std::string text);

  const std::string& uri() const { return uri_; }

  const std::string& name() const { return name_; }

  std::int64_t version() const { return version_; }

  /// Stays as it is when the document changes: who holds it holds that version.
  const std::shared_ptr<const text::SourceFile>& file() const { return file_; }

  /// One after another, each in the text that the ones before it left. A range that ends before it
  /// begins is taken the other way round.
  void apply(const std::vector<Change>& changes, std::int64_t version, Encoding encoding);

 private:
  std::string uri_;
  std::string name_;
  std::int64_t version_ = 0;
  std::string text_;  // with its byte-order mark
  std::shared_ptr<const text::SourceFile> file_;
};

}  // namespace epwise::editor
