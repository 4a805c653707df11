#include "advise/space.h"

#include <algorithm>
#include <functional>

namespace epwise::advise {

namespace {

/// Of several names the one written in the recipe, otherwise the first that its framework knows.
const std::string* field_of(const Setting& setting, const Evaluator& evaluator) {
  const std::string* known = nullptr;
  for (const std::string& field : setting.fields) {
    if (evaluator.is_written(field)) {
      return &field;
    }
    if (known == nullptr && evaluator.knows(field)) {
      known = &field;
    }
  }
  return known;
}

/// Lists of names are equal regardless of order.
bool same(const expr::Value& a, const expr::Value& b) {
  if (a.list() == nullptr || b.list() == nullptr) {
    return a.is_known() && b.is_known() && a.equals(b);
  }
  const auto texts = [](const expr::Value& value) {
    std::vector<std::string> items;
    for (const expr::Value& item : *value.list()) {
      items.push_back(item.to_text());
    }
    std::ranges::sort(items);
    return items;
  };
  return texts(a) == texts(b);
}

/// One virtual stage equals none.
bool stands_at(const Setting& setting, const std::string& field, const Evaluator& evaluator) {
  const auto is_there = [&](const std::string& name) {
    const expr::Value present = evaluator.present(name);
    const bool both_none =
        setting.value.is_unset() && present.is_number() && present.as_number() <= 1;
    return both_none || same(setting.value, present);
  };
  // A launch moves values from deprecated names to their successors.
  return is_there(field) || (!setting.value.is_unset() &&
                             std::ranges::any_of(setting.fields, [&](const std::string& name) {
                               return evaluator.knows(name) && is_there(name);
                             }));
}

bool names(const std::vector<std::string>& words, const Axis& axis) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    if (word == axis.name || word == axis.group) {
      return true;
    }
    return std::ranges::any_of(axis.moves, [&](const Move& move) {
      return std::ranges::any_of(move.sets, [&](const Setting& set) {
        return std::ranges::any_of(set.fields, [&](const std::string& field) {
          return field == word || field.substr(field.find('.') + 1) == word;
        });
      });
    });
  });
}

bool is_free(const Axis& axis, const Freedom& freedom) {
  if (names(freedom.keep, axis)) {
    return false;
  }
  return freedom.may_change.empty() ? axis.tier != lint::Tier::training
                                    : names(freedom.may_change, axis);
}

void add_fields(const Axis& axis, std::vector<std::string>& fields) {
  for (const Move& move : axis.moves) {
    for (const Setting& set : move.sets) {
      fields.insert(fields.end(), set.fields.begin(), set.fields.end());
    }
  }
}

}  // namespace

Space::Space(const Knowledge& knowledge, const Evaluator& evaluator, const Freedom& freedom) {
  for (const Axis& axis : knowledge.axes) {
    Dimension dimension;
    dimension.axis = &axis;
    dimension.positions.push_back(0);
    std::vector<Made>& moves = made_.emplace_back();
    const bool free = is_free(axis, freedom);
    for (std::size_t i = 0; i < axis.moves.size(); ++i) {
      Made made = make(axis.moves[i], evaluator);
      if (made.stands && dimension.present < 0) {
        dimension.present = static_cast<int>(i);
      }
      if (free && made.possible && !made.stands) {
        dimension.positions.push_back(static_cast<Position>(i + 1));
      }
      moves.push_back(std::move(made));
    }
    dimension.open = dimension.positions.size() > 1;
    if (!free) {
      add_fields(axis, frozen_);
    }
    dimensions_.push_back(std::move(dimension));
  }
  frozen_.insert(frozen_.end(), freedom.keep.begin(), freedom.keep.end());
  std::ranges::sort(frozen_);
  for (const auto* words : {&freedom.may_change, &freedom.keep}) {
    for (const std::string& word : *words) {
      const bool known = std::ranges::any_of(knowledge.axes,
                                             [&](const Axis& axis) { return names({word}, axis); });
      if (!known) {
        strangers_.push_back(word);
      }
    }
  }
}

Space::Made Space::make(const Move& move, const Evaluator& evaluator) {
  Made made;
  made.possible = move.stack.empty() || evaluator.stack_has(move.stack);
  made.stands = true;
  Edits standing;  // left at their defaults by the recipe
  for (const Setting& setting : move.sets) {
    const std::string* field = field_of(setting, evaluator);
    if (field == nullptr) {
      made.possible = false;
      made.stands = false;
      continue;
    }
    made.guarded.push_back(*field);
    const bool goes = setting.value.is_unset();
    if (!stands_at(setting, *field, evaluator)) {
      made.stands = false;
      made.edits.push_back({*field, setting.value, goes});
    } else if (setting.value.text() != nullptr && !evaluator.is_written(*field)) {
      standing.push_back({*field, setting.value, false});
    }
  }
  if (!made.stands) {
    made.edits.insert(made.edits.end(), standing.begin(), standing.end());
  }
  for (const std::string& field : move.drops) {
    if (find_edit(made.edits, field) == nullptr && evaluator.is_written(field)) {
      made.edits.push_back({field, expr::Value::unset(), true});
    }
  }
  return made;
}

const Space::Made& Space::made(std::size_t dimension, int move) const {
  return made_[dimension][static_cast<std::size_t>(move)];
}

bool Space::is_frozen(std::string_view field) const {
  return std::ranges::binary_search(frozen_, field, std::less<>());
}

int Space::index(std::string_view axis) const {
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if (dimensions_[i].axis->name == axis) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

Candidate Space::with(Candidate candidate, std::string_view axis, std::string_view move) const {
  const int at = index(axis);
  if (at >= 0) {
    const int found = dimensions_[static_cast<std::size_t>(at)].axis->find(move);
    candidate[static_cast<std::size_t>(at)] = static_cast<Position>(found + 1);
  }
  return canonical(std::move(candidate));
}

const Move* Space::move(const Candidate& candidate, std::size_t dimension) const {
  const Dimension& at = dimensions_[dimension];
  const int taken = candidate[dimension] == 0 ? at.present : candidate[dimension] - 1;
  return taken < 0 ? nullptr : &at.axis->moves[static_cast<std::size_t>(taken)];
}

const Move* Space::move(const Candidate& candidate, std::string_view axis) const {
  const int at = index(axis);
  return at < 0 ? nullptr : move(candidate, static_cast<std::size_t>(at));
}

Candidate Space::canonical(Candidate candidate) const {
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    const Dimension& dimension = dimensions_[i];
    if (candidate[i] != 0 && candidate[i] - 1 == dimension.present) {
      candidate[i] = 0;
    }
    for (const Condition& condition : dimension.axis->with) {
      const Move* other = move(candidate, condition.axis);
      const bool holds = other != nullptr &&
                         std::ranges::find(condition.moves, other->name) != condition.moves.end();
      if (!holds) {
        candidate[i] = 0;
      }
    }
  }
  return candidate;
}

Edits Space::edits(const Candidate& candidate) const {
  Edits edits;
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    if (candidate[i] == 0) {
      continue;
    }
    for (const Edit& edit : made(i, candidate[i] - 1).edits) {
      const auto known = std::ranges::find(edits, edit.field, &Edit::field);
      if (known == edits.end()) {
        edits.push_back(edit);
      } else if (!edit.drop) {
        *known = edit;
      }
    }
  }
  return edits;
}

bool Space::possible(const Candidate& candidate) const {
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    if (candidate[i] != 0 && !made(i, candidate[i] - 1).possible) {
      return false;
    }
  }
  return true;
}

std::vector<std::string> Space::guarded(const Candidate& candidate) const {
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    if (candidate[i] != 0) {
      const std::vector<std::string>& more = made(i, candidate[i] - 1).guarded;
      fields.insert(fields.end(), more.begin(), more.end());
    }
  }
  return fields;
}

std::vector<std::size_t> Space::changed(const Candidate& candidate) const {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    if (candidate[i] != 0) {
      axes.push_back(i);
    }
  }
  return axes;
}

double Space::size() const {
  double size = 1;
  for (const Dimension& dimension : dimensions_) {
    size *= static_cast<double>(dimension.positions.size());
  }
  return size;
}

}  // namespace epwise::advise
