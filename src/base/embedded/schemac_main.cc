/// schemac OUT SCHEMA...: packs JSON Schemas into one table embedded by the build, by name without
/// directory and extension, in order.

#include <algorithm>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded/archive.h"
#include "base/embedded/embedded.h"

namespace {

constexpr std::string_view kEnding = ".json";

std::string name_of(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file.substr(0, file.size() - kEnding.size());
}

int pack(const std::string& output, std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return name_of(a) < name_of(b);
  });
  std::deque<std::string> texts;  // what the views in `files` point to
  std::vector<epwise::embedded::EmbeddedFile> files;
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    if (!in || !path.ends_with(kEnding)) {
      std::fprintf(stderr, "schemac: %s cannot be read as a schema\n", path.c_str());
      return 1;
    }
    const std::string& name = texts.emplace_back(name_of(path));
    files.push_back(
        {name,
         texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())});
  }
  epwise::embedded::Writer writer;
  writer(files);
  std::ofstream out(output, std::ios::binary);
  out << writer.bytes();
  out.close();
  if (!out) {
    std::fprintf(stderr, "schemac: %s cannot be written\n", output.c_str());
  }
  return out ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: schemac OUT SCHEMA...\n", stderr);
    return 2;
  }
  return pack(argv[1], {argv + 2, argv + argc});
}
