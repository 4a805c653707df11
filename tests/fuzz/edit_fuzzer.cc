// Any edit of any document: refused, or exactly the value that was asked for, with every other byte
// as it was. The first three bytes choose the edit, the rest is the document. A first byte of 1: the
// bytes after it choose several edits and a document of known parts, and the tree that it has in the
// end is the one that was intended.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/choices.h"
#include "support/fuzz_target.h"
#include "support/made_document.h"
#include "support/require.h"
#include "yaml/edit.h"
#include "yaml/parse.h"

namespace {

using epwise::support::MadeNode;
using epwise::support::require;
using epwise::yaml::Edit;
using epwise::yaml::Edited;
using epwise::yaml::Entry;
using epwise::yaml::Literal;
using epwise::yaml::Node;
using epwise::yaml::Splice;

using Path = std::vector<std::string>;

void collect(const Node& node, Path& path, std::vector<Path>& all) {
  constexpr std::size_t kEnough = 256;
  for (const Entry& entry : node.entries) {
    if (all.size() >= kEnough) {
      return;
    }
    path.push_back(entry.key);
    all.push_back(path);
    collect(entry.value, path, all);
    path.pop_back();
  }
}

std::vector<Literal> literals() {
  return {Literal{},
          Literal::of(true),
          Literal::of(std::int64_t{64}),
          Literal::of(1e-6),
          Literal::of_text("flex"),
          Literal::of_text("it's: \"no\" # word\n"),
          Literal::of_word("8"),
          Literal::of_word("[attn moe]"),
          Literal::of_list({}),
          Literal::of_list({Literal::of_text("attn"), Literal::of_text("off")})};
}

Edit choose(const std::vector<Path>& paths, const std::uint8_t* choice) {
  Edit edit;
  if (!paths.empty()) {
    edit.path = paths[choice[0] % paths.size()];
  }
  const unsigned kind = choice[1] % 4U;
  if (kind == 1 || edit.path.empty()) {
    edit.path.emplace_back("added");
  } else if (kind == 2) {
    edit.path.back() = "--added";
  }
  const auto all = literals();
  if (kind != 3) {
    edit.value = all[choice[2] % all.size()];
  }
  return edit;
}

const Node* find(const Node& root, const Path& path) {
  const Node* node = &root;
  for (const std::string& key : path) {
    node = node == nullptr ? nullptr : node->find(key);
  }
  return node;
}

/// New text is one value, or keys that lead to one; what goes is one value or the lines of one key.
void check_splices(const Edited& edited, const Edit& edit) {
  for (const Splice& splice : edited.splices) {
    require(edit.value || splice.text.empty() || splice.text == " {}");
    require(splice.text.find('#') == std::string::npos ||
            (edit.value && !edit.value->text.empty()));
  }
}

std::string replayed(std::string text, const Edited& edited) {
  for (const Splice& splice : edited.splices) {
    require(splice.begin + splice.size <= text.size());
    text.replace(splice.begin, splice.size, splice.text);
  }
  return text;
}

MadeNode made_of(const Node& node) {
  MadeNode made{node.kind, node.is_scalar() ? node.scalar : std::string()};
  for (const Node& item : node.items) {
    made.items.push_back(made_of(item));
  }
  for (const Entry& entry : node.entries) {
    made.entries.emplace_back(entry.key, made_of(entry.value));
  }
  return made;
}

/// Puts `value` at the path, or takes away what is there: null pointer.
void intend(MadeNode& node, const Path& path, std::size_t at, const MadeNode* value) {
  const auto own = std::find_if(node.entries.begin(), node.entries.end(), [&](const auto& entry) {
    return entry.first == path[at];
  });
  const bool last = at + 1 == path.size();
  if (own != node.entries.end() && last && value == nullptr) {
    node.entries.erase(own);
    return;
  }
  MadeNode* child = own == node.entries.end() ? nullptr : &own->second;
  if (child == nullptr) {
    if (value == nullptr) {
      return;
    }
    node.kind = epwise::yaml::Kind::mapping;
    child = &node.entries.emplace_back(path[at], MadeNode{}).second;
  }
  if (last) {
    *child = *value;
  } else {
    intend(*child, path, at + 1, value);
  }
}

/// A few edits, one after another, of a document of known parts.
void edit_made(epwise::support::Choices& choices) {
  constexpr std::size_t kEdits = 4;
  std::array<std::uint8_t, 3 * kEdits> chosen{};
  for (std::uint8_t& each : chosen) {
    each = static_cast<std::uint8_t>(choices.below(256));
  }
  std::string text = epwise::support::DocumentMaker(choices).make();
  for (std::size_t i = 0; i < kEdits; ++i) {
    const epwise::text::SourceFile file("fuzz.yaml", text);
    const auto stream = epwise::yaml::parse(file);
    require(stream.readable && !stream.documents.empty());
    std::vector<Path> paths;
    Path path;
    collect(stream.documents.front().root, path, paths);
    const Edit edit = choose(paths, &chosen[3 * i]);
    const Edited edited = epwise::yaml::edit(file, 1, {edit});
    if (edited.refusal) {
      require(edited.text == text && !edited.refusal->reason.empty());
      continue;
    }
    const epwise::text::SourceFile now("fuzz.yaml", edited.text);
    const auto after = epwise::yaml::parse(now);
    require(after.readable && after.documents.size() == stream.documents.size());
    const Node* found = find(after.documents.front().root, edit.path);
    require(edit.value ? found != nullptr && matches(*found, *edit.value) : found == nullptr);
    MadeNode intended = made_of(stream.documents.front().root);
    const MadeNode value = found != nullptr ? made_of(*found) : MadeNode{};
    intend(intended, edit.path, 0, found != nullptr ? &value : nullptr);
    require(epwise::support::is_made(after.documents.front().root, intended, true));
    for (std::size_t j = 1; j < stream.documents.size(); ++j) {
      require(epwise::support::is_made(
          after.documents[j].root, made_of(stream.documents[j].root), true));
    }
    text = edited.text;
  }
}

}  // namespace

FUZZ_TARGET(edit) {
  constexpr std::size_t kChoice = 3;
  constexpr std::size_t kMost = 1U << 14U;
  if (size < kChoice || size > kMost) {
    return 0;
  }
  if (epwise::support::is_structured(data, size)) {
    epwise::support::Choices choices(data + 1, size - 1);
    edit_made(choices);
    return 0;
  }
  const std::string bytes(reinterpret_cast<const char*>(data) + kChoice, size - kChoice);
  const epwise::text::SourceFile file("fuzz.yaml", bytes);
  const auto stream = epwise::yaml::parse(file);
  std::vector<Path> paths;
  Path path;
  if (!stream.documents.empty()) {
    collect(stream.documents.front().root, path, paths);
  }
  const Edit edit = choose(paths, data);
  const Edited edited = epwise::yaml::edit(file, 1, {edit});
  if (edited.refusal) {
    require(edited.text == bytes && !edited.refusal->reason.empty());
    return 0;
  }
  const std::string mark = file.had_byte_order_mark() ? "\xEF\xBB\xBF" : "";
  require(mark + replayed(std::string(file.bytes()), edited) == edited.text);
  check_splices(edited, edit);
  const epwise::text::SourceFile now("fuzz.yaml", edited.text);
  const auto after = epwise::yaml::parse(now);
  require(after.readable && after.documents.size() == stream.documents.size());
  const Node* found = find(after.documents.front().root, edit.path);
  require(edit.value ? found != nullptr && matches(*found, *edit.value) : found == nullptr);
  return 0;
}
