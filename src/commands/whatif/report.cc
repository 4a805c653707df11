#include "commands/whatif/report.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/json.h"

namespace epwise::report {

namespace {

using whatif::Axis;
using whatif::Look;
using whatif::Segment;
using whatif::Sweep;

constexpr int kGap = 2;

struct AnswerCell {
  std::string text;
  Role role = Role::plain;
};

using Row = std::vector<AnswerCell>;

std::string point_text(const Axis& axis, std::size_t point) {
  return axis.points[point] + (point == axis.present ? "*" : "");
}

std::string segment_text(const Axis& axis, const Segment& segment) {
  if (segment.first == segment.last) {
    return point_text(axis, segment.first);
  }
  const bool neighbours = segment.last == segment.first + 1;
  return fmt::format("{}{}{}",
                     point_text(axis, segment.first),
                     neighbours ? ", " : " to ",
                     point_text(axis, segment.last));
}

AnswerCell launch_cell(const Look& look) {
  switch (look.launch.verdict) {
    case lint::Verdict::starts:
      return {"starts", Role::good};
    case lint::Verdict::rejects:
      return {fmt::format("{}rejects{}",
                          look.cause == nullptr ? "" : fmt::format("{} ", look.cause->code),
                          look.accepted ? " (accepted)" : ""),
              look.accepted ? Role::warning : Role::error};
    case lint::Verdict::undecided:
      break;
  }
  return {"open", Role::dim};
}

AnswerCell rule_cell(const Look& look, const lint::Rule* rule) {
  const auto* sighting = look.find(rule);
  if (sighting == nullptr) {
    return {"-", Role::dim};
  }
  if (sighting->open) {
    return {"open", Role::dim};
  }
  return {std::string(lint::to_string(sighting->severity)), role_of(sighting->severity)};
}

std::string rows_text(const std::vector<Row>& rows, const Paint& paint) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = "  ";
    int blanks = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += std::string(static_cast<std::size_t>(blanks), ' ') + paint(row[i].role, row[i].text);
      blanks = widths[i] - display_width(row[i].text) + kGap;
    }
    out += line + '\n';
  }
  return out;
}

/// As many columns as fit, the others in a table below.
std::vector<std::pair<std::size_t, std::size_t>> pages(const std::vector<Row>& rows, int width) {
  std::vector<int> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i].text) + kGap);
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> result;
  std::size_t first = 1;
  int used = widths[0] + kGap;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    if (used + widths[i] > width + kGap && i > first) {
      result.emplace_back(first, i);
      first = i;
      used = widths[0] + kGap;
    }
    used += widths[i];
  }
  result.emplace_back(first, widths.size());
  return result;
}

std::vector<Row> table_of(const Sweep& sweep, const Axis& axis) {
  std::vector<Row> rows(2 + sweep.changing.size());
  rows[0].push_back({"", Role::plain});
  rows[1].push_back({"launch", Role::plain});
  for (std::size_t i = 0; i < sweep.changing.size(); ++i) {
    const auto* rule = sweep.changing[i];
    rows[i + 2].push_back({fmt::format("{} ({})", rule->id, rule->code), Role::plain});
  }
  for (const auto& segment : sweep.segments) {
    const auto& look = sweep.looks[segment.first];
    rows[0].push_back({segment_text(axis, segment), Role::strong});
    rows[1].push_back(launch_cell(look));
    for (std::size_t i = 0; i < sweep.changing.size(); ++i) {
      rows[i + 2].push_back(rule_cell(look, sweep.changing[i]));
    }
  }
  return rows;
}

class WhatifText {
 public:
  WhatifText(const WhatifReport& report, const Style& style)
      : report_(report),
        question_(report.question),
        answer_(report.answer),
        style_(style),
        paint_(style.colour, style.hyperlinks) {}

  std::string run() {
    say(fmt::format("{}: {}", report_.path, report_.against));
    for (const auto& sweep : answer_.sweeps) {
      add(sweep);
    }
    out_ += '\n';
    add_steady();
    add_clean();
    return out_;
  }

 private:
  void say(const std::string& sentence, int hang = 4) {
    bool first = true;
    for (const auto& line : wrap(printable(sentence, style_.unicode), style_.width - hang)) {
      out_ += (first ? "" : std::string(static_cast<std::size_t>(hang), ' ')) + line + '\n';
      first = false;
    }
  }

  void add(const Sweep& sweep) {
    const auto& axis = question_.axes[sweep.axis];
    out_ += '\n';
    say(fmt::format("{}: {}, {}; {} {}*",
                    axis.name,
                    counted(static_cast<int>(axis.points.size()), "point"),
                    axis.taken,
                    axis.assumed ? "not given, assumed" : "now",
                    axis.points[axis.present]));
    if (style_.verbose) {
      say(fmt::format("  points: {}", points_text(axis)));
    }
    if (const auto tables = tables_text(sweep, axis); !tables.empty()) {
      say(fmt::format("  tables: {}", tables));
    }
    if (sweep.segments.size() == 1) {
      out_ += "  same result at every point\n";
      return;
    }
    const auto rows = table_of(sweep, axis);
    for (const auto& [first, last] : pages(rows, style_.width)) {
      std::vector<Row> page;
      for (const auto& row : rows) {
        page.push_back({row.front()});
        page.back().insert(page.back().end(),
                           row.begin() + static_cast<std::ptrdiff_t>(first),
                           row.begin() + static_cast<std::ptrdiff_t>(last));
      }
      out_ += rows_text(page, paint_);
    }
  }

  /// All points; a Bridge version with the Megatron-Core that it pins.
  std::string points_text(const Axis& axis) const {
    std::vector<std::string> all = axis.points;
    for (auto& point : all) {
      const auto& pins = question_.knowledge().tables.pins;
      const auto pin = std::ranges::find(pins, point, &lint::Pin::bridge);
      if (axis.name == "bridge" && pin != pins.end()) {
        point += fmt::format(" (mcore {})", pin->core);
      }
    }
    return fmt::format("{}", fmt::join(all, ", "));
  }

  /// Versions without their own tables, and whose they use: "0.4.1, 0.4.2 take the tables of
  /// 0.4.0".
  static std::string tables_text(const Sweep& sweep, const Axis& axis) {
    std::string text;
    for (std::size_t first = 0; first < sweep.looks.size();) {
      const auto& look = sweep.looks[first];
      auto end = first + 1;
      while (end < sweep.looks.size() && !look.version_unknown.empty() &&
             !sweep.looks[end].version_unknown.empty() &&
             sweep.looks[end].framework_version == look.framework_version) {
        ++end;
      }
      if (look.version_unknown == axis.points[first]) {
        const auto count = end - first;
        text += fmt::format("{}{}{} {} the tables of {}",
                            text.empty() ? "" : "; ",
                            axis.points[first],
                            count == 1   ? ""
                            : count == 2 ? ", " + axis.points[end - 1]
                                         : " to " + axis.points[end - 1],
                            count == 1 ? "takes" : "take",
                            look.framework_version);
      }
      first = end;
    }
    return text;
  }

  void add_steady() {
    std::vector<std::string> found;
    int advice = 0;
    int open = 0;
    for (const auto* rule : answer_.steady) {
      const auto* sighting = answer_.present.find(rule);
      const bool blocks =
          std::ranges::find(answer_.present.blockers, rule) != answer_.present.blockers.end();
      if (sighting->open) {
        ++open;
      } else if (blocks || style_.verbose) {
        told_.push_back(rule);
        found.push_back(
            fmt::format("{} ({}, {})", rule->id, rule->code, lint::to_string(sighting->severity)));
      } else {
        ++advice;
      }
    }
    if (!found.empty()) {
      say(fmt::format("same at every point: {}", fmt::join(found, ", ")));
    }
    std::vector<std::string> rest;
    if (advice > 0) {
      rest.push_back(counted(advice, "finding") + " below the threshold");
    }
    if (open > 0) {
      rest.push_back(counted(open, "undecided rule"));
    }
    if (!rest.empty()) {
      say(fmt::format("and at every point: {}{}",
                      fmt::join(rest, ", "),
                      style_.verbose ? "" : " (-v lists the findings, `epwise lint` everything)"));
    }
  }

  void add_clean() {
    const auto stuck = ids(answer_.stuck);
    if (!answer_.stuck.empty()) {
      say(fmt::format("no combination of these points fixes {}: change the recipe",
                      answer_.stuck == told_ && told_.size() > kMostRepeated
                          ? fmt::format("these {}", told_.size())
                          : stuck));
    }
    const std::string_view clean = answer_.stuck.empty() ? "clean" : "apart from that, clean";
    if (!answer_.searched_all) {
      say("clean: not searched, too many combinations; narrow the axes");
    } else if (!answer_.clean) {
      say(fmt::format("{}none of the combinations ({} linted) is clean{}",
                      answer_.stuck.empty() ? "" : "apart from that, ",
                      answer_.looked_at,
                      nearest()));
    } else if (answer_.clean->changed.empty()) {
      const auto taken = spot();
      say(fmt::format(
          "{}: on {} target{}", clean, taken.empty() ? "the present" : "the assumed", taken));
    } else {
      say(fmt::format("{}: with {}: {}{}",
                      clean,
                      counted(static_cast<int>(answer_.clean->changed.size()), "change"),
                      changes(*answer_.clean),
                      spot()));
    }
    if (answer_.clean && answer_.clean->look.accepted) {
      say("    it would not start there; what stops it is accepted, not selected or below "
          "--fail-on");
    }
    if (answer_.clean && answer_.clean->look.launch.verdict == lint::Verdict::undecided) {
      say(fmt::format("    the launch is undecided there: unknown {}",
                      fmt::join(answer_.clean->look.launch.needs, ", ")));
    }
  }

  static std::string ids(const std::vector<const lint::Rule*>& rules) {
    std::vector<std::string> all;
    for (const auto* rule : rules) {
      all.push_back(fmt::format("{} ({})", rule->id, rule->code));
    }
    return fmt::format("{}", fmt::join(all, ", "));
  }

  /// "; nearest: gpus 16 → 8 leaves shape/expert-world (PAR002)".
  std::string nearest() const {
    if (!answer_.nearest) {
      return "";
    }
    const auto& near = *answer_.nearest;
    std::vector<const lint::Rule*> left;
    for (const auto* rule : near.look.blockers) {
      if (std::ranges::find(answer_.stuck, rule) == answer_.stuck.end()) {
        left.push_back(rule);
      }
    }
    return fmt::format("; {} leaves {}",
                       near.changed.empty() ? "the present combination" : changes(near),
                       ids(left));
  }

  /// ", with te 2.14.0": values that were not given.
  std::string spot() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < question_.axes.size(); ++i) {
      const auto& axis = question_.axes[i];
      if (axis.assumed && answer_.clean->spot[i] == axis.present) {
        all.push_back(fmt::format("{} {}", axis.name, axis.points[axis.present]));
      }
    }
    return all.empty() ? "" : fmt::format(", with {}", fmt::join(all, ", "));
  }

  std::string changes(const whatif::Choice& choice) const {
    std::vector<std::string> all;
    for (const auto index : choice.changed) {
      const auto& axis = question_.axes[index];
      all.push_back(fmt::format(
          "{} {} → {}", axis.name, axis.points[axis.present], axis.points[choice.spot[index]]));
    }
    return fmt::format("{}", fmt::join(all, ", "));
  }

  static constexpr std::size_t kMostRepeated = 3;

  const WhatifReport& report_;
  std::vector<const lint::Rule*> told_;  // listed as the same at every point
  const whatif::Question& question_;
  const whatif::Answer& answer_;
  const Style& style_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string whatif_text(const WhatifReport& report, const Style& style) {
  return WhatifText(report, style).run();
}

namespace {

Json axis_json(const whatif::Axis& axis) {
  return {{"name", axis.name},
          {"points", axis.points},
          {"present", axis.points[axis.present]},
          {"assumed", axis.assumed},
          {"taken", axis.taken}};
}

Json launch_errors_json(const lint::Launch& launch) {
  return {{"verdict", lint::to_string(launch.verdict)},
          {"rule", launch.rule == nullptr ? Json() : Json(launch.rule->id)},
          {"stage", launch.stage}};
}

/// "error", "warning", "note", "open", or null for nothing.
Json state_json(const whatif::Look& look, const lint::Rule* rule) {
  const auto* sighting = look.find(rule);
  if (sighting == nullptr) {
    return nullptr;
  }
  return sighting->open ? Json("open") : Json(lint::to_string(sighting->severity));
}

/// Ranges of points with the same result of a rule, omitting those without a result.
Json intervals_json(const lint::Rule* rule, const whatif::Sweep& sweep, const whatif::Axis& axis) {
  Json intervals = Json::array();
  Json last;
  for (std::size_t i = 0; i < sweep.looks.size(); ++i) {
    const Json state = state_json(sweep.looks[i], rule);
    if (!state.is_null() && state == last) {
      intervals.back()["to"] = axis.points[i];
    } else if (!state.is_null()) {
      const auto* sighting = sweep.looks[i].find(rule);
      intervals.push_back({{"from", axis.points[i]},
                           {"to", axis.points[i]},
                           {"state", state},
                           {"message", sighting->message},
                           {"needs", sighting->needs}});
    }
    last = state;
  }
  return intervals;
}

Json axis_sweep_json(const whatif::Sweep& sweep, const whatif::Axis& axis) {
  Json launches = Json::array();
  for (std::size_t i = 0; i < sweep.looks.size(); ++i) {
    Json launch = launch_errors_json(sweep.looks[i].launch);
    launch["point"] = axis.points[i];
    launch["tables"] = sweep.looks[i].framework_version;
    launches.push_back(launch);
  }
  Json rules = Json::array();
  for (const auto* rule : sweep.changing) {
    rules.push_back(
        {{"id", rule->id}, {"code", rule->code}, {"intervals", intervals_json(rule, sweep, axis)}});
  }
  return {{"axis", axis.name}, {"launch", launches}, {"rules", rules}};
}

Json clean_json(const whatif::Choice& clean, const std::vector<whatif::Axis>& axes) {
  Json values = Json::object();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    values[axes[i].name] = axes[i].points[clean.spot[i]];
  }
  Json changes = Json::array();
  for (const auto axis : clean.changed) {
    changes.push_back({{"axis", axes[axis].name},
                       {"from", axes[axis].points[axes[axis].present]},
                       {"to", axes[axis].points[clean.spot[axis]]}});
  }
  return {
      {"changes", changes}, {"target", values}, {"launch", launch_errors_json(clean.look.launch)}};
}

Json ids(const std::vector<const lint::Rule*>& rules) {
  Json all = Json::array();
  for (const auto* rule : rules) {
    all.push_back(rule->id);
  }
  return all;
}

}  // namespace

std::string whatif_json(const WhatifReport& report,
                        const std::vector<session::NewerRelease>& newer) {
  const auto& axes = report.question.axes;
  const auto& answer = report.answer;
  Json all_axes = Json::array();
  for (const auto& axis : axes) {
    all_axes.push_back(axis_json(axis));
  }
  Json sweeps = Json::array();
  for (const auto& sweep : answer.sweeps) {
    sweeps.push_back(axis_sweep_json(sweep, axes[sweep.axis]));
  }
  Json json = {{"schema", "epwise.whatif/1"},
               {"path", report.path},
               {"framework", recipe::to_string(report.framework)},
               {"axes", all_axes},
               {"present", launch_errors_json(answer.present.launch)},
               {"sweeps", sweeps},
               {"steady", ids(answer.steady)},
               {"stuck", ids(answer.stuck)},
               {"clean", answer.clean ? clean_json(*answer.clean, axes) : Json()},
               {"searched_all", answer.searched_all},
               {"linted", answer.looked_at}};
  add_newer_releases(newer, json);
  return json_text(json);
}

}  // namespace epwise::report
