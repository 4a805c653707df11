// No file grows past what one sitting can read, and none is named after nothing.

#include <cctype>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/memory_files.h"
#include "support/source_tree.h"
#include "world/disk_files.h"

namespace epwise {

namespace {

constexpr std::size_t kMostLines = 400;

const std::vector<std::string> kForbiddenWords = {
    "util", "utils", "common", "helper", "helpers", "manager", "misc", "base"};

/// Written by hand: everything but data (goldens, schemas, recipes, seeds).
bool is_written_by_hand(const std::string& path) {
  const auto name = path.substr(path.rfind('/') + 1);
  for (const std::string ending : {".h", ".cc", ".S", ".sh", ".py", ".cmake", ".md"}) {
    if (name.ends_with(ending)) {
      return true;
    }
  }
  return name == "CMakeLists.txt";
}

/// "src/yaml/map_reader.cc" → "src", "yaml", "map", "reader", "cc"
std::vector<std::string> words_of(const std::string& path) {
  std::vector<std::string> words(1);
  for (const char letter : path) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else {
      words.emplace_back();
    }
  }
  return words;
}

std::vector<std::string> length_problems(const world::Files& files) {
  std::vector<std::string> problems;
  for (const std::string folder : {"src", "tests"}) {
    for (const std::string& path : support::files_below(files, folder)) {
      if (!is_written_by_hand(path)) {
        continue;
      }
      const auto lines = support::lines_of(files.read(path)).size();
      if (lines > kMostLines) {
        problems.push_back(path + " has " + std::to_string(lines) + " lines; at most " +
                           std::to_string(kMostLines) + " are allowed, about 120 are usual");
      }
      for (const std::string& word : words_of(path)) {
        if (support::holds(kForbiddenWords, word)) {
          problems.push_back(path + ": `" + word + "` names nothing; name the noun it holds");
        }
      }
    }
  }
  return problems;
}

}  // namespace

TEST_CASE("files are short and named by nouns") {
  const world::DiskFiles files;
  REQUIRE(files.is_directory("src"));
  for (const std::string& problem : length_problems(files)) {
    FAIL_CHECK(problem);
  }
}

TEST_CASE("planted files are found") {
  std::string lines;
  for (int i = 0; i < 400; ++i) {
    lines += "x\n";
  }
  const support::MemoryFiles files({
      {"src/a.cc", lines},
      {"src/b.cc", lines + "x\n"},
      {"src/string_utils.h", ""},
      {"src/database.h", ""},
      {"tests/schemas/big.json", lines + lines},
      {"tests/common/x.sh", ""},
  });
  CHECK(length_problems(files) ==
        std::vector<std::string>{
            "src/b.cc has 401 lines; at most 400 are allowed, about 120 are usual",
            "src/string_utils.h: `utils` names nothing; name the noun it holds",
            "tests/common/x.sh: `common` names nothing; name the noun it holds",
        });
}

}  // namespace epwise
