#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "text/diagnostic.h"
#include "yaml/events.h"
#include "yaml/gaps.h"
#include "yaml/parse.h"

namespace epwise::yaml {

/// Makes a stream of the records of its documents, one after the other.
class StreamBuilder {
 public:
  /// `text`: the file's bytes with plain line ends, as the records' places count them.
  StreamBuilder(const text::SourceFile& file, std::string_view text, const Limits& limits)
      : file_(file),
        text_(text),
        limits_(limits) {}

  /// Whether it makes sense to go on.
  bool is_readable() const { return stream_.readable; }

  /// The next document.
  void take(Record& record);

  /// Something that ends the reading.
  void fail(text::Diagnostic problem);

  /// What was read, with the last words about the whole file.
  Stream finish();

 private:
  bool is_separate(std::size_t start) const;
  void report_flaws(const std::vector<Flaw>& flaws);
  void check_directives_before(std::size_t start);

  const text::SourceFile& file_;
  std::string_view text_;
  const Limits& limits_;
  Stream stream_;
  std::size_t end_ = 0;  // of the document before
};

}  // namespace epwise::yaml
