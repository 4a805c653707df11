#include "advise/moves.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "base/embedded/archive.h"
#include "expr/archive.h"
#include "yaml/parse.h"
#include "yaml/reader.h"
#include "yaml/scalar.h"

namespace epwise::advise {

std::string_view to_string(Risk risk) {
  switch (risk) {
    case Risk::low:
      return "low";
    case Risk::medium:
      return "medium";
    case Risk::high:
      break;
  }
  return "high";
}

bool Move::gives(std::string_view field, const expr::Value& value) const {
  return std::ranges::any_of(sets, [&](const Setting& setting) {
    return std::ranges::find(setting.fields, field) != setting.fields.end() &&
           !setting.value.is_unset() && setting.value.equals(value);
  });
}

std::string title_of(const Axis& axis, const Move& move) {
  return axis.what + ": " + move.title;
}

int Axis::find(std::string_view move) const {
  const auto found = std::ranges::find(moves, move, &Move::name);
  return found == moves.end() ? -1 : static_cast<int>(found - moves.begin());
}

const Move* Axis::move(std::string_view called) const {
  const int place = find(called);
  return place < 0 ? nullptr : &moves[static_cast<std::size_t>(place)];
}

bool Axis::sets(std::string_view field) const {
  return std::ranges::any_of(moves, [&](const Move& move) {
    return std::ranges::any_of(move.sets, [&](const Setting& set) {
      return std::ranges::find(set.fields, field) != set.fields.end();
    });
  });
}

const Axis* Knowledge::axis(std::string_view name) const {
  const auto found = std::ranges::find(axes, name, &Axis::name);
  return found == axes.end() ? nullptr : &*found;
}

const PurposeAdvice* Knowledge::purpose(std::string_view name) const {
  const auto found = std::ranges::find(purposes, name, &PurposeAdvice::name);
  return found == purposes.end() ? nullptr : &*found;
}

namespace {

using yaml::MapReader;
using yaml::Node;

expr::Value value_of(const Node& node) {
  if (node.is_null()) {
    return expr::Value::unset();
  }
  if (node.is_sequence()) {
    expr::Value::List items;
    for (const Node& item : node.items) {
      items.push_back(value_of(item));
    }
    return expr::Value::of(std::move(items));
  }
  if (node.plain && (node.scalar == "true" || node.scalar == "false")) {
    return expr::Value::of(node.scalar == "true");
  }
  const bool digits = !node.scalar.empty() && node.plain &&
                      node.scalar.find_first_not_of("0123456789") == std::string::npos;
  if (digits) {
    return expr::Value::of(std::stoi(node.scalar));
  }
  const bool decimal = !node.scalar.empty() && node.plain &&
                       node.scalar.find_first_not_of("0123456789.") == std::string::npos;
  return decimal ? expr::Value::of(std::stod(node.scalar)) : expr::Value::of(node.scalar);
}

/// "a.x | b.x" → both.
std::vector<std::string> alternatives(std::string_view text) {
  constexpr std::string_view kOr = " | ";
  std::vector<std::string> names;
  for (auto at = text.find(kOr); at != std::string_view::npos; at = text.find(kOr)) {
    names.emplace_back(text.substr(0, at));
    text.remove_prefix(at + kOr.size());
  }
  names.emplace_back(text);
  return names;
}

class MovesReader {
 public:
  explicit MovesReader(std::vector<text::Diagnostic>& problems) : problems_(problems) {}

  void read_moves(const Node& root) {
    MapReader in(root, "moves", problems_);
    in.required("quick");
    knowledge_.quick = in.texts("quick");
    in.required("axes");
    if (const Node* axes = in.mapping("axes")) {
      for (const yaml::Entry& entry : axes->entries) {
        knowledge_.axes.push_back(read_axis(entry));
      }
      for (const Axis& axis : knowledge_.axes) {
        check_conditions(axis, axes->mark);
      }
    }
    in.finish();
  }

  void read_guidance(const Node& root) {
    MapReader in(root, "guidance", problems_);
    in.required("dispatchers");
    if (const Node* node = in.mapping("dispatchers")) {
      MapReader dispatchers(*node, "guidance about dispatchers", problems_);
      if (const Node* rows = dispatchers.sequence("by_hardware")) {
        for (const Node& row : rows->items) {
          knowledge_.by_hardware.push_back(read_hardware(row));
        }
      }
      if (const Node* row = dispatchers.mapping("otherwise")) {
        knowledge_.by_hardware.push_back(read_hardware(*row));
      }
      if (const Node* rows = dispatchers.sequence("by_experts")) {
        for (const Node& row : rows->items) {
          knowledge_.by_experts.push_back(read_experts(row));
        }
      }
      if (const Node* rows = dispatchers.sequence("by_model")) {
        for (const Node& row : rows->items) {
          knowledge_.families.push_back(read_family(row));
        }
      }
      dispatchers.finish();
    }
    read_measurements(in);
    read_walls(in);
    read_ladder(in);
    read_tolls(in);
    read_purposes(in);
    if (const Node* node = in.mapping("variables")) {
      for (const yaml::Entry& entry : node->entries) {
        knowledge_.variables.push_back({entry.key, entry.value.scalar});
      }
    }
    in.finish();
  }

  Knowledge take() { return std::move(knowledge_); }

 private:
  Axis read_axis(const yaml::Entry& entry) {
    MapReader in(entry.value, fmt::format("axis `{}`", entry.key), problems_);
    Axis axis;
    axis.name = entry.key;
    axis.group = in.required_text("group");
    axis.what = in.required_text("what");
    axis.tier = tier_of(in.text("tier").value_or("performance"), entry);
    in.required("order");
    axis.order = static_cast<int>(in.integer("order").value_or(0));
    axis.check = in.required_text("check");
    axis.sweep = in.boolean("sweep").value_or(false);
    axis.alone = in.boolean("alone").value_or(false);
    axis.only_to_fit = in.boolean("only_to_fit").value_or(false);
    axis.own_loop = in.boolean("own_loop").value_or(false);
    axis.with = read_conditions(in);
    read_limits(in, axis);
    Move like;
    like.fit = static_cast<int>(in.integer("fit").value_or(0));
    like.risk = risk_of(in.required_text("risk"), entry);
    like.because = in.required_text("because");
    read_values(in, like, axis);
    if (const Node* options = in.mapping("options")) {
      for (const yaml::Entry& option : options->entries) {
        axis.moves.push_back(read_move(option, like));
      }
    }
    if (axis.moves.size() < 2) {
      problem(entry.key_mark, fmt::format("axis `{}` has fewer than two moves", axis.name));
    }
    in.finish();
    return axis;
  }

  std::vector<Condition> read_conditions(MapReader& in) {
    std::vector<Condition> all;
    if (const Node* with = in.mapping("with")) {
      MapReader conditions(*with, "`with`", problems_);
      for (const yaml::Entry& condition : with->entries) {
        all.push_back({condition.key, conditions.texts(condition.key)});
      }
    }
    return all;
  }

  void read_limits(MapReader& in, Axis& axis) {
    const Node* rows = in.sequence("limits");
    if (rows == nullptr) {
      return;
    }
    for (const Node& row : rows->items) {
      MapReader one(row, "a limit", problems_);
      Limit limit;
      limit.field = one.required_text("field");
      limit.at_least = one.integer("at_least").value_or(0);
      limit.at_most = one.integer("at_most").value_or(0);
      one.finish();
      axis.limits.push_back(std::move(limit));
    }
  }

  static std::vector<Setting> settings_of(const Node& sets) {
    std::vector<Setting> settings;
    for (const yaml::Entry& set : sets.entries) {
      settings.push_back({alternatives(set.key), value_of(set.value)});
    }
    return settings;
  }

  void read_values(MapReader& in, const Move& like, Axis& axis) {
    const auto field = in.text("field");
    const auto drops = in.texts("drops");
    const Node* values = in.sequence("values");
    if (!field || values == nullptr) {
      return;
    }
    for (const Node& node : values->items) {
      Move move = like;
      const expr::Value value = value_of(node);
      move.name = value.is_unset() ? "none" : value.to_text();
      move.title = move.name;
      move.sets.push_back({alternatives(*field), value});
      move.drops = drops;
      axis.moves.push_back(std::move(move));
    }
  }

  Move read_move(const yaml::Entry& entry, const Move& like) {
    MapReader in(entry.value, fmt::format("move `{}`", entry.key), problems_);
    Move move = like;
    move.name = entry.key;
    move.title = in.text("title").value_or(entry.key);
    if (const auto risk = in.text("risk")) {
      move.risk = risk_of(*risk, entry);
    }
    move.because = in.text("because").value_or(like.because);
    in.required("sets");
    if (const Node* sets = in.mapping("sets")) {
      move.sets = settings_of(*sets);
    }
    if (const Node* sets = in.mapping("legacy")) {
      move.legacy = settings_of(*sets);
    }
    move.with = read_conditions(in);
    move.architectures = in.texts("architectures");
    move.after = in.texts("after");
    move.fit = static_cast<int>(in.integer("fit").value_or(like.fit));
    move.loss_layers = static_cast<int>(in.integer("loss_layers").value_or(-1));
    move.drops = in.texts("drops");
    move.alters = in.texts("alters");
    move.acts_on = in.texts("acts_on");
    move.launch = in.texts("launch");
    move.format = in.text("format").value_or("");
    if (!move.format.empty() && move.format != "bridge" && move.format != "mlm") {
      problem(entry.key_mark, fmt::format("`{}` is not a format: bridge or mlm", move.format));
    }
    move.stack = in.text("stack").value_or("");
    move.written = in.boolean("written").value_or(false);
    move.asked = in.boolean("asked").value_or(false);
    move.plain = in.boolean("plain").value_or(false);
    if (const Node* needs = in.mapping("needs")) {
      for (const yaml::Entry& need : needs->entries) {
        move.needs.push_back({need.key, need.value.scalar});
      }
    }
    in.finish();
    return move;
  }

  void check_conditions(const Axis& axis, const text::Mark& mark) {
    std::vector<Condition> all = axis.with;
    for (const Move& move : axis.moves) {
      all.insert(all.end(), move.with.begin(), move.with.end());
    }
    for (const Condition& condition : all) {
      const Axis* other = knowledge_.axis(condition.axis);
      if (other == nullptr) {
        problem(
            mark,
            fmt::format("`{}` depends on `{}`, which is not an axis", axis.name, condition.axis));
        continue;
      }
      for (const std::string& name : condition.moves) {
        if (other->find(name) < 0) {
          problem(mark, fmt::format("axis `{}` has no move `{}`", other->name, name));
        }
      }
    }
  }

  Guideline read_hardware(const Node& node) {
    MapReader in(node, "guidance by hardware", problems_);
    Guideline line;
    line.architectures = in.texts("architectures");
    line.names = {in.required_text("first")};
    line.says = in.required_text("says");
    in.finish();
    return line;
  }

  Guideline read_experts(const Node& node) {
    MapReader in(node, "guidance by expert ranks", problems_);
    Guideline line;
    in.required("up_to");
    line.up_to = static_cast<int>(in.integer("up_to").value_or(0));
    line.names = in.texts("names");
    line.architectures = in.texts("only");
    line.says = in.required_text("says");
    in.finish();
    return line;
  }

  ModelFamily read_family(const Node& node) {
    MapReader in(node, "guidance by model", problems_);
    ModelFamily family;
    family.name = in.required_text("name");
    family.sizes = read_sizes(in);
    family.vision = in.boolean("vision").value_or(false);
    family.says = in.required_text("says");
    in.finish();
    return family;
  }

  void read_measurements(MapReader& in) {
    in.required("measurements");
    if (const Node* rows = in.sequence("measurements")) {
      for (const Node& row : rows->items) {
        MapReader one(row, "a measurement", problems_);
        Measurement measurement;
        measurement.constants = one.texts("constants");
        measurement.what = one.required_text("measure");
        one.finish();
        knowledge_.measurements.push_back(std::move(measurement));
      }
    }
    knowledge_.any_measurement = in.required_text("otherwise");
  }

  void read_walls(MapReader& in) {
    in.required("walls");
    if (const Node* rows = in.sequence("walls")) {
      for (const Node& row : rows->items) {
        MapReader one(row, "a wall", problems_);
        Wall wall;
        wall.name = one.required_text("name");
        wall.terms = one.texts("terms");
        one.required("from");
        wall.from = one.number("from").value_or(0);
        wall.advice = one.required_text("try");
        one.finish();
        knowledge_.walls.push_back(std::move(wall));
      }
    }
    knowledge_.memory_advice = in.required_text("memory_wall");
  }

  void read_ladder(MapReader& in) {
    in.required("ladder");
    if (const Node* rows = in.sequence("ladder")) {
      for (const Node& row : rows->items) {
        MapReader one(row, "a rung", problems_);
        Rung rung;
        rung.name = one.required_text("name");
        rung.title = one.required_text("title");
        rung.axis = one.required_text("axis");
        rung.moves = one.texts("moves");
        rung.behind = one.text("behind").value_or("");
        one.finish();
        const Axis* axis = knowledge_.axis(rung.axis);
        for (const std::string& move : rung.moves) {
          if (axis == nullptr || axis->find(move) < 0) {
            problem(row.mark, fmt::format("axis `{}` has no move `{}`", rung.axis, move));
          }
        }
        knowledge_.ladder.push_back(std::move(rung));
      }
    }
  }

  void read_tolls(MapReader& in) {
    in.required("priced_settings");
    if (const Node* rows = in.sequence("priced_settings")) {
      for (const Node& row : rows->items) {
        MapReader one(row, "a priced setting", problems_);
        PricedSetting setting;
        setting.rule = one.required_text("rule");
        setting.axis = one.required_text("axis");
        setting.moves = one.texts("moves");
        setting.wall = one.text("wall").value_or("");
        setting.lost = one.text("lost").value_or("");
        setting.says = one.required_text("says");
        setting.remedy = one.required_text("remedy");
        one.finish();
        const Axis* axis = knowledge_.axis(setting.axis);
        if (axis == nullptr) {
          problem(row.mark, fmt::format("there is no axis `{}`", setting.axis));
        }
        for (const std::string& move : setting.moves) {
          if (axis != nullptr && axis->find(move) < 0) {
            problem(row.mark, fmt::format("axis `{}` has no move `{}`", setting.axis, move));
          }
        }
        if (!setting.wall.empty() &&
            std::ranges::find(knowledge_.walls, setting.wall, &Wall::name) ==
                knowledge_.walls.end()) {
          problem(row.mark, fmt::format("there is no wall `{}`", setting.wall));
        }
        knowledge_.priced_settings.push_back(std::move(setting));
      }
    }
  }

  void read_purposes(MapReader& in) {
    in.required("purposes");
    if (const Node* rows = in.sequence("purposes")) {
      for (const Node& row : rows->items) {
        MapReader one(row, "a purpose", problems_);
        PurposeAdvice purpose;
        purpose.name = one.required_text("name");
        purpose.settles = one.texts("settles");
        purpose.procedure = one.texts("procedure");
        one.finish();
        knowledge_.purposes.push_back(std::move(purpose));
      }
    }
  }

  lint::Tier tier_of(std::string_view text, const yaml::Entry& entry) {
    for (const lint::Tier tier :
         {lint::Tier::neutral, lint::Tier::performance, lint::Tier::training}) {
      if (text == lint::to_string(tier)) {
        return tier;
      }
    }
    problem(entry.key_mark, fmt::format("`{}` is not a tier", text));
    return lint::Tier::performance;
  }

  Risk risk_of(std::string_view text, const yaml::Entry& entry) {
    for (const Risk risk : {Risk::low, Risk::medium, Risk::high}) {
      if (text == to_string(risk)) {
        return risk;
      }
    }
    problem(entry.key_mark, fmt::format("`{}` is not a risk level: low, medium or high", text));
    return Risk::medium;
  }

  void problem(const text::Mark& mark, std::string message) {
    problems_.push_back({"config/invalid", mark, std::move(message), {}, {}});
  }

  std::vector<text::Diagnostic>& problems_;
  Knowledge knowledge_;
};

}  // namespace

Knowledge read_knowledge(const text::SourceFile& moves,
                         const text::SourceFile& guidance,
                         std::vector<text::Diagnostic>& problems) {
  MovesReader reader(problems);
  for (const text::SourceFile* file : {&moves, &guidance}) {
    const yaml::Stream stream = yaml::parse(*file);
    problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
    if (!stream.readable || stream.documents.empty()) {
      return {};
    }
    const Node& root = stream.documents.front().root;
    file == &moves ? reader.read_moves(root) : reader.read_guidance(root);
  }
  return reader.take();
}

template <class Archive>
void transfer(Archive& archive, Setting& x) {
  archive(x.fields, x.value);
}

template <class Archive>
void transfer(Archive& archive, Need& x) {
  archive(x.rule, x.what);
}

template <class Archive>
void transfer(Archive& archive, Condition& x) {
  archive(x.axis, x.moves);
}

template <class Archive>
void transfer(Archive& archive, Limit& x) {
  archive(x.field, x.at_least, x.at_most);
}

template <class Archive>
void transfer(Archive& archive, Move& x) {
  archive(
      x.name, x.title, x.sets, x.legacy, x.with, x.architectures, x.after, x.fit, x.loss_layers);
  archive(x.drops,
          x.needs,
          x.alters,
          x.acts_on,
          x.format,
          x.stack,
          x.written,
          x.asked,
          x.plain,
          x.launch,
          x.risk,
          x.because);
}

template <class Archive>
void transfer(Archive& archive, Axis& x) {
  archive(x.name, x.group, x.what, x.tier, x.order, x.check, x.sweep, x.alone, x.only_to_fit);
  archive(x.own_loop, x.limits, x.with, x.moves);
}

template <class Archive>
void transfer(Archive& archive, Guideline& x) {
  archive(x.architectures, x.up_to, x.names, x.says);
}

template <class Archive>
void transfer(Archive& archive, Measurement& x) {
  archive(x.constants, x.what);
}

template <class Archive>
void transfer(Archive& archive, Variable& x) {
  archive(x.name, x.what);
}

template <class Archive>
void transfer(Archive& archive, Wall& x) {
  archive(x.name, x.terms, x.from, x.advice);
}

template <class Archive>
void transfer(Archive& archive, Rung& x) {
  archive(x.name, x.title, x.axis, x.moves, x.behind);
}

template <class Archive>
void transfer(Archive& archive, PricedSetting& x) {
  archive(x.rule, x.axis, x.moves, x.wall, x.lost, x.says, x.remedy);
}

template <class Archive>
void transfer(Archive& archive, PurposeAdvice& x) {
  archive(x.name, x.settles, x.procedure);
}

template <class Archive>
void transfer(Archive& archive, LatentSizes& x) {
  archive(x.query, x.key_value, x.head, x.rotary, x.value);
}

template <class Archive>
void transfer(Archive& archive, ModelSizes& x) {
  archive(x.layers, x.hidden, x.experts, x.topk);
}

template <class Archive>
void transfer(Archive& archive, ModelFamily& x) {
  archive(x.name, x.sizes, x.vision, x.says);
}

template <class Archive>
void transfer(Archive& archive, PublishedRun& x) {
  archive(x.dispatcher, x.figure);
}

template <class Archive>
void transfer(Archive& archive, PublishedRuns& x) {
  archive(x.model, x.sizes, x.hw, x.architecture, x.gpus, x.expert_ranks, x.precision, x.unit);
  archive(x.runs, x.ids, x.source, x.date, x.status, x.caution);
}

template <class Archive>
void transfer(Archive& archive, KnownModel& x) {
  archive(x.name, x.source, x.total, x.active, x.layers, x.hidden, x.heads, x.groups, x.head);
  archive(x.experts, x.topk, x.ffn, x.shared, x.vocabulary, x.dense_layers, x.dense_ffn, x.latent);
}

namespace {

template <class Archive>
void transfer_all(Archive& archive, Knowledge& x) {
  archive(x.quick, x.axes, x.by_hardware, x.by_experts, x.measurements, x.any_measurement);
  archive(x.variables, x.walls, x.memory_advice, x.ladder, x.priced_settings, x.models);
  archive(x.families, x.published, x.purposes);
}

}  // namespace

std::string pack(const Knowledge& knowledge) {
  Knowledge copy = knowledge;
  embedded::Writer writer;
  transfer_all(writer, copy);
  return writer.bytes();
}

Knowledge unpack(std::string_view bytes) {
  Knowledge knowledge;
  embedded::Reader reader(bytes);
  transfer_all(reader, knowledge);
  if (!reader.at_end()) {
    throw std::runtime_error("the compiled table of advice is damaged");
  }
  return knowledge;
}

}  // namespace epwise::advise
