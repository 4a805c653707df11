#include "ui/json.h"

namespace epwise::report {

std::string json_text(const Json& json) {
  constexpr int kIndent = 2;
  return json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_newer_releases(const std::vector<session::NewerRelease>& releases, Json& json) {
  for (const session::NewerRelease& release : releases) {
    json["newer_releases"].push_back({{"component", release.component},
                                      {"version", release.version},
                                      {"source", release.source},
                                      {"newest_known", release.newest},
                                      {"checked", release.checked}});
  }
}

void JsonRows::add(const Json& row) {
  rows_.add(rows_.empty() ? "\n" : ",\n");
  rows_.add(json_line(row));
}

void JsonRows::give(const Out& out) const {
  out("[");
  rows_.give(out);
  out(rows_.empty() ? "]" : "\n]");
}

}  // namespace epwise::report
