#include "yaml/edit.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include "yaml/edit_intent.h"
#include "yaml/edit_place.h"
#include "yaml/parse.h"

namespace epwise::yaml {

namespace {

/// A text on its way through the edits, with what it says.
struct Draft {
  std::shared_ptr<const text::SourceFile> file;
  std::shared_ptr<const Stream> stream;
};

Draft draft(std::shared_ptr<const text::SourceFile> file) {
  auto stream = std::make_shared<const Stream>(parse(*file));
  return {std::move(file), std::move(stream)};
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Text that is one plain scalar wherever a plain scalar can stand: `alltoall`, `-1`, `1.0e-05`.
bool is_plain_word(std::string_view text) {
  const bool sign = text.size() > 1 && (text.front() == '-' || text.front() == '.');
  return text.size() > (sign ? 1U : 0U) && is_letter_or_digit(text[sign ? 1 : 0]) &&
         std::ranges::all_of(text.substr(1), [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-' || c == '+';
         });
}

/// One plain word takes the place of another.
bool is_word_for_word(std::string_view text, const Patch& patch) {
  if (patch.refusal || patch.splices.size() != 1) {
    return false;
  }
  const Splice& splice = patch.splices.front();
  return is_plain_word(text.substr(splice.begin, splice.size)) && is_plain_word(splice.text);
}

std::string spliced(std::string_view text, const std::vector<Splice>& splices) {
  std::string out;
  std::size_t from = 0;
  for (const Splice& splice : splices) {
    out += text.substr(from, splice.begin - from);
    out += splice.text;
    from = splice.begin + splice.size;
  }
  return out + std::string(text.substr(from));
}

Patch patch_of(std::string_view text, const Node& root, const Edit& edit) {
  std::optional<Refusal> refusal;
  const EditPlace place = find_place(root, edit.path, refusal);
  if (refusal) {
    return {{}, std::move(refusal)};
  }
  const bool there = place.entry != nullptr && place.depth + 1 == edit.path.size();
  if (!edit.rename.empty()) {
    return there ? rename_key(text, place, edit.rename) : Patch{};
  }
  if (!edit.value) {
    return there ? remove_key(text, place) : Patch{};
  }
  if (!there) {
    return add_key(text, place, edit);
  }
  return edit.value->kind == Literal::Kind::list ? set_list(text, *place.entry, *edit.value)
                                                 : set_value(text, *place.entry, *edit.value);
}

/// What keeps the file from being edited anywhere: places that the framework's loader refuses.
std::optional<Refusal> unreadable(const Stream& stream, int document) {
  for (const text::Diagnostic& problem : stream.diagnostics) {
    if (problem.rule == "yaml/tab") {
      return Refusal{problem.mark, "tabs stand in the file, which PyYAML does not read"};
    }
  }
  if (!stream.readable || static_cast<std::size_t>(document) > stream.documents.size()) {
    const text::Mark mark =
        stream.diagnostics.empty() ? text::Mark{} : stream.diagnostics.front().mark;
    return Refusal{mark, "the file is no whole YAML"};
  }
  return std::nullopt;
}

std::map<std::string, std::size_t> counted(const std::vector<text::Diagnostic>& problems) {
  std::map<std::string, std::size_t> counts;
  for (const text::Diagnostic& problem : problems) {
    ++counts[problem.rule];
  }
  return counts;
}

/// The new text says what was meant and nothing else has changed.
bool is_as_meant(const Draft& before, const Draft& after, std::size_t document, const Edit& edit) {
  const auto& old = before.stream->documents;
  const auto& now = after.stream->documents;
  if (!after.stream->readable || old.size() != now.size()) {
    return false;
  }
  for (std::size_t i = 0; i < old.size(); ++i) {
    const bool right = i == document ? is_edited(old[i].root, now[i].root, edit)
                                     : is_same(old[i].root, now[i].root);
    if (!right) {
      return false;
    }
  }
  auto known = counted(before.stream->diagnostics);
  const auto found = counted(after.stream->diagnostics);
  return std::ranges::all_of(found, [&](const auto& entry) {
    return entry.first == "yaml/unused-anchor" || entry.second <= known[entry.first];
  });
}

/// A place of the text that the splices made, in the text before them.
std::uint32_t place_before(std::uint32_t place, const std::vector<Splice>& splices) {
  for (auto splice = splices.rbegin(); splice != splices.rend(); ++splice) {
    if (place >= splice->begin + splice->text.size()) {
      place = static_cast<std::uint32_t>(place - splice->text.size() + splice->size);
    } else if (place > splice->begin) {
      place = static_cast<std::uint32_t>(splice->begin);
    }
  }
  return place;
}

class Editor {
 public:
  Editor(const text::SourceFile& file, int document, const Stream* parsed)
      : original_(file),
        document_(static_cast<std::size_t>(document - 1)) {
    const std::shared_ptr<const text::SourceFile> borrowed(std::shared_ptr<void>(), &file);
    now_ = parsed == nullptr
               ? draft(borrowed)
               : Draft{borrowed, std::shared_ptr<const Stream>(std::shared_ptr<void>(), parsed)};
    refusal_ = unreadable(*now_.stream, document);
  }

  /// Where every edit puts a plain word in the place of another, and no anchor ties them to other
  /// places, everything else is read as before: nothing needs to be parsed again. False, and
  /// nothing done, otherwise.
  bool swap_words(const std::vector<Edit>& edits) {
    const std::string_view text = now_.file->bytes();
    if (refusal_ || text.find('&') != std::string_view::npos) {
      return false;
    }
    std::map<std::size_t, Splice> splices;  // by place
    for (const Edit& edit : edits) {
      Patch patch = patch_of(text, now_.stream->documents[document_].root, edit);
      if (!is_word_for_word(text, patch) ||
          !splices.emplace(patch.splices.front().begin, patch.splices.front()).second) {
        return false;
      }
    }
    std::vector<Splice> all;
    for (auto& [place, splice] : splices) {
      all.push_back(std::move(splice));
    }
    now_ = {std::make_shared<const text::SourceFile>(original_.name(), spliced(text, all)),
            nullptr};
    keep(all);
    return true;
  }

  void apply(const Edit& edit) {
    if (refusal_) {
      return;
    }
    const std::string_view text = now_.file->bytes();
    const Node& root = now_.stream->documents[document_].root;
    Patch patch = patch_of(text, root, edit);
    if (patch.refusal) {
      refuse(std::move(*patch.refusal));
      return;
    }
    if (patch.splices.empty()) {
      return;
    }
    Draft next = draft(
        std::make_shared<const text::SourceFile>(original_.name(), spliced(text, patch.splices)));
    if (!is_as_meant(now_, next, document_, edit)) {
      const Splice& first = patch.splices.front();
      const auto begin = static_cast<std::uint32_t>(first.begin);
      const auto end = static_cast<std::uint32_t>(first.begin + first.size);
      refuse({{now_.file.get(), begin, end},
              "this place can't be changed alone: an alias or its layout ties it to others"});
      return;
    }
    now_ = std::move(next);
    keep(patch.splices);
  }

  Edited finish() {
    Edited result;
    const std::string mark = original_.had_byte_order_mark() ? "\xEF\xBB\xBF" : "";
    result.refusal = std::move(refusal_);
    if (result.refusal) {
      result.text = mark + std::string(original_.bytes());
      return result;
    }
    result.text = mark + std::string(now_.file->bytes());
    result.splices = std::move(done_);
    return result;
  }

 private:
  void refuse(Refusal refusal) {
    if (!refusal.mark.nowhere()) {
      refusal.mark = {&original_,
                      place_before(refusal.mark.begin, done_),
                      place_before(refusal.mark.end, done_)};
    }
    refusal_ = std::move(refusal);
  }

  /// The splices of one edit are apart and rising: from the last to the first, each is in offsets
  /// of a text that the ones before it left.
  void keep(const std::vector<Splice>& splices) {
    done_.insert(done_.end(), splices.rbegin(), splices.rend());
  }

  const text::SourceFile& original_;
  std::size_t document_;
  Draft now_;
  std::optional<Refusal> refusal_;
  std::vector<Splice> done_;
};

}  // namespace

Edited edit(const text::SourceFile& file,
            int document,
            const std::vector<Edit>& edits,
            const Stream* parsed) {
  const auto has_no_place = [](const Edit& each) { return each.path.empty(); };
  if (document < 1 || std::ranges::any_of(edits, has_no_place)) {
    throw std::logic_error("an edit without a place");
  }
  Editor editor(file, document, parsed);
  if (!editor.swap_words(edits)) {
    for (const Edit& each : edits) {
      editor.apply(each);
    }
  }
  return editor.finish();
}

}  // namespace epwise::yaml
