#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "editor/client.h"
#include "editor/desk.h"
#include "editor/json.h"

namespace epwise::editor {

/// The fixes of one version of a text, tried when somebody first asks for them.
class Fixes {
 public:
  explicit Fixes(std::shared_ptr<const Reading> reading) : reading_(std::move(reading)) {}

  const Reading& reading() const { return *reading_; }

  /// The finding with those of its fixes that hold, with their patches, the cheapest first.
  const lint::Finding& finding(std::size_t sheet, std::size_t number);

 private:
  std::shared_ptr<const Reading> reading_;
  std::map<std::pair<std::size_t, std::size_t>, lint::Finding> tried_;
};

/// Whose text it is that edits are for.
struct Edited {
  std::string uri;
  std::int64_t version = 0;
};

/// What can be done about the findings that a range touches: one action a fix, its tier named. With
/// `all_fixes`, one more that makes all that changes nothing in the run.
Json actions_between(
    Fixes& fixes, std::size_t begin, std::size_t end, const Edited& edited, const Client& client);

/// `source.fixAll`: everything that --fix would do, within the neutral tier.
Json fix_all(const Reading& reading, const Edited& edited, const Client& client);

}  // namespace epwise::editor
