#include "advise/space.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>

#include <fmt/format.h>

namespace epwise::advise {

namespace {

std::string_view section_of(std::string_view field) {
  return field.substr(0, field.find('.'));
}

/// Of several names the one written in the recipe, otherwise the first that its framework knows. A null
/// leaves the choice to another name of the same section.
const std::string* field_of(const Setting& setting, const Evaluator& evaluator) {
  const std::string* written = nullptr;
  const std::string* known = nullptr;
  for (const std::string& field : setting.fields) {
    const bool other = written != nullptr &&
                       (!evaluator.is_null(*written) || section_of(field) != section_of(*written));
    if (evaluator.is_written(field) && !other &&
        (written == nullptr || !evaluator.is_null(field))) {
      written = &field;
    }
    if (known == nullptr && evaluator.knows(field)) {
      known = &field;
    }
  }
  return written != nullptr ? written : known;
}

/// One virtual stage equals none.
bool stands_at(const Setting& setting, const std::string& field, const Evaluator& evaluator) {
  const auto is_there = [&](const std::string& name) {
    const expr::Value present = evaluator.present(name);
    const bool both_none =
        setting.value.is_unset() && present.is_number() && present.as_number() <= 1;
    return both_none || is_same_setting(setting.value, present);
  };
  // A launch moves values from deprecated names to their successors.
  return is_there(field) || (!setting.value.is_unset() &&
                             std::ranges::any_of(setting.fields, [&](const std::string& name) {
                               return evaluator.knows(name) && is_there(name);
                             }));
}

bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "nvfp4": a move by its own name, if it has one.
bool names_move(const std::vector<std::string>& words, const Move& move) {
  constexpr std::size_t kWord = 5;  // not "on", "none", "full"
  return move.name.size() >= kWord && !is_number(move.name) &&
         std::ranges::find(words, move.name) != words.end();
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
  if (!freedom.may_change.empty()) {
    return names(freedom.may_change, axis);
  }
  return axis.only_to_fit ? freedom.to_fit : axis.tier != lint::Tier::training;
}

bool names_a_move(const std::vector<std::string>& words, const Axis& axis) {
  return std::ranges::any_of(axis.moves, [&](const Move& move) { return names_move(words, move); });
}

/// A size above the recipe's own where the axis has a limit that the recipe does not meet.
bool beyond_limits(const Axis& axis, const Move& move, const Evaluator& evaluator) {
  const bool met = std::ranges::all_of(axis.limits, [&](const Limit& limit) {
    const expr::Value present = evaluator.present(limit.field);
    return present.is_number() && present.as_number() >= static_cast<double>(limit.at_least) &&
           (limit.at_most == 0 || present.as_number() <= static_cast<double>(limit.at_most));
  });
  if (met) {
    return false;
  }
  for (const Setting& setting : move.sets) {
    const expr::Value own = evaluator.present(setting.fields.front());
    const double size = own.is_number() ? own.as_number() : 1;
    if (setting.value.is_number() && setting.value.as_number() > size) {
      return true;
    }
  }
  return false;
}

/// Whether the moves of an axis change the number of data-parallel ranks.
bool changes_data_ranks(const Axis& axis) {
  constexpr std::array<std::string_view, 3> kSizes = {"model.tensor_model_parallel_size",
                                                      "model.pipeline_model_parallel_size",
                                                      "model.context_parallel_size"};
  return std::ranges::any_of(
      kSizes, [&](std::string_view size) { return names({std::string(size)}, axis); });
}

void add_fields(const Axis& axis, std::vector<std::string>& fields) {
  for (const Move& move : axis.moves) {
    for (const Setting& set : move.sets) {
      fields.insert(fields.end(), set.fields.begin(), set.fields.end());
    }
  }
}

}  // namespace

namespace {

/// Whether a move changes what is trained, which nobody asked for.
bool alters_training(const Axis& axis, const Move& move, const Freedom& freedom) {
  return freedom.same_training && !freedom.by_hand && !move.alters.empty() &&
         !names(freedom.may_change, axis) && !names_a_move(freedom.may_change, axis);
}

/// Whether the recipe's precision is one that the move needs.
bool has_precision(const Move& move, const Freedom& freedom) {
  return std::ranges::all_of(move.with, [&](const Condition& condition) {
    return condition.axis != "precision" || freedom.precision.empty() ||
           std::ranges::find(condition.moves, freedom.precision) != condition.moves.end();
  });
}

/// Whether a free axis may take this move.
bool is_open(const Axis& axis,
             const Move& move,
             const Freedom& freedom,
             const Evaluator& evaluator) {
  if (names_a_move(freedom.may_change, axis) && !is_free(axis, freedom)) {
    return names_move(freedom.may_change, move);
  }
  const bool early = !freedom.by_hand && !move.after.empty() && !freedom.precision.empty() &&
                     std::ranges::find(move.after, freedom.precision) == move.after.end();
  const bool elsewhere =
      !move.architectures.empty() && !freedom.architecture.empty() &&
      std::ranges::find(move.architectures, freedom.architecture) == move.architectures.end();
  const bool unasked = move.asked && !freedom.by_hand;
  if ((early || elsewhere || unasked) && !names_move(freedom.may_change, move)) {
    return false;
  }
  const bool idle = std::ranges::any_of(move.acts_on, [&](const std::string& name) {
    const expr::Value value = evaluator.present(name);
    return !value.is_unknown() && !value.truthy();
  });
  if (idle) {
    return false;
  }
  if (freedom.careful && move.risk == Risk::high && axis.tier != lint::Tier::training) {
    return false;
  }
  if (freedom.most_fit > 0 && move.fit > freedom.most_fit) {
    return false;
  }
  return freedom.by_hand || !beyond_limits(axis, move, evaluator);
}

}  // namespace

std::vector<std::string> strangers_of(const Knowledge& knowledge, const Freedom& freedom) {
  std::vector<std::string> strangers;
  for (const auto* words : {&freedom.may_change, &freedom.keep}) {
    std::ranges::copy_if(*words, std::back_inserter(strangers), [&](const std::string& word) {
      return std::ranges::none_of(knowledge.axes, [&](const Axis& axis) {
        return names({word}, axis) || names_a_move({word}, axis);
      });
    });
  }
  return strangers;
}

Space::Space(const Knowledge& knowledge, const Evaluator& evaluator, const Freedom& freedom) {
  for (const Axis& axis : knowledge.axes) {
    Dimension dimension;
    dimension.axis = &axis;
    dimension.positions.push_back(0);
    std::vector<Made>& moves = made_.emplace_back();
    const bool asked = names_a_move(freedom.may_change, axis);
    const bool free = (is_free(axis, freedom) || asked) && !names(freedom.keep, axis);
    // plans keep the batch: a larger one is another training
    const bool grows = evaluator.batch_follows_ranks() && changes_data_ranks(axis);
    for (std::size_t i = 0; i < axis.moves.size(); ++i) {
      Made made = make(axis.moves[i], evaluator, is_of_another(axis));
      made.possible = made.possible && !grows && !(axis.own_loop && evaluator.has_trainer());
      if (made.stands && dimension.present < 0) {
        dimension.present = static_cast<int>(i);
      }
      const Move& move = axis.moves[i];
      if (free && made.possible && !made.stands && is_open(axis, move, freedom, evaluator)) {
        if (!alters_training(axis, move, freedom)) {
          dimension.positions.push_back(static_cast<Position>(i + 1));
        } else if (has_precision(move, freedom)) {
          withheld_.push_back(fmt::format(
              "{}: it changes what is trained ({})", title_of(axis, move), move.because));
        }
      }
      moves.push_back(std::move(made));
    }
    dimension.open = dimension.positions.size() > 1;
    if (!free || grows) {
      add_fields(axis, frozen_);
    }
    dimensions_.push_back(std::move(dimension));
  }
  frozen_.insert(frozen_.end(), freedom.keep.begin(), freedom.keep.end());
  std::ranges::sort(frozen_);
  precision_ = freedom.precision;
  read_sizes(evaluator);
}

void Space::read_sizes(const Evaluator& evaluator) {
  constexpr std::string_view kLayout = "model.pipeline_model_parallel_layout";
  const auto size = [&](std::string_view field, int otherwise) {
    const expr::Value value = evaluator.present(field);
    constexpr double kMost = 1 << 20;  // more are a mistake that lint names
    const double number = value.is_number() ? value.as_number() : 0;
    return number > 0 && number <= kMost ? static_cast<int>(number) : otherwise;
  };
  layers_ = size("model.num_layers", 0);
  prediction_depths_ = size("model.mtp_num_layers", 0);
  stages_ = std::max(size("model.pipeline_model_parallel_size", 1), 1);
  virtual_stages_ = std::max(size("model.virtual_pipeline_model_parallel_size", 1), 1);
  has_layouts_ = layers_ > 0 && evaluator.knows(kLayout) && !is_frozen(kLayout);
  separate_chunks_ = !evaluator.is_megatron_lm();
  layout_ = expr::read_layout(evaluator.present(kLayout));
  for (const char* field : {"model.num_layers_in_first_pipeline_stage",
                            "model.num_layers_in_last_pipeline_stage",
                            "model.account_for_embedding_in_pipeline_split",
                            "model.account_for_loss_in_pipeline_split"}) {
    const expr::Value value = evaluator.present(field);
    if (evaluator.is_written(field) && !value.is_unset() && value.truthy()) {
      written_.emplace_back(field);
    }
  }
}

bool Space::is_of_another(const Axis& axis) const {
  return axis.sweep && !holds(axis.with, start());
}

void Space::apply(const std::vector<Setting>& sets,
                  const Evaluator& evaluator,
                  bool anew,
                  Made& made) {
  made.stands = !anew;
  Edits standing;  // left at their defaults by the recipe
  for (const Setting& setting : sets) {
    const std::string* field = field_of(setting, evaluator);
    if (field == nullptr || !evaluator.refused_for(*field, setting.value).empty()) {
      made.possible = false;
      made.stands = false;
      continue;
    }
    made.guarded.push_back(*field);
    const bool goes = setting.value.is_unset();
    if (anew || !stands_at(setting, *field, evaluator)) {
      made.stands = false;
      if (auto edit = goes ? evaluator.removal_of(*field)
                           : std::optional(Edit{*field, setting.value, false})) {
        made.edits.push_back(std::move(*edit));
      }
    } else if (setting.value.text() != nullptr && !evaluator.is_written(*field)) {
      standing.push_back({*field, setting.value, false});
    }
  }
  if (!made.stands) {
    made.edits.insert(made.edits.end(), standing.begin(), standing.end());
  }
}

Space::Made Space::make(const Move& move, const Evaluator& evaluator, bool anew) {
  Made made;
  const bool written = !move.written || std::ranges::all_of(move.sets, [&](const Setting& setting) {
    return std::ranges::any_of(
        setting.fields, [&](const std::string& field) { return evaluator.is_written(field); });
  });
  const bool stacked = written && (move.stack.empty() || evaluator.stack_has(move.stack)) &&
                       (move.format.empty() || evaluator.has_format(move.format));
  made.possible = stacked;
  apply(move.sets, evaluator, anew, made);
  if (!made.possible && !move.legacy.empty()) {
    made = Made{};
    made.possible = stacked;
    apply(move.legacy, evaluator, anew, made);
  }
  for (const std::string& field : move.drops) {
    const bool there = evaluator.is_written(field) && !evaluator.is_null(field);
    auto edit = there && find_edit(made.edits, field) == nullptr ? evaluator.removal_of(field)
                                                                 : std::nullopt;
    if (edit && (edit->drop || !evaluator.is_idle(*edit))) {
      made.edits.push_back(std::move(*edit));
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

bool Space::stands(std::size_t dimension, std::size_t move) const {
  const Dimension& at = dimensions_[dimension];
  const int loss_layers = at.axis->moves[move].loss_layers;
  return at.present == static_cast<int>(move) ||
         (loss_layers >= 0 && stages_ > 1 &&
          is_present_layout(
              layout_text(layers_, prediction_depths_, stages_ * virtual_stages_, loss_layers)));
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

bool Space::holds(const std::vector<Condition>& conditions, const Candidate& candidate) const {
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    const Move* other = move(candidate, condition.axis);
    const std::string own = condition.axis == "precision" ? precision_ : "";
    const std::string& name = other != nullptr ? other->name : own;
    return std::ranges::find(condition.moves, name) != condition.moves.end();
  });
}

std::pair<int, int> Space::stages_of(const Candidate& candidate) const {
  const auto size = [&](std::string_view axis, int own) {
    const int at = index(axis);
    if (at < 0 || candidate[static_cast<std::size_t>(at)] == 0) {
      return own;
    }
    const std::string& name = move(candidate, axis)->name;
    return is_number(name) ? std::atoi(name.c_str()) : 1;
  };
  return {size("pipeline", stages_), size("virtual", virtual_stages_)};
}

Candidate Space::canonical(Candidate candidate) const {
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    const Dimension& dimension = dimensions_[i];
    if (candidate[i] != 0 && candidate[i] - 1 == dimension.present) {
      candidate[i] = 0;
    }
    if (candidate[i] == 0) {
      continue;
    }
    const Move& move = dimension.axis->moves[static_cast<std::size_t>(candidate[i] - 1)];
    if (!holds(dimension.axis->with, candidate) || !holds(move.with, candidate)) {
      candidate[i] = 0;
    } else if (move.loss_layers >= 0) {
      const auto [stages, virtual_stages] = stages_of(candidate);
      const int chunks = stages * virtual_stages;
      const bool own = stages == stages_ && virtual_stages == virtual_stages_;
      const bool useful = stages > 1 && chunks <= layers_ &&
                          !(own && is_present_layout(layout_text(
                                       layers_, prediction_depths_, chunks, move.loss_layers)));
      candidate[i] = useful && has_layouts_ ? candidate[i] : static_cast<Position>(0);
    }
  }
  return candidate;
}

bool Space::is_present_layout(std::string_view text) const {
  return layout_ && layout_->stages == expr::read_layout(text).stages;
}

void Space::lay_out(const Candidate& candidate, Edits& edits) const {
  constexpr std::string_view kLayout = "model.pipeline_model_parallel_layout";
  constexpr std::string_view kVirtual = "model.virtual_pipeline_model_parallel_size";
  const auto taken = [&](std::string_view axis) {
    const int at = index(axis);
    return at >= 0 && candidate[static_cast<std::size_t>(at)] != 0;
  };
  const bool asked = taken("layout");
  if (!has_layouts_ || (!asked && !taken("pipeline") && !taken("virtual"))) {
    return;
  }
  const auto [stages, virtual_stages] = stages_of(candidate);
  const int chunks = stages * virtual_stages;
  const bool even = layers_ % chunks == 0 && written_.empty();
  if (chunks == 1 || (even && !asked)) {
    return;
  }
  const std::string text = layout_text(
      layers_, prediction_depths_, chunks, asked ? move(candidate, "layout")->loss_layers : 0);
  std::erase_if(edits, [&](const Edit& edit) { return edit.field == kLayout; });
  if (text.empty() || is_present_layout(text)) {
    return;
  }
  edits.push_back({std::string(kLayout), expr::Value::of(text), false});
  for (const std::string& field : written_) {
    edits.push_back({field, expr::Value::unset(), true});
  }
  if (!separate_chunks_) {
    std::erase_if(edits, [&](const Edit& edit) { return edit.field == kVirtual; });
    edits.push_back({std::string(kVirtual), expr::Value::unset(), true});
  }
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
  lay_out(candidate, edits);
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

bool Space::possible(std::string_view axis, std::string_view move) const {
  const int at = index(axis);
  const int found = at < 0 ? -1 : dimensions_[static_cast<std::size_t>(at)].axis->find(move);
  return found >= 0 && made(static_cast<std::size_t>(at), found).possible;
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

namespace {

/// Layers of each chunk; empty if there are not enough.
std::vector<int> balanced(int layers, int prediction_depths, int chunks, int loss_layers) {
  const int weight = layers + prediction_depths + loss_layers;
  const int most = (weight + chunks - 1) / chunks;
  const auto count = static_cast<std::size_t>(chunks);
  std::vector<int> counts(count, most);
  counts.back() = std::max(most - prediction_depths - loss_layers, 0);
  int spare = -layers;
  for (const int each : counts) {
    spare += each;
  }
  std::vector<std::size_t> order{0, count - 1};  // which chunk gives up a layer first
  for (std::size_t i = 1; i + 1 < count; ++i) {
    order.push_back(i);
  }
  for (std::size_t i = 0; spare > 0 && i < order.size() * static_cast<std::size_t>(most); ++i) {
    int& each = counts[order[i % order.size()]];
    if (each > 0) {
      --each;
      --spare;
    }
  }
  for (std::size_t i = 1; spare < 0; i = i % (count - 1) + 1) {
    ++counts[i - 1];
    ++spare;
  }
  return counts;
}

}  // namespace

std::string layout_text(int layers, int prediction_depths, int chunks, int loss_layers) {
  if (chunks < 2 || layers < chunks - 1) {
    return "";
  }
  const std::vector<int> counts = balanced(layers, prediction_depths, chunks, loss_layers);
  std::vector<std::string> stages;
  for (const int count : counts) {
    stages.emplace_back(static_cast<std::size_t>(count), 't');
  }
  stages.front().insert(0, "E");
  stages.back() += std::string(static_cast<std::size_t>(prediction_depths), 'm') + "L";
  return expr::layout_text(stages);
}

}  // namespace epwise::advise
