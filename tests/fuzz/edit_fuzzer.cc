// Any edit of any document: refused, or exactly the value that was asked for, with every other byte
// as it was. The first three bytes choose the edit, the rest is the document.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/fuzz_target.h"
#include "support/require.h"
#include "yaml/edit.h"
#include "yaml/parse.h"

namespace {

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

}  // namespace

FUZZ_TARGET(edit) {
  constexpr std::size_t kChoice = 3;
  constexpr std::size_t kMost = 1U << 14U;
  if (size < kChoice || size > kMost) {
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
