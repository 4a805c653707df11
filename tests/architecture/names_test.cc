// Sources of a module are compiled in batches, so their unnamed namespaces are one: a name stands
// in one of them alone, and hides nothing that a header of the module declares.

#include <cctype>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "support/memory_files.h"
#include "support/source_tree.h"

namespace epwise {

namespace {

/// A name at the left margin of a file, where clang-format leaves what stands in a namespace.
struct Declared {
  std::string scope;  // "epwise::yaml"
  std::string name;
  int line = 0;
  bool is_unnamed = false;  // in an unnamed namespace
};

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string last_name(const std::string& text) {
  std::size_t end = text.size();
  while (end > 0 && text[end - 1] == ' ') {
    --end;
  }
  std::size_t begin = end;
  while (begin > 0 && is_of_name(text[begin - 1])) {
    --begin;
  }
  const bool member = begin > 0 && text[begin - 1] == ':';
  return member || begin == 0 ? "" : text.substr(begin, end - begin);
}

/// "int sum(int a) {" → "sum"; "class Reader final : public Base {" → "Reader"; "" for what
/// declares nothing, operators, members, `using`.
std::string declared_name(const std::string& line) {
  if (line.empty() || !is_of_name(line[0])) {
    return "";
  }
  for (const std::string word : {"using ", "template ", "namespace ", "extern ", "static_assert"}) {
    if (line.starts_with(word)) {
      return "";
    }
  }
  for (const std::string word : {"class ", "struct ", "enum class ", "enum "}) {
    if (line.starts_with(word)) {
      const std::size_t end = line.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", word.size());
      return line.ends_with(';') ? "" : line.substr(word.size(), end - word.size());
    }
  }
  const std::size_t end = line.find_first_of("([{=;");
  return end == std::string::npos || line.find("operator") < end ? ""
                                                                 : last_name(line.substr(0, end));
}

std::vector<Declared> declared_in(const std::string& text) {
  std::vector<Declared> found;
  std::string scope;
  std::string raw_end;  // of a raw string that goes on
  bool is_unnamed = false;
  int number = 0;
  for (const std::string& line : support::lines_of(text)) {
    ++number;
    if (!raw_end.empty()) {
      raw_end = line.find(raw_end) == std::string::npos ? raw_end : "";
      continue;
    }
    if (line.starts_with("namespace ") && line.ends_with(" {")) {
      is_unnamed = line == "namespace {";
      scope = is_unnamed ? scope : line.substr(10, line.size() - 12);
    } else if (line == "}  // namespace") {
      is_unnamed = false;
    } else if (const std::string name = declared_name(line); !name.empty()) {
      found.push_back({scope, name, number, is_unnamed});
    }
    const std::size_t raw = line.find("R\"");
    const std::size_t open = raw == std::string::npos ? raw : line.find('(', raw);
    if (open != std::string::npos) {
      const std::string end = ")" + line.substr(raw + 2, open - raw - 2) + "\"";
      raw_end = line.find(end, open) == std::string::npos ? end : "";
    }
  }
  return found;
}

/// "src/base/text/diagnostic.h" → "src/base/text", "tests/unit/base/x_test.cc" → "tests/unit/base"
std::string folder_of_module(const std::string& path) {
  const std::size_t begin = path.starts_with("tests/unit/") ? 11 : path.find('/') + 1;
  return path.substr(0, path.find('/', begin));
}

std::vector<std::string> name_problems(const os::Files& files) {
  std::map<std::string, std::string> headers;  // module, scope and name: where
  std::map<std::string, std::string> sources;
  std::vector<std::string> problems;
  for (const std::string ending : {".h", ".cc"}) {
    for (const std::string folder : {"src", "tests/unit"}) {
      for (const std::string& path : support::files_below(files, folder)) {
        if (!path.ends_with(ending) || path.ends_with("main.cc")) {
          continue;
        }
        for (const Declared& each : declared_in(files.read(path))) {
          const std::string key = folder_of_module(path) + " " + each.scope + " " + each.name;
          if (ending == ".h") {
            headers.emplace(key, path);
          } else if (each.is_unnamed) {
            const auto first = sources.emplace(key, path).first->second;
            const auto header = headers.find(key);
            const std::string& other = header == headers.end() ? first : header->second;
            if (other != path) {
              problems.push_back(path + ":" + std::to_string(each.line) + ": `" + each.name +
                                 "` stands in " + other + " too; both are compiled in one batch");
            }
          }
        }
      }
    }
  }
  return problems;
}

}  // namespace

TEST_CASE("names in unnamed namespaces are unique in their module") {
  const os::DiskFiles files;
  for (const std::string& problem : name_problems(files)) {
    FAIL_CHECK(problem);
  }
}

TEST_CASE("planted names are found, with file and line") {
  const std::string top = "namespace epwise::a {\n\nnamespace {\n\n";
  const std::string bottom = "\n}  // namespace\n\n}  // namespace epwise::a\n";
  const support::MemoryFiles files({
      {"src/a/shown.h", "namespace epwise::a {\nint shown(int);\nclass Row;\n}\n"},
      {"src/a/one.cc", top + "int sum(int a) {\n  return a;\n}\nstruct Row {};" + bottom},
      {"src/a/two.cc", top + "double sum(double a) {}\nusing X = int;" + bottom},
      {"src/a/raw.cc", top + "constexpr const char* kText = R\"(\nint sum(int)\n)\";" + bottom},
      {"src/a/deep/three.cc", top + "char shown(char);" + bottom + "int sum(int a, int b) {\n}\n"},
      {"src/b/one.cc", top + "int sum(int a) {\n}" + bottom},
  });
  CHECK(name_problems(files) ==
        std::vector<std::string>{
            "src/a/deep/three.cc:5: `shown` stands in src/a/shown.h too; both are compiled in one "
            "batch",
            "src/a/two.cc:5: `sum` stands in src/a/one.cc too; both are compiled in one batch",
        });
}

}  // namespace epwise
