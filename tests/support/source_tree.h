#pragma once

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/os/files.h"

/// What the tests of the house read: our own files, as text.
namespace epwise::support {

/// Every file below a folder, sorted; paths start with the folder: "src/base/text/diagnostic.h".
inline std::vector<std::string> files_below(const os::Files& files, const std::string& folder) {
  std::vector<std::string> found;
  for (const std::string& name : files.list(folder)) {
    const std::string path = folder + "/" + name;
    if (files.is_directory(path)) {
      const auto deeper = files_below(files, path);
      found.insert(found.end(), deeper.begin(), deeper.end());
    } else {
      found.push_back(path);
    }
  }
  return found;
}

inline bool is_source(const std::string& path) {
  return path.ends_with(".h") || path.ends_with(".cc");
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// One include line of a source file.
struct Include {
  std::string file;
  int line = 0;
  std::string what;    // "base/text/diagnostic.h", "yaml-cpp/yaml.h"
  bool quoted = true;  // "…" or <…>

  /// "src/base/text/diagnostic.h:7", for messages.
  std::string place() const { return file + ":" + std::to_string(line); }
};

inline std::vector<Include> includes_of(const os::Files& files, const std::string& path) {
  std::vector<Include> found;
  int number = 0;
  for (const std::string& line : lines_of(files.read(path))) {
    ++number;
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') {
      continue;
    }
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) {
      continue;
    }
    const auto open = line.find_first_of("\"<", word);
    if (open == std::string::npos) {
      continue;
    }
    const char closing = line[open] == '<' ? '>' : '"';
    const auto close = line.find(closing, open + 1);
    found.push_back({.file = path,
                     .line = number,
                     .what = line.substr(open + 1, close - open - 1),
                     .quoted = line[open] == '"'});
  }
  return found;
}

/// A table of our own: `name words…`, `#` starts a comment. Rows keep the order of the file.
struct Row {
  std::string name;
  std::vector<std::string> words;
};

inline std::vector<Row> rows_of(const os::Files& files, const std::string& path) {
  std::vector<Row> rows;
  for (const std::string& line : lines_of(files.read(path))) {
    std::istringstream in(line.substr(0, line.find('#')));
    Row row;
    if (in >> row.name) {
      for (std::string word; in >> word;) {
        row.words.push_back(word);
      }
      rows.push_back(row);
    }
  }
  return rows;
}

inline bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace epwise::support
