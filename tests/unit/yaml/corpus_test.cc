// Every recipe of the corpus (tests/README.md) parses; the only thing to say about some is a key written twice.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/evidence.h"
#include "unit/yaml/tree_text.h"
#include "yaml/parse.h"

namespace epwise::yaml {
namespace {

std::vector<std::string> recipes(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Plain scalars of one line that are not exactly what their mark covers.
int wrong_marks(const Node& node) {
  const std::string_view covered =
      node.defined.file->bytes().substr(node.defined.begin, node.defined.end - node.defined.begin);
  int wrong = node.is_scalar() && node.plain && covered.find('\n') == std::string_view::npos &&
                      covered != node.scalar
                  ? 1
                  : 0;
  for (const Node& item : node.items) {
    wrong += wrong_marks(item);
  }
  for (const Entry& entry : node.entries) {
    wrong += wrong_marks(entry.value);
  }
  return wrong;
}

TEST_CASE("the corpus parses") {
  if (!support::has_evidence("corpus")) {
    return;
  }
  const std::string folder = support::evidence("corpus");
  const std::vector<std::string> paths = recipes(folder);
  CHECK(paths.size() > 100);
  int number = 0;
  for (const std::string& path : paths) {
    CAPTURE(path);
    const text::SourceFile file(path, content(path));
    const Stream stream = parse(file);
    CHECK(stream.readable);
    REQUIRE(stream.documents.size() == 1);
    CHECK(stream.documents[0].root.is_mapping());
    for (const text::Diagnostic& each : stream.diagnostics) {
      CHECK((each.rule == "yaml/duplicate-key" || each.rule == "yaml/repeated-key"));
    }
    CHECK(wrong_marks(stream.documents[0].root) == 0);
    if (++number % 10 == 0) {
      CHECK(trees_text(stream) == trees_text(parse_slowly(file)));
    }
  }
}

}  // namespace
}  // namespace epwise::yaml
