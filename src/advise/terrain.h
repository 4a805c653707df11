#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "advise/ground.h"
#include "repair/bench.h"

namespace epwise::advise {

/// The grounds of one recipe: as it is written, and with sections that it lacks and an edit needs
/// (Megatron-Bridge's comm_overlap, rng, …). Not safe to share between threads.
class Terrain {
 public:
  /// The bench must outlive the object; `draft` is the recipe's text on it.
  Terrain(const repair::Bench& bench, const repair::Draft& draft);

  /// On which the edits can be judged. Null pointer where a section can't be added.
  Ground* ground(const Edits& edits);

  /// The recipe as it is written.
  Ground& plain() { return *plain_; }

  const Ground& plain() const { return *plain_; }

  const recipe::Recipe& recipe() const { return *recipe_; }

 private:
  struct Sheet {
    std::shared_ptr<const recipe::Recipe> recipe;
    std::unique_ptr<Ground> ground;
  };

  Sheet with_sections(const std::map<std::string, std::string>& fields) const;

  const repair::Bench& bench_;
  repair::Draft draft_;
  std::shared_ptr<const recipe::Recipe> recipe_;
  std::unique_ptr<Ground> plain_;
  std::map<std::set<std::string>, Sheet> sheets_;  // by the sections that they have besides
};

}  // namespace epwise::advise
