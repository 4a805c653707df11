#include "report/diff/writer.h"
#include "report/json_text.h"

namespace epwise::report {
namespace {

Json told_v1(const std::vector<review::Told>& findings) {
  Json json = Json::array();
  for (const review::Told& each : findings) {
    json.push_back({{"rule", each.rule},
                    {"severity", lint::to_string(each.severity)},
                    {"message", each.message}});
  }
  return json;
}

Json range_v1(const sim::Range& range) {
  return {{"value", range.value}, {"low", range.low}, {"high", range.high}};
}

Json prediction_v1(const sim::Prediction& prediction) {
  return {{"step_time", range_v1(prediction.step_time)},
          {"memory", range_v1(prediction.needed_memory)}};
}

Json sentence_or_null(const std::string& sentence) {
  return sentence.empty() ? Json(nullptr) : Json(sentence);
}

}  // namespace

std::string diff_json(const RecipeDifference& recipes) {
  Json changed = Json::array();
  for (const review::Changed& each : recipes.difference.changed) {
    changed.push_back({{"field", each.field},
                       {"before", each.before},
                       {"after", each.after},
                       {"effect", review::to_string(each.effect)},
                       {"about", each.about},
                       {"rules", each.rules}});
  }
  Json wanted = Json::array();
  for (const review::Wanted& each : recipes.difference.wanted) {
    wanted.push_back({{"field", each.field}, {"value", each.value}, {"rule", each.rule}});
  }
  Json json = {{"schema", "epwise.diff/1"},
               {"before", recipes.before},
               {"after", recipes.after},
               {"target", recipes.target},
               {"changed", std::move(changed)},
               {"introduced", told_v1(recipes.difference.introduced)},
               {"removed", told_v1(recipes.difference.removed)},
               {"wanted", std::move(wanted)},
               {"coupled", recipes.difference.coupled},
               {"stopped",
                {{"before", sentence_or_null(recipes.stopped_before)},
                 {"after", sentence_or_null(recipes.stopped_after)}}},
               {"predicted", nullptr}};
  if (recipes.predicted_before && recipes.predicted_after) {
    json["predicted"] = {{"before", prediction_v1(*recipes.predicted_before)},
                         {"after", prediction_v1(*recipes.predicted_after)}};
    if (recipes.comparison) {
      const sim::Range& speedup = recipes.comparison->speedup;
      json["predicted"]["step_time_ratio"] =
          range_v1({1 / speedup.value, 1 / speedup.high, 1 / speedup.low});
      json["predicted"]["verdict"] = recipes.comparison->verdict == sim::Verdict::too_close
                                         ? "too_close"
                                     : recipes.comparison->verdict == sim::Verdict::b ? "faster"
                                                                                      : "slower";
    }
  }
  return json_text(json);
}

std::string diff_json(const OneSided& recipe) {
  const Json json = {{"schema", "epwise.diff/1"},
                     {"path", recipe.path},
                     {"only", recipe.added ? "added" : "removed"},
                     {"introduced", told_v1(recipe.introduced)},
                     {"stopped", sentence_or_null(recipe.stopped)},
                     {"named_by", recipe.named_by}};
  return json_text(json);
}

std::string diffs_json(const std::vector<std::string>& pairs) {
  constexpr std::string_view kDeeper = "    ";
  std::string text = "{\n  \"schema\": \"epwise.diffs/1\",\n  \"recipes\": [";
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += kDeeper;
    const std::string_view pair = std::string_view(pairs[i]).substr(0, pairs[i].size() - 1);
    for (const char c : pair) {  // inside of a string a line feed is written as \\n
      text += c;
      text += c == '\n' ? kDeeper : "";
    }
  }
  return text + "\n  ]\n}\n";
}

}  // namespace epwise::report
