#include "yaml/stream_builder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "yaml/compose.h"
#include "yaml/directives.h"
#include "yaml/problem_list.h"
#include "yaml/raw.h"
#include "yaml/spans.h"
#include "yaml/syntax.h"

namespace epwise::yaml {

namespace {

std::size_t last_end(const Events& events) {
  std::size_t end = 0;
  for (const Event& event : events) {
    end = std::max<std::size_t>(end, event.end);
  }
  return end;
}

bool is_empty(const Document& document) {
  return document.root.is_null() && document.root.scalar.empty();
}

}  // namespace

void StreamBuilder::take(Record& record) {
  const int number = static_cast<int>(stream_.documents.size()) + 1;
  if (number > 1 && !is_separate(record.start)) {
    fail(stray_content(file_, text_, record.start));
    return;
  }
  if (number > limits_.documents) {
    fail({"yaml/too-many-nodes",
          {&file_, record.start, record.start},
          "too many documents in one file",
          {},
          "split the file"});
    return;
  }
  check_directives_before(record.start);
  report_flaws(locate(text_, end_, record));
  end_ = std::max<std::size_t>(record.start, last_end(record.events));
  Composition composition = compose(file_, record.events, limits_, stream_.diagnostics);
  stream_.readable = stream_.readable && composition.complete;
  if (composition.root) {
    stream_.documents.push_back(
        {std::move(*composition.root), number, file_.position(record.start).line});
  }
}

void StreamBuilder::fail(text::Diagnostic problem) {
  stream_.readable = false;
  stream_.diagnostics.push_back(std::move(problem));
}

Stream StreamBuilder::finish() {
  if (stream_.readable) {
    check_directives_before(text_.size());
  }
  if (file_.had_byte_order_mark()) {
    stream_.diagnostics.insert(stream_.diagnostics.begin(),
                               {"yaml/byte-order-mark",
                                {&file_, 0, 0},
                                "the file starts with a byte-order mark",
                                {},
                                "save it as UTF-8 without one"});
  }
  if (stream_.readable &&
      std::all_of(stream_.documents.begin(), stream_.documents.end(), is_empty)) {
    stream_.diagnostics.push_back({"yaml/empty",
                                   {&file_, 0, 0},
                                   "the file holds no settings",
                                   {},
                                   "write `key: value` lines into it"});
  }
  stream_.diagnostics = readable_list(std::move(stream_.diagnostics));
  return std::move(stream_);
}

/// Whether a `---` separates the document at `start` from the one before. Without that the
/// tokeniser has stopped in the middle, perhaps for ever: the text `,` gives one empty document
/// after the other at the same place.
bool StreamBuilder::is_separate(std::size_t start) const {
  return start >= end_ && raw::is_document_start(text_, start);
}

void StreamBuilder::check_directives_before(std::size_t start) {
  if (text_.substr(end_, start - end_).find('%') == std::string_view::npos) {
    return;
  }
  if (const auto flaw = check_directives(text_, end_, start)) {
    report_flaws({*flaw});
  }
  end_ = start;
}

void StreamBuilder::report_flaws(const std::vector<Flaw>& flaws) {
  for (const Flaw& flaw : flaws) {
    fail({std::string(flaw.rule),
          {&file_, flaw.begin, flaw.end},
          std::string(flaw.message),
          {},
          std::string(flaw.help)});
  }
}

}  // namespace epwise::yaml
