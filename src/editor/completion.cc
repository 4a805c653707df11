#include "editor/completion.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "editor/cursor.h"
#include "editor/json.h"
#include "editor/known_words.h"
#include "text/spelling.h"
#include "yaml/literal.h"

namespace epwise::editor {

namespace {

// Kinds of items, as the protocol numbers them.
constexpr int kModule = 9;
constexpr int kProperty = 10;
constexpr int kValue = 12;
constexpr int kNearest = 5;

struct Offer {
  std::string label;
  std::string detail;
  std::string text;  // what is written
  int kind = kProperty;
};

std::string type_text(const recipe::FieldSpec& spec) {
  std::string text(expr::to_string(spec.type.kind));
  if (spec.has_default && spec.default_value.is_known()) {
    text += fmt::format(", by default {}", spec.default_value.to_text());
  }
  return text;
}

std::string joined(const std::vector<std::string>& path) {
  return fmt::format("{}", fmt::join(path, "."));
}

std::string rendered(const std::string& word) {
  return yaml::render(yaml::Literal::of_text(word));
}

std::string folded(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return result;
}

/// The recipe whose document holds the cursor.
const Sheet* sheet_at(const Reading& known, std::size_t offset) {
  const Sheet* best = known.sheets.empty() ? nullptr : &known.sheets.front();
  for (const Sheet& sheet : known.sheets) {
    const bool here = sheet.recipe->root.file == known.file.get();
    best = here && sheet.recipe->root.begin <= offset ? &sheet : best;
  }
  return best;
}

/// What can stand in one recipe.
class Offers {
 public:
  Offers(const Reading& known, const Sheet& sheet, const Cursor& cursor)
      : known_(known),
        recipe_(*sheet.recipe),
        vocabulary_(*sheet.vocabulary),
        cursor_(cursor) {}

  std::vector<Offer> all() {
    const bool bridge = recipe_.framework == recipe::Framework::bridge;
    if (cursor_.place == Cursor::Place::value) {
      bridge ? bridge_values() : flag_values();
    } else if (bridge) {
      bridge_keys();
    } else {
      argument_keys();
    }
    return std::move(offers_);
  }

 private:
  void add_key(std::string label, std::string detail, int kind = kProperty) {
    const auto& there = cursor_.siblings;
    if (std::ranges::find(there, label) != there.end()) {
      return;
    }
    const std::string behind = cursor_.has_colon ? "" : kind == kModule ? ":" : ": ";
    std::string text = label + behind;
    offers_.push_back({std::move(label), std::move(detail), std::move(text), kind});
  }

  void add_value(const std::string& word, std::string text, const std::string& detail = {}) {
    const auto known = std::ranges::find(offers_, word, &Offer::label);
    if (known == offers_.end()) {
      offers_.push_back({word, detail, std::move(text), kValue});
    }
  }

  void bridge_keys() {
    const std::string above = joined(cursor_.path);
    if (above == "env_vars") {
      variables();
      return;
    }
    for (const recipe::FieldSpec& spec : vocabulary_.fields()) {
      const std::string path = recipe_.path_of(spec.name);
      const auto dot = path.rfind('.');
      const auto parent = dot == std::string::npos ? "" : path.substr(0, dot);
      if (parent == above) {
        const bool section = above.empty() && vocabulary_.has_section(spec.name);
        add_key(dot == std::string::npos ? path : path.substr(dot + 1),
                section ? "section" : type_text(spec),
                section ? kModule : kProperty);
      }
    }
  }

  void variables() {
    constexpr std::string_view kPrefix = "env.";
    const auto& names = known_.knowledge->names;
    std::vector<std::string> all;
    for (int slot = 0; slot < names.size(); ++slot) {
      if (names.name(slot).starts_with(kPrefix)) {
        all.emplace_back(names.name(slot).substr(kPrefix.size()));
      }
    }
    std::ranges::sort(all);
    for (std::string& name : all) {
      add_key(std::move(name), "a variable that rules read");
    }
  }

  void argument_keys() {
    if (cursor_.path.empty()) {
      for (const char* name : {"MODEL_ARGS", "ENV_VARS"}) {
        add_key(name, "section", kModule);
      }
    } else if (cursor_.path.front() == "ENV_VARS") {
      variables();
    } else if (cursor_.path == std::vector<std::string>{"MODEL_ARGS"}) {
      for (const recipe::Flag& flag : vocabulary_.flags()) {
        for (const std::string_view spelling : flag.spellings) {
          if (spelling.starts_with("--")) {
            add_key(std::string(spelling), flag_text(flag));
          }
        }
      }
    }
  }

  std::string flag_text(const recipe::Flag& flag) const {
    const auto* spec = vocabulary_.find_attribute(flag.attribute);
    const bool plain = flag.action == recipe::Flag::Action::store;
    return plain && spec != nullptr && !spec->inverted ? type_text(*spec)
                                                       : std::string(flag.attribute);
  }

  void flag_values() {
    const auto* flag = cursor_.path.size() == 2 && cursor_.path.front() == "MODEL_ARGS"
                           ? vocabulary_.flag(cursor_.path.back())
                           : nullptr;
    if (flag == nullptr) {
      return;
    }
    using Action = recipe::Flag::Action;
    if (flag->action == Action::store_true || flag->action == Action::store_false) {
      add_value("true", "true", "switches the flag on");
    }
    for (const std::string_view choice : flag->choices) {
      add_value(std::string(choice), rendered(std::string(choice)));
    }
    if (const auto* spec = vocabulary_.find_attribute(flag->attribute)) {
      if (flag->choices.empty() && flag->action == Action::store) {
        add_rule_words(spec->name);
      }
    }
  }

  void add_rule_words(std::string_view name) {
    for (const std::string& word : known_words(*known_.knowledge, name)) {
      add_value(word, rendered(word), "known to the rules");
    }
  }

  void bridge_values() {
    const std::string path = joined(cursor_.path);
    if (cursor_.path.size() == 2 && cursor_.path.back() == "_target_") {
      for (const std::string_view name : vocabulary_.classes_of(cursor_.path.front())) {
        add_value(std::string(name), std::string(name), "class");
      }
      return;
    }
    for (const recipe::FieldSpec& spec : vocabulary_.fields()) {
      if (recipe_.path_of(spec.name) == path) {
        field_values(spec);
        return;
      }
    }
  }

  void field_values(const recipe::FieldSpec& spec) {
    const auto note = [&spec](const std::string& word) {
      const bool standard =
          spec.has_default && spec.default_value.is_known() && spec.default_value.to_text() == word;
      return standard ? std::string("default") : std::string();
    };
    if (spec.type.kind == expr::Kind::boolean) {
      add_value("true", "true", note("true"));
      add_value("false", "false", note("false"));
    }
    for (const std::string_view choice : spec.choices) {
      add_value(std::string(choice), rendered(std::string(choice)), note(std::string(choice)));
    }
    if (spec.type.kind != expr::Kind::boolean) {
      add_rule_words(spec.name);
    }
    if (spec.type.optional && !offers_.empty()) {
      add_value("null", "null", note("null"));
    }
  }

  const Reading& known_;
  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  const Cursor& cursor_;
  std::vector<Offer> offers_;
};

/// Where no offer holds the word, the nearest ones are all that is left. True when it comes to
/// that.
bool keep_nearest(const std::string& word, std::vector<Offer>& offers) {
  const std::string wanted = folded(word);
  const auto holds = [&wanted](const Offer& offer) {
    return folded(offer.label).find(wanted) != std::string::npos;
  };
  if (word.empty() || std::ranges::any_of(offers, holds)) {
    return false;
  }
  std::vector<std::string_view> labels;
  for (const Offer& offer : offers) {
    labels.push_back(offer.label);
  }
  std::vector<Offer> kept;
  for (const std::string& name : text::nearest(word, labels, kNearest)) {
    kept.push_back(*std::ranges::find(offers, name, &Offer::label));
  }
  offers = std::move(kept);
  return true;
}

}  // namespace

Json completions_at(const text::SourceFile& file,
                    std::size_t offset,
                    const Reading& known,
                    const Client& client) {
  Json items = Json::array();
  const Cursor cursor = cursor_at(file, offset);
  const Sheet* sheet = sheet_at(known, offset);
  if (cursor.place == Cursor::Place::nothing || sheet == nullptr) {
    return {{"isIncomplete", false}, {"items", std::move(items)}};
  }
  auto offers = Offers(known, *sheet, cursor).all();
  const bool meant = keep_nearest(cursor.word, offers);
  const Range range{position_of(file, cursor.begin, client.encoding),
                    position_of(file, cursor.end, client.encoding)};
  for (const Offer& offer : offers) {
    Json item = {{"label", offer.label}, {"kind", offer.kind}};
    if (!offer.detail.empty()) {
      item["detail"] = offer.detail;
    }
    if (meant) {
      // The editor would hide what does not begin like the word.
      item["filterText"] = cursor.word;
      item["sortText"] = fmt::format("{:02}", items.size());
    }
    item["textEdit"] = {{"range", json_of(range)}, {"newText", offer.text}};
    items.push_back(std::move(item));
  }
  return {{"isIncomplete", meant}, {"items", std::move(items)}};
}

}  // namespace epwise::editor
