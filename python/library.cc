// The C++ library (src/library/epwise.h) as two C functions, for epwise/_core.py: a request and its answer are JSON documents, so
// the library depends neither on a version of Python nor on its headers. In both, a character of a text is a byte (U+0000 to
// U+00FF): names and files may hold any bytes.

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/value.h"
#include "library/epwise.h"
#include "recipe/vocabulary/vocabulary.h"
#include "ui/json.h"

// glibc's flag for programs that never start a thread, which shared_ptr reads directly. Python does
// start threads: the linker uses this definition instead (CMakeLists.txt).
extern "C" {
extern const char epwise_single_threaded;
const char epwise_single_threaded = 0;
}

namespace epwise {

namespace {

using report::Json;

// -------------------------------------------------------------------------------------------------
// Texts and settings

/// Bytes, a character each.
std::string sent(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte < 0x80) {
      text.push_back(each);
    } else {
      text.push_back(static_cast<char>(0xC0 | (byte >> 6)));
      text.push_back(static_cast<char>(0x80 | (byte & 0x3F)));
    }
  }
  return text;
}

/// The inverse: the two bytes of U+0080 to U+00FF are one.
std::string received(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80 || at + 1 == text.size()) {
      bytes.push_back(text[at]);
    } else {
      const auto low = static_cast<unsigned char>(text[++at]);
      bytes.push_back(static_cast<char>(((byte & 0x03) << 6) | (low & 0x3F)));
    }
  }
  return bytes;
}

Json sent_list(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& each : texts) {
    list.push_back(sent(each));
  }
  return list;
}

void read(const Json& value, std::string& into) {
  into = received(value.get_ref<const std::string&>());
}

void read(const Json& value, bool& into) {
  into = value.get<bool>();
}

/// Throws UsageError beyond an int.
void read(const Json& value, std::optional<int>& into) {
  if (value.is_null()) {
    into.reset();
    return;
  }
  if (!value.is_number_integer() || value > std::numeric_limits<int>::max() ||
      value < std::numeric_limits<int>::min()) {
    throw UsageError(value.dump() + " is not a valid number");
  }
  into = value.get<int>();
}

void read(const Json& value, std::vector<std::string>& into) {
  into.clear();
  for (const Json& each : value) {
    read(each, into.emplace_back());
  }
}

void read(const Json& value, std::map<std::string, std::optional<std::string>>& into) {
  into.clear();
  for (const auto& [name, each] : value.items()) {
    std::optional<std::string>& variable = into[received(name)];
    if (!each.is_null()) {
      read(each, variable.emplace());
    }
  }
}

/// What the request's object says of one member; a missing one keeps its default.
template <class Value>
void read(const Json& object, const char* name, Value& into) {
  if (const auto found = object.find(name); found != object.end()) {
    read(*found, into);
  }
}

Options options_of(const Json& given) {
  Options options;
  read(given, "hw", options.hw);
  read(given, "gpus", options.gpus);
  read(given, "stack", options.stack);
  read(given, "framework", options.framework);
  read(given, "env", options.env);
  read(given, "purpose", options.purpose);
  read(given, "harness", options.harness);
  read(given, "base", options.base);
  read(given, "select", options.select);
  read(given, "ignore", options.ignore);
  read(given, "extend_select", options.extend_select);
  read(given, "extend_ignore", options.extend_ignore);
  read(given, "rules", options.rules);
  read(given, "fail_on", options.fail_on);
  read(given, "strict", options.strict);
  read(given, "configuration", options.configuration);
  read(given, "target_entry", options.target_entry);
  read(given, "baseline", options.baseline);
  read(given, "comments", options.comments);
  read(given, "today", options.today);
  read(given, "inputs", options.inputs);
  read(given, "calibration", options.calibration);
  read(given, "document", options.document);
  options.contain_crashes = true;  // a crash must not end the interpreter
  return options;
}

AdviceOptions advice_options_of(const Json& given) {
  AdviceOptions how;
  read(given, "goal", how.goal);
  read(given, "keep", how.keep);
  read(given, "may_change", how.may_change);
  read(given, "top", how.top);
  read(given, "profile", how.profile);
  read(given, "among", how.among);
  return how;
}

GateOptions gate_options_of(const Json& given) {
  GateOptions how;
  read(given, "max_exposed_comm", how.max_exposed_comm);
  read(given, "min_headroom", how.min_headroom);
  read(given, "max_regression", how.max_regression);
  read(given, "against", how.against);
  read(given, "since", how.since);
  read(given, "staged", how.staged);
  read(given, "skip_others", how.skip_others);
  read(given, "receipt", how.receipt);
  return how;
}

Recipe recipe_of(const Json& given) {
  Recipe recipe;
  read(given, "name", recipe.name);
  read(given, "words", recipe.words);
  if (const Json& text = given.at("text"); !text.is_null()) {
    read(text, recipe.text.emplace());
  }
  return recipe;
}

std::vector<Recipe> recipes_of(const Json& given) {
  std::vector<Recipe> recipes;
  for (const Json& each : given) {
    recipes.push_back(recipe_of(each));
  }
  return recipes;
}

// -------------------------------------------------------------------------------------------------
// Calls

Json lint(const Session& session, const Json& request) {
  const LintResult result = session.lint(recipe_of(request.at("recipe")));
  return {sent(result.json), sent(result.source)};
}

Json lint_text(const Session& session, const Json& request) {
  return sent(session.lint_text(recipe_of(request.at("recipe"))));
}

Json fix(const Session& session, const Json& request) {
  const FixResult result = session.fix(recipe_of(request.at("recipe")),
                                       static_cast<Tier>(request.at("tier").get<int>()));
  return {sent(result.json),
          sent(result.text),
          sent_list(result.words),
          sent(result.diff),
          result.changed};
}

template <class Result>
Json answer_of(const Result& result) {
  return {sent(result.json), sent(result.text), result.exit_code};
}

Json simulate(const Session& session, const Json& request) {
  return answer_of(
      session.simulate(recipe_of(request.at("recipe")), request.at("force").get<bool>()));
}

Json compare(const Session& session, const Json& request) {
  return answer_of(session.compare(
      recipe_of(request.at("a")), recipe_of(request.at("b")), request.at("force").get<bool>()));
}

Json advise(const Session& session, const Json& request) {
  const Advice result =
      session.advise(recipe_of(request.at("recipe")), advice_options_of(request.at("how")));
  Json texts = Json::array();
  for (const std::vector<Plan>* plans : {&result.plans, &result.too_close}) {
    for (const Plan& plan : *plans) {
      texts.push_back(sent(plan.text));
    }
  }
  Json answer = answer_of(result);
  answer.push_back(std::move(texts));
  return answer;
}

Json explain(const Session& session, const Json& request) {
  std::string log;
  std::string name;
  read(request, "log", log);
  read(request, "name", name);
  const Json& recipe = request.at("recipe");
  return answer_of(recipe.is_null() ? session.explain_log(log, name)
                                    : session.explain_log(log, recipe_of(recipe), name));
}

Json diff(const Session& session, const Json& request) {
  return answer_of(session.diff(recipe_of(request.at("before")), recipe_of(request.at("after"))));
}

Json gate(const Session& session, const Json& request) {
  const GateResult result =
      session.gate(recipes_of(request.at("recipes")), gate_options_of(request.at("how")));
  return {sent(result.json), result.exit_code, sent_list(result.problems)};
}

Json gate_text(const Session& session, const Json& request) {
  return sent(
      session.gate_text(recipes_of(request.at("recipes")), gate_options_of(request.at("how"))));
}

// -------------------------------------------------------------------------------------------------
// The flags of Megatron-LM

/// For a list with values that JSON cannot represent: its text, which no value of a recipe equals.
Json value_of(const expr::Value& value) {
  if (const auto* boolean = value.boolean()) {
    return *boolean;
  }
  if (const auto* integer = value.integer()) {
    return *integer;
  }
  if (const auto* real = value.real(); real != nullptr && std::isfinite(*real)) {
    return *real;
  }
  if (const auto* list = value.list()) {
    Json items = Json::array();
    for (const expr::Value& item : *list) {
      items.push_back(value_of(item));
    }
    return items;
  }
  return value.is_unset() ? Json() : Json(sent(value.to_text()));
}

std::string_view action_name(recipe::Flag::Action action) {
  switch (action) {
    case recipe::Flag::Action::store:
      return "store";
    case recipe::Flag::Action::store_true:
      return "store_true";
    case recipe::Flag::Action::store_false:
      return "store_false";
    case recipe::Flag::Action::store_const:
      return "store_const";
    case recipe::Flag::Action::append:
      return "append";
    case recipe::Flag::Action::help:
      break;
  }
  return "help";
}

/// The flags of Megatron-LM's parser in one version ("" and unknown ones: as in `epwise lint`), one
/// object each; `default` is missing if only the running framework knows it.
Json flags(const Json& request) {
  std::string version;
  read(request, "version", version);
  const auto vocabulary = recipe::Vocabulary::load(recipe::Framework::mlm, version);
  Json rows = Json::array();
  for (const recipe::Flag& flag : vocabulary.flags()) {
    Json row = {
        {"spelling", flag.spellings.front()},
        {"attribute", flag.attribute},
        {"action", action_name(flag.action)},
        {"several",
         flag.values != recipe::Flag::Values::one && flag.values != recipe::Flag::Values::optional},
        {"required", flag.required},
        {"constant", value_of(flag.constant)}};
    const recipe::FieldSpec* field = vocabulary.find_attribute(flag.attribute);
    if (field != nullptr && field->has_default && field->default_value.is_known()) {
      const auto* boolean = field->default_value.boolean();
      row["default"] =
          field->inverted && boolean != nullptr ? Json(!*boolean) : value_of(field->default_value);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// -------------------------------------------------------------------------------------------------

using Call = std::function<Json(const Session&, const Json&)>;

const std::map<std::string, Call, std::less<>>& calls() {
  static const std::map<std::string, Call, std::less<>> all = {{"lint", lint},
                                                               {"lint_text", lint_text},
                                                               {"fix", fix},
                                                               {"simulate", simulate},
                                                               {"compare", compare},
                                                               {"advise", advise},
                                                               {"explain", explain},
                                                               {"diff", diff},
                                                               {"gate", gate},
                                                               {"gate_text", gate_text}};
  return all;
}

/// Throws what the library throws, and what nlohmann's JSON throws for a request of another form.
Json answer_to(std::string_view text) {
  const Json request = Json::parse(text);
  const std::string name = request.at("call").get<std::string>();
  if (name == "version") {
    return version();
  }
  if (name == "flags") {
    return flags(request);
  }
  return calls().at(name)(Session(options_of(request.at("options"))), request);
}

Json error_of(std::string_view kind, const std::exception& error) {
  return {{"error", kind}, {"message", sent(error.what())}};
}

Json answer_or_error(std::string_view text) {
  try {
    return {{"value", answer_to(text)}};
  } catch (const UsageError& error) {
    return error_of("UsageError", error);
  } catch (const InternalError& error) {
    return error_of("InternalError", error);
  } catch (const Error& error) {
    return error_of("Error", error);
  } catch (const std::exception& error) {
    return error_of("InternalError", error);
  }
}

}  // namespace

}  // namespace epwise

/// The answer to a request, for epwise_free: {"value": …}, or {"error": "UsageError", "message": …}. Null: out of memory.
extern "C" char* epwise_call(const char* request, std::size_t size, std::size_t* answer_size) {
  const std::string text =
      epwise::report::json_line(epwise::answer_or_error(std::string_view(request, size)));
  auto* answer = static_cast<char*>(std::malloc(text.size() + 1));
  if (answer != nullptr) {
    std::memcpy(answer, text.c_str(), text.size() + 1);
    *answer_size = text.size();
  }
  return answer;
}

extern "C" void epwise_free(char* answer) {
  std::free(answer);
}
