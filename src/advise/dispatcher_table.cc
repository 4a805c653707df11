#include "advise/dispatcher_table.h"

#include <algorithm>
#include <set>

#include "advise/decision.h"
#include "model/workload.h"

namespace epwise::advise {

namespace {

constexpr std::string_view kDispatcher = "dispatcher";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// What documents say about a dispatcher on this hardware at this number of expert ranks.
std::string guidance_for(std::string_view name, const Study& study) {
  const std::string& architecture = study.world.bench.target.hw->architecture;
  std::vector<std::string> words;
  bool known = false;
  for (const Guideline& line : study.knowledge.by_hardware) {
    const bool fits =
        contains(line.architectures, architecture) || (line.architectures.empty() && !known);
    known = known || contains(line.architectures, architecture);
    if (fits && contains(line.names, name)) {
      words.push_back(line.says);
    }
  }
  const int ranks = study.present.job->parallel.expert * study.present.job->parallel.expert_tensor;
  for (const Guideline& line : study.knowledge.by_experts) {
    const bool here = line.architectures.empty() || contains(line.architectures, architecture);
    if (ranks <= line.up_to && here) {
      if (contains(line.names, name)) {
        words.push_back(line.says);
      }
      break;
    }
  }
  std::string text;
  for (const std::string& each : words) {
    text += (text.empty() ? "" : "; ") + each;
  }
  return text;
}

struct Row {
  DispatcherRow row;
  Prospect prospect;
};

void rank(std::vector<Row>& rows, const Study& study) {
  const auto is_ranked = [](const Row& row) {
    return row.row.legality.legal && row.row.step.has_value();
  };
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    if (is_ranked(a) != is_ranked(b)) {
      return is_ranked(a);
    }
    return is_ranked(a) && a.row.step->value < b.row.step->value;
  });
  for (std::size_t i = 0; i < rows.size() && is_ranked(rows[i]); ++i) {
    DispatcherRow& row = rows[i].row;
    row.rank = static_cast<int>(i) + 1;
    if (i == 0) {
      continue;
    }
    const sim::StepWork& first = *rows.front().prospect.work;
    const sim::StepWork& own = *rows[i].prospect.work;
    row.tie = sim::compare(own, first, study.world.constants).verdict == sim::Verdict::too_close;
    if (row.tie) {
      rows.front().row.tie = true;
      row.measurement = deciding_measurement(own, first, study.world.constants, study.knowledge);
    }
  }
}

}  // namespace

Legality legality_of(const Prospect& prospect) {
  const Assessment& assessment = prospect.assessment;
  Legality legality{assessment.legal, assessment.blocked, assessment.problem, {}};
  if (assessment.legal) {
    legality.companions = assessment.companions;
  } else if (assessment.blocked != nullptr) {
    legality.reason = assessment.blocked->what;
  }
  return legality;
}

std::vector<DispatcherRow> dispatcher_table(const Study& study) {
  std::vector<Row> rows;
  const Axis* axis = study.knowledge.axis(kDispatcher);
  const Move* present = study.space.move(study.space.start(), kDispatcher);
  for (const Move& move : axis->moves) {
    const Candidate candidate = study.space.with(study.space.start(), kDispatcher, move.name);
    const bool own = present == &move;
    Row row;
    row.row.name = move.name;
    row.row.present = own;
    row.row.guidance = guidance_for(move.name, study);
    if (!own && !move.stack.empty() && !study.assessor.terrain().plain().stack_has(move.stack)) {
      continue;
    }
    if (!own && !study.space.possible(candidate)) {
      row.row.legality.reason = "this version of the framework doesn't have it";
      rows.push_back(std::move(row));
      continue;
    }
    row.prospect = own ? study.present : study.assessor.prospect(candidate);
    row.row.legality = own ? Legality{true, nullptr, {}, {}} : legality_of(row.prospect);
    if (row.prospect.work != nullptr) {
      row.row.step = step_range(*row.prospect.work, study.world);
      row.row.needed_memory = row.prospect.assessment.needed_memory;
      row.row.fits = row.prospect.assessment.fits;
      row.row.sms = row.prospect.job->exchange.sms;
    }
    rows.push_back(std::move(row));
  }
  rank(rows, study);
  std::vector<DispatcherRow> table;
  for (Row& row : rows) {
    table.push_back(std::move(row.row));
  }
  return table;
}

}  // namespace epwise::advise
