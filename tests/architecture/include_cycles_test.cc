// No header includes itself through others.

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "support/memory_files.h"
#include "support/source_tree.h"

namespace epwise {

namespace {

using Headers =
    std::map<std::string, std::vector<std::string>>;  // header → headers that it includes

Headers headers_of(const os::Files& files) {
  Headers headers;
  for (const std::string& path : support::files_below(files, "src")) {
    if (path.ends_with(".h")) {
      auto& included = headers[path.substr(4)];
      for (const support::Include& include : support::includes_of(files, path)) {
        if (include.quoted) {
          included.push_back(include.what);
        }
      }
    }
  }
  return headers;
}

/// A depth-first search that reports each cycle once, as "a.h -> b.h -> a.h".
class CycleSearch {
 public:
  explicit CycleSearch(const Headers& headers) : headers_(headers) {}

  std::vector<std::string> run() {
    for (const auto& [header, included] : headers_) {
      visit(header);
    }
    return cycles_;
  }

 private:
  enum class State { open, done };

  void visit(const std::string& header) {
    const auto known = states_.find(header);
    if (known != states_.end()) {
      if (known->second == State::open) {
        report(header);
      }
      return;
    }
    const auto found = headers_.find(header);
    if (found == headers_.end()) {
      return;
    }
    states_[header] = State::open;
    path_.push_back(header);
    for (const std::string& next : found->second) {
      visit(next);
    }
    path_.pop_back();
    states_[header] = State::done;
  }

  void report(const std::string& header) {
    std::string cycle;
    bool inside = false;
    for (const std::string& step : path_) {
      inside = inside || step == header;
      if (inside) {
        cycle += step + " -> ";
      }
    }
    cycles_.push_back(cycle + header);
  }

  const Headers& headers_;
  std::map<std::string, State> states_;
  std::vector<std::string> path_;
  std::vector<std::string> cycles_;
};

}  // namespace

TEST_CASE("headers do not include each other in a circle") {
  const Headers headers = headers_of(os::DiskFiles());
  CHECK(headers.size() > 100);
  for (const std::string& cycle : CycleSearch(headers).run()) {
    FAIL_CHECK(cycle);
  }
}

TEST_CASE("a circle of headers is reported") {
  const support::MemoryFiles files({
      {"src/a.h", "#pragma once\n#include <string>\n#include \"b.h\"\n"},
      {"src/b.h", "#include \"c.h\"\n"},
      {"src/c.h", "#include \"b.h\"\n#include \"d.h\"\n"},
      {"src/d.h", ""},
      {"src/d.cc", "#include \"a.h\"\n"},
  });
  CHECK(CycleSearch(headers_of(files)).run() == std::vector<std::string>{"b.h -> c.h -> b.h"});
}

}  // namespace epwise
